// What RFC 9110 §5.6 says about single bytes. Mostly internal: other modules see whole fields, not their letters.

/// A set of ASCII bytes as two words: membership costs one shift, and no table is loaded.
package struct ByteSet: Sendable {
  private let low: UInt64
  private let high: UInt64

  /// - Parameter text: the members; every one is ASCII.
  package init(_ text: StaticString) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    for position in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[position]
      precondition(byte < 128, "a ByteSet holds ASCII only")
      if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
    }
    self.low = low
    self.high = high
  }

  private init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  package func union(_ other: ByteSet) -> ByteSet {
    ByteSet(low: low | other.low, high: high | other.high)
  }

  package func contains(_ byte: UInt8) -> Bool {
    if byte < 64 { return low >> UInt64(byte) & 1 != 0 }
    return byte < 128 && high >> UInt64(byte - 64) & 1 != 0
  }

  static let alphanumeric = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
  /// `unreserved`, RFC 3986 §2.3.
  static let unreserved = alphanumeric.union(ByteSet("-._~"))
  /// `tchar`, RFC 9110 §5.6.2.
  package static let token = alphanumeric.union(ByteSet("!#$%&'*+-.^_`|~"))
}

extension UInt8 {
  var isDigit: Bool { self &- 0x30 < 10 }
  var isAlpha: Bool { (self | 0x20) &- 0x61 < 26 }
  /// Optional white space: SP or HTAB.
  var isOWS: Bool { self == 0x20 || self == 0x09 }
  var isToken: Bool { ByteSet.token.contains(self) }
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The value of a hexadecimal digit in either case, or nil.
  var hexValue: UInt8? {
    if isDigit { return self &- 0x30 }
    let letter = self | 0x20
    return letter &- 0x61 < 6 ? letter &- 0x57 : nil
  }
}

extension Span<UInt8> {
  /// The range without optional white space at either end.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var start = range.lowerBound
    var end = range.upperBound
    while start < end, self[start].isOWS { start += 1 }
    while start < end, self[end - 1].isOWS { end -= 1 }
    return start..<end
  }

  /// Whether `range` spells `text`, letters compared without case. `text` is written in lower case.
  package func matches(_ text: StaticString, in range: Range<Int>) -> Bool {
    guard range.count == text.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count
    where unsafe self[range.lowerBound + offset].lowercased != text.utf8Start[offset] {
      return false
    }
    return true
  }

  /// The first position in `range` that holds `byte`.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range lies in the span")
    var index = range.lowerBound
    while index < range.upperBound {
      if unsafe self[unchecked: index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Whether there is a byte below 0x20: eight at a time, since nearly always there is none.
  func hasControl(in range: Range<Int>) -> Bool {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range lies in the span")
    var index = range.lowerBound
    while index + 8 <= range.upperBound {
      let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      // Of each byte: the top bit is set by the subtraction only where the byte is below 0x20.
      if (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      index += 8
    }
    while index < range.upperBound {
      if self[index] < 0x20 { return true }
      index += 1
    }
    return false
  }

  /// Skips a quoted string (RFC 9110 §5.6.4) that starts at `start`; returns what follows its closing quote, or nil
  /// when it never closes before `end`.
  func endOfQuotedString(from start: Int, to end: Int) -> Int? {
    var index = start + 1
    while index < end {
      switch self[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return nil
  }

  /// A whole range read as a decimal number; nil when it is empty or holds anything but digits. A number too large
  /// for the field is taken as `ceiling`, as RFC 9111 §1.2.2 asks of delta-seconds.
  package func decimal(in range: Range<Int>, ceiling: Int = Int(Int32.max)) -> Int? {
    guard !range.isEmpty else { return nil }
    var value = 0
    for index in range {
      guard self[index].isDigit else { return nil }
      value = Swift.min(value * 10 + Int(self[index] &- 0x30), ceiling)
    }
    return value
  }
}

extension [UInt8] {
  /// Appends the bytes of a range of `span`.
  mutating func append(_ range: Range<Int>, of span: Span<UInt8>) {
    unsafe span.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends the bytes of a constant.
  mutating func append(constant text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a whole number in decimal.
  mutating func append(decimal value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    // From the first digit on: to turn digits around in place copies the whole array.
    var unit: UInt = 1
    while magnitude / unit >= 10 { unit *= 10 }
    while unit > 0 {
      append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude / unit % 10))
      unit /= 10
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes spell `text` exactly. For routes and parameter names: nothing is allocated.
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for offset in 0..<count where unsafe self[startIndex + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// The same for a text that is no constant: byte by byte, without Unicode's canonical equivalence.
  package func equals(text: String) -> Bool {
    let other = text.utf8Span.span
    guard count == other.count else { return false }
    for offset in 0..<count where self[startIndex + offset] != other[offset] { return false }
    return true
  }

  /// The bytes as text; what is not UTF-8 becomes U+FFFD.
  package var text: String { String(decoding: self, as: UTF8.self) }
}
