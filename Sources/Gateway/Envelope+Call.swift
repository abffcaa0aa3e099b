import JSON
import Paging

extension Envelope {
  private static let callTail = Array(#","message":"ok"}"#.utf8)

  /// A call's envelope. The body is the upstream's own bytes, which stay where they are.
  static func call(_ payload: CallAnswer, for request: Request) -> [Response.Segment] {
    var writer = Writer(reserving: 256)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    request.writeSubject(into: &writer)
    if let now = payload.keptAt {
      writer.member("stale", request.work.account.isStale)
      writer.member("age", request.work.account.age(at: now))
    }
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    writer.endArray()
    if request.isDebug {
      writer.member(
        "text", Debug.text(of: payload.body, hiding: request.call?.source.secrets(for: request) ?? []))
      writer.key("error")
      writer.null()
    }
    writer.endObject()
    writer.key("body")
    guard let range = payload.range else {
      writer.null()
      return [.bytes(writer.written() + callTail)]
    }
    return [.bytes(writer.written()), .slice(payload.body, range), .bytes(callTail)]
  }
}
