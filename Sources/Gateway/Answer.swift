import HTTPSemantics
import JSON
import Paging

/// Makes responses: the envelope, and the fields that say in HTTP's words what the envelope says in ours.
enum Answer {
  private static let json = "application/json"

  // MARK: Slices

  static func slice(_ answer: SliceAnswer, of list: ListRoute, for request: Request) -> Response {
    let tag = ETag(digest: digest(of: answer))
    var fields = common(for: request)
    if let next = answer.next { fields.append(.link, link(to: next, from: request.exchange.target)) }
    fields.append(.cacheControl, "private, no-cache")
    fields.append(.cacheStatus, "listway; fwd=miss")
    var value: [UInt8] = []
    tag.append(to: &value)
    fields.append(.etag, value)
    if let known = request.exchange.field(.ifNoneMatch), !request.isDebug,
      tag.isNamed(byIfNoneMatch: known.utf8Span.span)
    {
      return Response(status: 304, fields: fields, content: [])
    }
    fields.append(.contentType, json)
    return Response(status: 200, fields: fields, content: Envelope.slice(answer, of: list, for: request))
  }

  /// Two slices with the same items, of lists that say the same of themselves, are the same to a client: what differs
  /// between them is only their age, their request id and the sealing of an equal cursor.
  private static func digest(of answer: SliceAnswer) -> UInt64 {
    let slice = answer.slice
    var digest = ContentDigest()
    digest.combine(slice.count)
    digest.combine(slice.total)
    digest.combine(slice.pageCount)
    digest.combine(slice.hasMore ? 1 : 0)
    digest.combine(answer.cappedTo)
    for warning in slice.warnings.entries {
      var text = warning.text
      text.withUTF8 { unsafe digest.combine(UnsafeRawBufferPointer($0)) }
    }
    for part in answer.parts {
      unsafe part.body.withUnsafeBytes { bytes in
        unsafe digest.combine(UnsafeRawBufferPointer(rebasing: bytes[part.range]))
      }
    }
    return digest.value
  }

  /// `Link` to the next slice (RFC 8288): the request's own target, its cursor replaced.
  private static func link(to cursor: String, from target: [UInt8]) -> [UInt8] {
    var link: [UInt8] = []
    link.reserveCapacity(target.count + cursor.utf8.count + 24)
    link.append(UInt8(ascii: "<"))
    let question = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    link += target[..<question]
    link.append(UInt8(ascii: "?"))
    if question < target.endIndex {
      var start = question + 1
      while start < target.endIndex {
        let end = target[start...].firstIndex(of: UInt8(ascii: "&")) ?? target.endIndex
        if start < end, !isCursor(target[start..<end]) {
          link += target[start..<end]
          link.append(UInt8(ascii: "&"))
        }
        start = end + 1
      }
    }
    link += "cursor=".utf8
    link += cursor.utf8
    link += #">; rel="next""#.utf8
    return link
  }

  private static func isCursor(_ pair: ArraySlice<UInt8>) -> Bool {
    pair.prefix(7).equals("cursor=") || pair.equals("cursor")
  }

  // MARK: Failures

  static func failure(_ error: GatewayError, for request: Request) -> Response {
    var fields = common(for: request)
    fields.append(.cacheControl, "no-store")
    if let retryAfter = error.retryAfter { fields.append(.retryAfter, String(retryAfter)) }
    if let allow = error.allow { fields.append(.allow, allow) }
    if let type = error.proxyError {
      var status = ProxyStatus(error: type)
      status.nextHop = request.list?.source.upstreamName
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

  private static func common(for request: Request) -> Fields {
    var fields = Fields()
    fields.reserve(lines: 10, bytes: 640)
    fields.append(.xRequestID, request.id)
    fields.append(.vary, "Accept, Accept-Language")
    return fields
  }
}
