package import HTTPSemantics

/// A request's place in a distributed trace: the fields `traceparent` and `tracestate`.
///
///     00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
///     version  trace id                   parent id        flags
///
/// - SeeAlso: W3C Trace Context, Level 1, and the random flag of Level 2.
package struct TraceContext: Sendable, Equatable {
  /// Never both zero.
  package let traceID: (high: UInt64, low: UInt64)
  /// The span that sent this; never zero.
  package let parentID: UInt64
  package let flags: Flags
  /// `tracestate`, passed on as it came, within bounds; nil when there is none.
  package let state: TraceState?

  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let sampled = Flags(rawValue: 1)
    /// The trace id's low seven bytes are random.
    package static let random = Flags(rawValue: 2)
    fileprivate static let known: Flags = [.sampled, .random]
  }

  package static func == (left: TraceContext, right: TraceContext) -> Bool {
    left.traceID == right.traceID && left.parentID == right.parentID && left.flags == right.flags
      && left.state == right.state
  }

  private init(traceID: (high: UInt64, low: UInt64), parentID: UInt64, flags: Flags, state: TraceState?) {
    self.traceID = traceID
    self.parentID = parentID
    self.flags = flags
    self.state = state
  }

  /// Reads what a client sent. Nil when there is no `traceparent`, more than one, or one that is not valid: then a new
  /// trace starts, and `tracestate` does not count either.
  package init?(_ fields: Fields) {
    let parents = fields.values(.traceparent)
    guard parents.count == 1, let parent = parents.first else { return nil }
    var state: TraceState?
    if let value = fields.combined(.tracestate) { state = TraceState(value.span) }
    self.init(parsing: parent.span, state: state)
  }

  /// - Parameter traceparent: of version 00, or of a later one, whose first four fields are read as 00's.
  package init?(parsing traceparent: Span<UInt8>, state: TraceState?) {
    let count = traceparent.count
    guard count >= 55, let version = Self.hex(traceparent, 0..<2), version != 0xFF,
      version == 0 ? count == 55 : true,
      count == 55 || traceparent[55] == Self.dash,
      traceparent[2] == Self.dash, traceparent[35] == Self.dash, traceparent[52] == Self.dash,
      let high = Self.hex(traceparent, 3..<19), let low = Self.hex(traceparent, 19..<35), high | low != 0,
      let parent = Self.hex(traceparent, 36..<52), parent != 0,
      let flags = Self.hex(traceparent, 53..<55)
    else { return nil }
    self.init(
      traceID: (high, low), parentID: parent,
      flags: Flags(rawValue: UInt8(truncatingIfNeeded: flags)).intersection(.known), state: state)
  }

  /// The start of a trace of our own.
  package static func starting(traceBits: (UInt64, UInt64), spanBits: UInt64, isSampled: Bool) -> TraceContext
  {
    TraceContext(
      traceID: traceBits.0 | traceBits.1 == 0 ? (0, 1) : (traceBits.0, traceBits.1),
      parentID: max(spanBits, 1),
      flags: isSampled ? [.sampled, .random] : [.random], state: nil)
  }

  /// The same trace as a request to an upstream carries it: this program's own span is the parent there.
  package func continued(spanBits: UInt64) -> TraceContext {
    TraceContext(traceID: traceID, parentID: max(spanBits, 1), flags: flags, state: state)
  }

  /// Appends the `traceparent` value, of version 00.
  package func appendTraceparent(to output: inout [UInt8]) {
    output.append(contentsOf: [0x30, 0x30, Self.dash])
    appendTraceID(to: &output)
    output.append(Self.dash)
    Self.appendHex(parentID, digitCount: 16, to: &output)
    output.append(Self.dash)
    Self.appendHex(UInt64(flags.rawValue), digitCount: 2, to: &output)
  }

  /// Appends the trace id's 32 digits: what the log and the traces of others have in common.
  package func appendTraceID(to output: inout [UInt8]) {
    Self.appendHex(traceID.high, digitCount: 16, to: &output)
    Self.appendHex(traceID.low, digitCount: 16, to: &output)
  }

  private static let dash = UInt8(ascii: "-")

  /// Lower case only: a `traceparent` in capitals is not valid.
  private static func hex(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
    var value: UInt64 = 0
    for index in range {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(bytes[index] &- 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(bytes[index] &- 0x57)
      default: return nil
      }
    }
    return value
  }

  private static func appendHex(_ value: UInt64, digitCount: Int, to output: inout [UInt8]) {
    var position = output.count + digitCount
    output.append(contentsOf: repeatElement(0, count: digitCount))
    var digits = output.mutableSpan
    var rest = value
    for _ in 0..<digitCount {
      position -= 1
      let nibble = UInt8(truncatingIfNeeded: rest) & 15
      digits[position] = nibble < 10 ? 0x30 &+ nibble : 0x57 &+ nibble
      rest >>= 4
    }
  }
}
