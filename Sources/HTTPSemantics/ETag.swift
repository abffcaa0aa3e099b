/// An entity tag (RFC 9110 §8.8.3).
package struct ETag: Sendable, Hashable {
  package let isWeak: Bool
  /// What stands between the quotes.
  package let opaque: [UInt8]

  package init(opaque: [UInt8], isWeak: Bool) {
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// A strong tag out of a digest of the content: its 16 hexadecimal digits.
  package init(digest: UInt64) {
    isWeak = false
    opaque = unsafe Array(unsafeUninitializedCapacity: 16) { digits, count in
      for position in 0..<16 {
        let nibble = UInt8(truncatingIfNeeded: digest >> UInt64(60 - 4 * position)) & 15
        unsafe digits[position] = nibble < 10 ? 0x30 &+ nibble : 0x57 &+ nibble
      }
      count = 16
    }
  }

  /// Reads one tag that fills `value`; nil when that is not a tag.
  package init?(parsing value: Span<UInt8>) {
    let range = value.trimmed(0..<value.count)
    var position = range.lowerBound
    guard let tag = ETag.next(value, &position, range.upperBound), position == range.upperBound else {
      return nil
    }
    self = tag
  }

  package func append(to output: inout [UInt8]) {
    output.reserveCapacity(output.count + opaque.count + 4)
    if isWeak { output.append(constant: "W/") }
    output.append(UInt8(ascii: "\""))
    output.append(contentsOf: opaque)
    output.append(UInt8(ascii: "\""))
  }

  package func matchesStrongly(_ other: ETag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
  package func matchesWeakly(_ other: ETag) -> Bool { opaque == other.opaque }

  /// Whether an `If-None-Match` field names this tag, by weak comparison, or is `*` (RFC 9110 §13.1.2): the answer
  /// is then 304. What is not a tag is passed over.
  package func isNamed(byIfNoneMatch field: Span<UInt8>) -> Bool {
    let range = field.trimmed(0..<field.count)
    if range.count == 1, field[range.lowerBound] == UInt8(ascii: "*") { return true }
    var position = range.lowerBound
    while position < range.upperBound {
      let start = position
      if let tag = ETag.next(field, &position, range.upperBound), tag.opaque == opaque { return true }
      if position == start { position += 1 }
    }
    return false
  }

  /// Reads a tag at `position` and moves past it, or leaves `position` where it is.
  private static func next(_ field: Span<UInt8>, _ position: inout Int, _ end: Int) -> ETag? {
    var start = position
    var isWeak = false
    if start + 2 < end, field[start] == UInt8(ascii: "W"), field[start + 1] == UInt8(ascii: "/") {
      isWeak = true
      start += 2
    }
    guard start < end, field[start] == UInt8(ascii: "\""),
      let close = field.firstIndex(of: UInt8(ascii: "\""), in: start + 1..<end)
    else { return nil }
    // etagc has no escapes: a backslash stands for itself, and neither a space nor a control character may be there.
    for index in start + 1..<close where field[index] <= 0x20 || field[index] == 0x7F { return nil }
    position = close + 1
    var opaque: [UInt8] = []
    opaque.append(start + 1..<close, of: field)
    return ETag(opaque: opaque, isWeak: isWeak)
  }
}
