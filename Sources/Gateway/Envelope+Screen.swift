import Configuration
import JSON

extension Envelope {
  /// A screen's envelope: its sections' own, each under its name, in their declared order.
  ///
  /// - Parameter failure: of all sections.
  static func screen(
    _ answers: [SectionAnswer], of screen: ScreenRoute, _ failure: GatewayError?, for request: Request
  ) -> [Response.Segment] {
    let sections = screen.configuration.sections
    var segments: [Response.Segment] = []
    segments.reserveCapacity(answers.reduce(2) { $0 + $1.envelope.count + 1 })
    var writer = Writer(reserving: 512)
    writer.beginObject()
    writer.member("status", failure?.code.envelopeStatus ?? 0)
    writer.key("header")
    writer.beginObject()
    request.writeSubject(into: &writer)
    if let failure {
      writer.member("error", failure.code.rawValue)
      if let retryAfter = failure.retryAfter { writer.member("retryAfter", retryAfter) }
    }
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    for (section, answer) in zip(sections, answers) {
      switch answer.kind {
      case .good: continue
      case .skipped: writer.string("section_skipped:\(section.name)")
      case .failed: writer.string("section_failed:\(section.name)")
      }
    }
    writer.endArray()
    writer.endObject()
    writer.key("body")
    writer.beginObject()
    var head = writer.written()
    for (section, answer) in zip(sections, answers) {
      // A section's name needs no escapes.
      head += "\"\(section.name)\":".utf8
      segments.append(.bytes(head))
      segments += answer.envelope
      head = [UInt8(ascii: ",")]
    }
    var tail = Writer(reserving: 64)
    tail.string((failure?.message ?? .ok).text(in: request.language))
    segments.append(.bytes(Array(#"},"message":"#.utf8) + tail.finish() + Array("}".utf8)))
    return segments
  }

  /// The envelope of a section that nothing is to be asked for, since another has nothing to ask with.
  static func skipped(_ part: Request, for cause: String) -> [UInt8] {
    var writer = Writer(reserving: 256)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    part.writeSubject(into: &writer)
    if part.list != nil {
      writer.member("count", 0)
      writer.member("total", orNull: Int?.none)
      writer.member("pageCount", orNull: Int?.none)
      writer.member("hasMore", false)
      writer.member("stale", false)
      writer.member("age", 0)
    }
    writer.member("requestId", part.id)
    writer.key("warnings")
    writer.beginArray()
    writer.string("dependency_empty:\(cause)")
    writer.endArray()
    writer.endObject()
    writer.key("body")
    if part.list != nil {
      writer.beginArray()
      writer.endArray()
    } else {
      writer.null()
    }
    writer.member("message", "ok")
    writer.endObject()
    return writer.finish()
  }
}
