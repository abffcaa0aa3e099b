import Configuration
import JSON
import Paging

extension Envelope {
  /// The last line of a stream: an envelope without a body, its line feed included.
  ///
  /// Items have gone before it in any number, so it is told by its place: the last line is the outcome, always. Where a
  /// transfer may have been cut off unnoticed (HTTP/1.0), it is the outcome if its `requestId` is the answer's and its
  /// `count` the number of lines before it.
  ///
  /// - Parameter next: the cursor that goes on from there.
  static func outcome(
    of walk: WholeWalk, next: String?, _ failure: GatewayError?, of list: ServedList, for request: Request,
    in language: Message.Language
  ) -> [UInt8] {
    let isComplete = failure == nil && walk.isComplete
    var writer = Writer(reserving: 512)
    writer.beginObject()
    writer.member("status", failure?.code.envelopeStatus ?? 0)
    writer.key("header")
    writer.beginObject()
    writer.member("list", list.name)
    writer.member("count", walk.count)
    writer.member("total", orNull: walk.total)
    writer.member("pageCount", orNull: walk.pageCount)
    writer.member("complete", isComplete)
    if let next { writer.member("next", next) }
    if let failure {
      writer.member("error", failure.code.rawValue)
      if let parameter = failure.parameter { writer.member("parameter", parameter) }
      if let upstreamCode = failure.upstreamCode { writer.member("upstreamCode", upstreamCode) }
      if let retryAfter = failure.retryAfter { writer.member("retryAfter", retryAfter) }
    }
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    for warning in walk.warnings.entries { writer.string(warning.text) }
    for note in walk.notes { writer.string(note) }
    writer.endArray()
    if request.isDebug, let failure {
      writer.member(
        "text", Debug.text(of: failure.answer, hiding: request.list?.secrets(for: request) ?? []))
      writer.member("detail", failure.detail)
    }
    writer.endObject()
    writer.key("body")
    writer.null()
    writer.member("message", (failure?.message ?? .ok).text(in: language))
    writer.endObject()
    return writer.finish() + [UInt8(ascii: "\n")]
  }
}
