import Configuration
import HTTPSemantics
import JSON
import Paging
import Resilience

/// Makes responses: the envelope, and the fields that say in HTTP's words what the envelope says in ours.
enum Answer {
  private static let json = "application/json"

  // MARK: Slices

  static func slice(_ answer: SliceAnswer, of list: ServedList, for request: Request) -> Response {
    let tag = ETag(digest: digest(of: answer))
    var fields = common(for: request)
    if let next = answer.next, let link = link(to: next, of: list, for: request) {
      fields.append(.link, link)
    }
    appendFreshness(of: answer.account, upTo: answer.longestFreshness, at: answer.now, to: &fields)
    if append(tag, to: &fields, for: request) { return Response(status: 304, fields: fields, content: []) }
    fields.append(.contentType, json)
    return Response(status: 200, fields: fields, content: Envelope.slice(answer, of: list, for: request))
  }

  /// How long the client may keep the answer, how old it is, and where it came from.
  ///
  /// - Parameter most: seconds for which the client may keep it at most.
  static func appendFreshness(
    of account: CacheAccount, upTo most: Int, at now: Instant, to fields: inout Fields
  ) {
    let left = min(account.timeToLive(at: now) ?? 0, most)
    if left > 0 {
      var value = Array("private, max-age=".utf8)
      value += String(left).utf8
      fields.append(.cacheControl, value)
    } else {
      fields.append(.cacheControl, "private, no-cache")
    }
    let age = account.age(at: now)
    if account.isFromCache || age > 0 { fields.append(.age, String(age)) }
    appendStatus(of: account, at: now, to: &fields)
  }

  private static func appendStatus(of account: CacheAccount, at now: Instant, to fields: inout Fields) {
    var value: [UInt8] = []
    value.reserveCapacity(64)
    account.status(at: now).append(to: &value)
    fields.append(.cacheStatus, value)
  }

  /// Two slices with the same items, which go on at the same position, of lists that say the same of themselves, are the same
  /// to a client: what differs between them is their age, their request id and the sealing of an equal cursor. The tag
  /// changes from time to time all the same, lest a client keep a cursor until it expires.
  static func digest(of answer: SliceAnswer) -> UInt64 {
    let slice = answer.slice
    var digest = ContentDigest()
    digest.combine(slice.count)
    digest.combine(slice.total)
    digest.combine(slice.pageCount)
    digest.combine(answer.next == nil ? 0 : 1)
    digest.combine(answer.cappedTo)
    digest.combine(answer.epoch)
    if let position = answer.position {
      // Where the pages were found does not matter.
      unsafe position.withUnsafeBytes {
        unsafe digest.combine(
          UnsafeRawBufferPointer(rebasing: $0.dropLast(Position.editionByteCount)))
      }
    }
    for warning in slice.warnings.entries {
      var text = warning.text
      text.withUTF8 { unsafe digest.combine(UnsafeRawBufferPointer($0)) }
    }
    for note in answer.notes {
      var note = note
      note.withUTF8 { unsafe digest.combine(UnsafeRawBufferPointer($0)) }
    }
    for part in answer.parts {
      if !part.wrapping.isNone {
        unsafe part.wrapping.before.withUnsafeBytes { unsafe digest.combine($0) }
        unsafe part.wrapping.after.withUnsafeBytes { unsafe digest.combine($0) }
      }
      unsafe part.body.withUnsafeBytes { bytes in
        unsafe digest.combine(UnsafeRawBufferPointer(rebasing: bytes[part.range]))
      }
    }
    return digest.value
  }

  /// `Link` to the next slice (RFC 8288): the request's own parameters, encoded anew lest one of them end the link, with
  /// the cursor replaced. Nil where it would take too much of the head: the body has it all the same.
  private static func link(to cursor: String, of list: ServedList, for request: Request) -> [UInt8]? {
    guard let target = request.target else { return nil }
    var link: [UInt8] = []
    link.reserveCapacity(cursor.utf8.count + 128)
    link += "</v1/lists/".utf8
    PercentEncoding.encode(list.name, for: .segment, into: &link)
    link.append(UInt8(ascii: "?"))
    for index in 0..<target.parameterCount {
      let parameter = target.parameter(index)
      if parameter.name.equals("cursor") { continue }
      PercentEncoding.encode(parameter.name.span, for: .query, into: &link)
      link.append(UInt8(ascii: "="))
      PercentEncoding.encode(parameter.value.span, for: .query, into: &link)
      link.append(UInt8(ascii: "&"))
    }
    link += "cursor=".utf8
    link += cursor.utf8
    link += #">; rel="next""#.utf8
    return link.count <= longestLink ? link : nil
  }

  private static let longestLink = 1_536

  // MARK: Whole lists

  /// The head of a whole list's stream.
  static func stream(for request: Request, at now: Instant) -> Response {
    var fields = common(for: request)
    fields.append(.cacheControl, "no-store")
    appendStatus(of: request.work.account, at: now, to: &fields)
    fields.append(.contentType, "application/x-ndjson")
    return Response(status: 200, fields: fields, content: [])
  }

  // MARK: Failures

  static func failure(_ error: GatewayError, for request: Request) -> Response {
    var fields = common(for: request)
    fields.append(.cacheControl, "no-store")
    if let retryAfter = error.retryAfter { fields.append(.retryAfter, String(retryAfter)) }
    if let allow = error.allow { fields.append(.allow, allow) }
    if let challenge = error.challenge { fields.append(.wwwAuthenticate, challenge) }
    if error.proxyError != nil || (error.origin == .upstream && error.receivedStatus != nil) {
      var status = ProxyStatus(error: error.proxyError)
      status.nextHop = request.upstreamName
      status.receivedStatus = error.receivedStatus
      var value: [UInt8] = []
      status.append(to: &value)
      fields.append(.proxyStatus, value)
    }
    let content: [UInt8]
    if request.prefersProblem {
      fields.append(.contentType, "application/problem+json")
      content = Envelope.problem(error, for: request)
    } else {
      fields.append(.contentType, json)
      content = Envelope.failure(error, for: request)
    }
    var response = Response(status: error.httpStatus, fields: fields, content: [.bytes(content)])
    // What was not read of a refused request would be taken for the next one.
    response.closesConnection = request.exchange.fault != nil
    return response
  }

  // MARK: The rest

  /// An answer of Listway's own: health, the catalogue, figures.
  static func own(_ status: Int, _ type: String, _ content: [UInt8], for request: Request) -> Response {
    var fields = common(for: request)
    fields.append(.cacheControl, "no-store")
    fields.append(.contentType, type)
    return Response(status: status, fields: fields, content: [.bytes(content)])
  }

  static func common(for request: Request) -> Fields {
    var fields = Fields()
    fields.reserve(lines: 10, bytes: 640)
    fields.append(.xRequestID, request.id)
    fields.append(
      .vary, request.isForCompression ? "Accept, Accept-Encoding, Accept-Language" : "Accept, Accept-Language"
    )
    if !request.extraFields.isEmpty { fields.append(contentsOf: request.extraFields) }
    return fields
  }
}
