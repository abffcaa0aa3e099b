/// A walk over the elements of a comma-separated field value (RFC 9110 §5.6.1).
///
/// It holds a position only, so that the bytes stay with their owner: hand the same span to every call.
struct FieldList {
  private var position = 0

  /// The next element without white space around it; empty elements are passed over, and commas inside quoted
  /// strings belong to the element. Nil at the end.
  mutating func next(in value: Span<UInt8>) -> Range<Int>? {
    next(in: value, separator: UInt8(ascii: ","), end: value.count)
  }

  /// The same for parts separated by `separator`, no further than `end`.
  mutating func next(in value: Span<UInt8>, separator: UInt8, end: Int) -> Range<Int>? {
    while position < end {
      let start = position
      while position < end, value[position] != separator {
        if value[position] == UInt8(ascii: "\"") {
          // A quote that never closes swallows the rest: nothing after it can be told apart any more.
          position = value.endOfQuotedString(from: position, to: end) ?? end
        } else {
          position += 1
        }
      }
      let element = value.trimmed(start..<min(position, end))
      position += 1
      if !element.isEmpty { return element }
    }
    return nil
  }

  init(from position: Int = 0) { self.position = position }
}
