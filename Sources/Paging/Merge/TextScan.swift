/// Reads short texts byte by byte, no further than to their end. Lives no longer than what it was lent.
@safe struct TextScan {
  private let text: UnsafeRawBufferPointer
  private(set) var index = 0

  init(_ text: UnsafeRawBufferPointer) { unsafe self.text = text }

  var isAtEnd: Bool { unsafe index == text.count }

  /// The next byte; 0 at the end.
  var peek: UInt8 { unsafe index < text.count ? text[index] : 0 }

  /// The byte so many places further on; 0 behind the end.
  func peek(_ distance: Int) -> UInt8 { unsafe index + distance < text.count ? text[index + distance] : 0 }

  /// The value of the next byte, where that is a digit.
  var digit: UInt8? {
    let value = peek &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }

  mutating func skip(_ byte: UInt8) -> Bool {
    guard !isAtEnd, peek == byte else { return false }
    index += 1
    return true
  }

  mutating func takeDigit() -> UInt8? {
    guard let digit else { return nil }
    index += 1
    return digit
  }

  /// A number of exactly so many digits.
  mutating func takeNumber(_ digitCount: Int) -> Int? {
    var number = 0
    for _ in 0..<digitCount {
      guard let digit = takeDigit() else { return nil }
      number = number * 10 + Int(digit)
    }
    return number
  }
}
