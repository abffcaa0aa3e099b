/// Where an item belongs among the items of several lists: bytes that are in the order of what they stand for.
///
/// Each part of an order is a byte, 0 for a value and 0xFF for none, so that what has no key comes last whichever way the
/// order goes; behind 0 the value, of which no spelling is the beginning of another. Where a part descends, its value's
/// bytes are inverted.
///
///     time 1970-01-01T00:00:01.5Z    00  80 00 00 00 00 00 00 01  06 00
///     number 12.5                    00  02  80 00 00 00 00 00 00 02  02 03 06 00
///     text "ab"                      00  61 62 00 00
package struct SortKey: Sendable, Hashable {
  package private(set) var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// How much of a key a cursor keeps.
  static let keptByteCount = 32

  /// What is certain of this key by its first bytes, however many are known of it.
  var kept: SortKey {
    bytes.count <= Self.keptByteCount ? self : SortKey(bytes: Array(bytes.prefix(Self.keptByteCount)))
  }

  /// Whether this key comes before another of which only the beginning may be known. Where that is all there is to tell them
  /// apart, it does not.
  func certainlyPrecedes(_ kept: SortKey) -> Bool {
    for index in 0..<min(bytes.count, kept.bytes.count) where bytes[index] != kept.bytes[index] {
      return bytes[index] < kept.bytes[index]
    }
    return false
  }
}

extension SortKey: Comparable {
  package static func < (left: SortKey, right: SortKey) -> Bool {
    for index in 0..<min(left.bytes.count, right.bytes.count) where left.bytes[index] != right.bytes[index] {
      return left.bytes[index] < right.bytes[index]
    }
    return left.bytes.count < right.bytes.count
  }
}
