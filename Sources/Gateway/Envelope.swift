import Configuration
import HTTPSemantics
import JSON
import Paging

/// The one shape of every answer, good or bad: `status`, `header`, `body`, `message`, in this order, always all four.
enum Envelope {
  private static let comma = [UInt8(ascii: ",")]
  private static let tail = Array(#"],"message":"ok"}"#.utf8)

  /// A slice's envelope. The items are the upstream's own bytes, which stay where they are.
  static func slice(_ answer: SliceAnswer, of list: ServedList, for request: Request) -> [Response.Segment] {
    var segments: [Response.Segment] = []
    segments.reserveCapacity(answer.parts.count * 2 + 1)
    segments.append(.bytes(start(of: answer, of: list, for: request)))
    var isFirst = true
    for part in answer.parts {
      if !isFirst { segments.append(.bytes(comma)) }
      isFirst = false
      if part.wrapping.isNone {
        segments.append(.slice(part.body, part.range))
      } else {
        segments.append(.bytes(part.wrapping.before))
        segments.append(.slice(part.body, part.range))
        segments.append(.bytes(part.wrapping.after))
      }
    }
    segments.append(.bytes(tail))
    return segments
  }

  /// Everything before the first item.
  private static func start(of answer: SliceAnswer, of list: ServedList, for request: Request) -> [UInt8] {
    let slice = answer.slice
    var writer = Writer(reserving: 512)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    request.writeSubject(into: &writer)
    writer.member("count", slice.count)
    writer.member("total", orNull: slice.total)
    writer.member("pageCount", orNull: slice.pageCount)
    writer.member("hasMore", answer.next != nil)
    if let next = answer.next { writer.member("next", next) }
    if let prefetchAt = answer.prefetchAt { writer.member("prefetchAt", prefetchAt) }
    writer.member("stale", answer.account.isStale)
    writer.member("age", answer.account.age(at: answer.now))
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    if let limit = answer.cappedTo { writer.string("limit_capped:\(limit)") }
    for warning in slice.warnings.entries { writer.string(warning.text) }
    for note in answer.notes { writer.string(note) }
    writer.endArray()
    if request.isDebug {
      writer.member(
        "text", Debug.text(of: slice.pieces.last?.page.body, hiding: list.secrets(for: request)))
      writer.key("error")
      writer.null()
    }
    writer.endObject()
    writer.key("body")
    writer.beginArray()
    return writer.written()
  }

  /// A failure's envelope.
  static func failure(_ error: GatewayError, for request: Request) -> [UInt8] {
    var writer = Writer(reserving: 256)
    writer.beginObject()
    writer.member("status", error.code.envelopeStatus)
    writer.key("header")
    writer.beginObject()
    request.writeSubject(into: &writer)
    writeFacts(of: error, for: request, into: &writer)
    writer.endObject()
    writer.key("body")
    writer.null()
    writer.member("message", error.message.text(in: request.language))
    writer.endObject()
    return writer.finish()
  }

  /// The same facts as problem details (RFC 9457).
  static func problem(_ error: GatewayError, for request: Request) -> [UInt8] {
    var writer = Writer(reserving: 256)
    writer.beginObject()
    writer.member("type", "urn:listway:error:\(error.code.rawValue)")
    writer.member("title", error.code.rawValue)
    writer.member("status", error.httpStatus)
    writer.member("detail", error.message.text(in: request.language))
    writer.member("listwayStatus", error.code.envelopeStatus)
    request.writeSubject(into: &writer)
    writeFacts(of: error, for: request, into: &writer)
    writer.endObject()
    return writer.finish()
  }

  private static func writeFacts(of error: GatewayError, for request: Request, into writer: inout Writer) {
    writer.member("error", error.code.rawValue)
    if let parameter = error.parameter { writer.member("parameter", parameter) }
    if let upstreamCode = error.upstreamCode { writer.member("upstreamCode", upstreamCode) }
    if let retryAfter = error.retryAfter { writer.member("retryAfter", retryAfter) }
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    writer.endArray()
    if request.isDebug {
      // `error` is taken by the code, so what the transport or the parser said is told as `detail`.
      writer.member(
        "text", Debug.text(of: error.answer, hiding: request.list?.secrets(for: request) ?? []))
      writer.member("detail", error.detail)
    }
  }
}

/// What `?debug=1` shows of an upstream's raw answer.
enum Debug {
  static let textByteCount = 2_048

  /// The start of `body`; what is not UTF-8 becomes U+FFFD.
  ///
  /// - Parameter secrets: what asterisks stand for, plain and as it is in a URL.
  static func text(of body: Bytes?, hiding secrets: [[UInt8]]) -> String {
    guard let body else { return "" }
    if secrets.isEmpty { return String(decoding: body[0..<min(body.count, textByteCount)], as: UTF8.self) }
    // One that the end of the text would cut in two is hidden before.
    let longest = secrets.map(\.count).max() ?? 0
    var text = body[0..<min(body.count, textByteCount + 3 * longest)]
    for secret in secrets {
      var encoded: [UInt8] = []
      PercentEncoding.encode(secret.span, for: .query, into: &encoded)
      text = hiding(secret, in: hiding(encoded, in: text))
    }
    return String(decoding: text.prefix(textByteCount), as: UTF8.self)
  }

  private static func hiding(_ secret: [UInt8], in text: [UInt8]) -> [UInt8] {
    guard let first = secret.first else { return text }
    var output: [UInt8] = []
    var position = 0
    while position < text.count {
      if text[position] == first, text[position...].starts(with: secret) {
        output += Array("***".utf8)
        position += secret.count
      } else {
        output.append(text[position])
        position += 1
      }
    }
    return output
  }
}
