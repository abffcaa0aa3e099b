/// The `tracestate` field: what tracing systems tell each other, which is theirs to read and ours to pass on.
///
/// - SeeAlso: W3C Trace Context §3.3.
package struct TraceState: Sendable, Equatable {
  /// Of all members together; more need not be passed on (§3.3.1.5).
  package static let maximumByteCount = 512
  package static let maximumMemberCount = 32
  /// A member longer than this is the first to go.
  private static let longMemberByteCount = 128

  /// The field value.
  package let bytes: [UInt8]

  /// Nil when there is no member, when one is not printable ASCII with a key and a value, or when there are too many.
  /// A value that is too long loses whole members: first the long ones, then the last.
  package init?(_ value: Span<UInt8>) {
    var members: [[UInt8]] = []
    var member: [UInt8] = []
    for index in 0...value.count {
      let byte = index < value.count ? value[index] : UInt8(ascii: ",")
      switch byte {
      case UInt8(ascii: ","):
        while member.last == 0x20 { member.removeLast() }
        if !member.isEmpty {
          guard let equals = member.firstIndex(of: UInt8(ascii: "=")), equals > 0, equals < member.count - 1
          else {
            return nil
          }
          members.append(member)
        }
        member.removeAll(keepingCapacity: true)
      case 0x20, 0x09: if !member.isEmpty { member.append(0x20) }
      case 0x21...0x7E: member.append(byte)
      default: return nil
      }
    }
    guard (1...TraceState.maximumMemberCount).contains(members.count) else { return nil }
    while TraceState.byteCount(members) > TraceState.maximumByteCount {
      members.remove(
        at: members.lastIndex { $0.count > TraceState.longMemberByteCount } ?? members.count - 1)
    }
    if members.isEmpty { return nil }
    bytes = Array(members.joined(separator: [UInt8(ascii: ",")]))
  }

  private static func byteCount(_ members: [[UInt8]]) -> Int {
    members.reduce(members.count - 1) { $0 + $1.count }
  }
}
