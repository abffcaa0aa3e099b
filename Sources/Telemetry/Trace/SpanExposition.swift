import JSON

/// Writes spans as a collector takes them: OTLP over HTTP in JSON.
///
///     {"resourceSpans":[{"resource":{"attributes":[…]},"scopeSpans":[{"scope":{"name":"listway"},"spans":[…]}]}]}
///
/// - SeeAlso: OpenTelemetry protocol 1.5, "JSON Protobuf Encoding": ids in hexadecimal, 64-bit integers as strings.
package enum SpanExposition {
  package static let contentType = "application/json"

  /// - Parameter resource: what all spans have in common: `service.name`, `service.version`.
  package static func write(_ spans: [TraceSpan], resource: [TraceSpan.Attribute]) -> [UInt8] {
    var writer = Writer(reserving: 256 + spans.count * 512)
    writer.beginObject()
    writer.key("resourceSpans")
    writer.beginArray()
    writer.beginObject()
    writer.key("resource")
    writer.beginObject()
    write(resource, to: &writer)
    writer.endObject()
    writer.key("scopeSpans")
    writer.beginArray()
    writer.beginObject()
    writer.key("scope")
    writer.beginObject()
    writer.member("name", "listway")
    writer.endObject()
    writer.key("spans")
    writer.beginArray()
    for span in spans { write(span, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  private static func write(_ span: TraceSpan, to writer: inout Writer) {
    writer.beginObject()
    writer.member("traceId", hex(span.traceID.high) + hex(span.traceID.low))
    writer.member("spanId", hex(span.id))
    if let parent = span.parentID { writer.member("parentSpanId", hex(parent)) }
    writer.member("name", span.name)
    writer.member("kind", span.kind.rawValue)
    writer.member("startTimeUnixNano", String(span.start))
    writer.member("endTimeUnixNano", String(span.end))
    write(span.attributes, to: &writer)
    writer.key("status")
    writer.beginObject()
    if let failure = span.failure {
      writer.member("code", 2)
      writer.member("message", failure)
    }
    writer.endObject()
    writer.endObject()
  }

  private static func write(_ attributes: [TraceSpan.Attribute], to writer: inout Writer) {
    writer.key("attributes")
    writer.beginArray()
    for attribute in attributes {
      writer.beginObject()
      writer.member("key", attribute.key)
      writer.key("value")
      writer.beginObject()
      switch attribute.value {
      case .text(let text): writer.member("stringValue", text)
      case .integer(let number): writer.member("intValue", String(number))
      }
      writer.endObject()
      writer.endObject()
    }
    writer.endArray()
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
