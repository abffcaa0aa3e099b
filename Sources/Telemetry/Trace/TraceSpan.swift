/// One piece of work within a trace: when, how long, of what, and how it ended.
///
/// - SeeAlso: OpenTelemetry protocol 1.5, `opentelemetry.proto.trace.v1.Span`.
package struct TraceSpan: Sendable, Equatable {
  package enum Kind: Int, Sendable {
    case `internal` = 1
    /// Serving a client.
    case server = 2
    /// Asking an upstream.
    case client = 3
  }

  package enum Value: Sendable, Equatable {
    case text(String)
    case integer(Int)
  }

  package struct Attribute: Sendable, Equatable {
    package let key: String
    package let value: Value

    package init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  package let traceID: (high: UInt64, low: UInt64)
  package let id: UInt64
  /// Nil for the first of a trace.
  package let parentID: UInt64?
  package let name: String
  package let kind: Kind
  /// Nanoseconds since 1970, UTC.
  package let start: UInt64
  package let end: UInt64
  package var attributes: [Attribute]
  /// Why it failed; nil when it did not.
  package let failure: String?

  package init(
    traceID: (high: UInt64, low: UInt64), id: UInt64, parentID: UInt64?, name: String, kind: Kind,
    start: UInt64, end: UInt64, attributes: [Attribute], failure: String?
  ) {
    self.traceID = traceID
    self.id = id
    self.parentID = parentID
    self.name = name
    self.kind = kind
    self.start = start
    self.end = end
    self.attributes = attributes
    self.failure = failure
  }

  package static func == (left: TraceSpan, right: TraceSpan) -> Bool {
    left.traceID == right.traceID && left.id == right.id && left.parentID == right.parentID
      && left.name == right.name && left.kind == right.kind && left.start == right.start
      && left.end == right.end && left.attributes == right.attributes && left.failure == right.failure
  }
}
