/// Base64 with the URL-safe alphabet, without padding (RFC 4648 §5).
///
/// Decoding is strict: one text for one byte string. A stray bit, padding, white space or a letter of the other
/// alphabet is refused, so that no two cursors differ and mean the same.
package enum Base64URL {
  /// The number of letters that `byteCount` bytes make.
  package static func encodedCount(_ byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

  /// Appends the letters of `bytes`.
  package static func encode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    var position = output.count
    output.append(contentsOf: repeatElement(0, count: encodedCount(bytes.count)))
    var letters = output.mutableSpan
    var index = 0
    while index + 3 <= bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      letters[position] = letter(group >> 18)
      letters[position + 1] = letter(group >> 12)
      letters[position + 2] = letter(group >> 6)
      letters[position + 3] = letter(group)
      index += 3
      position += 4
    }
    guard index < bytes.count else { return }
    let second = index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0
    let group = UInt32(bytes[index]) << 16 | second << 8
    letters[position] = letter(group >> 18)
    letters[position + 1] = letter(group >> 12)
    if index + 1 < bytes.count { letters[position + 2] = letter(group >> 6) }
  }

  /// Appends the bytes that `text` stands for.
  ///
  /// - Returns: false when `text` is not what ``encode(_:into:)`` writes; `output` may then have grown.
  package static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
    guard text.count % 4 != 1 else { return false }
    var position = output.count
    output.append(contentsOf: repeatElement(0, count: text.count * 3 / 4))
    var bytes = output.mutableSpan
    var index = 0
    // Four letters make three bytes. What is no letter has bits beyond the sixth.
    while index + 4 <= text.count {
      let (first, second) = (value(of: text[index]), value(of: text[index + 1]))
      let (third, fourth) = (value(of: text[index + 2]), value(of: text[index + 3]))
      guard first | second | third | fourth < 64 else { return false }
      let group = UInt32(first) << 18 | UInt32(second) << 12 | UInt32(third) << 6 | UInt32(fourth)
      bytes[position] = UInt8(truncatingIfNeeded: group >> 16)
      bytes[position + 1] = UInt8(truncatingIfNeeded: group >> 8)
      bytes[position + 2] = UInt8(truncatingIfNeeded: group)
      index += 4
      position += 3
    }
    var group: UInt32 = 0
    var bitCount: UInt32 = 0
    for index in index..<text.count {
      let value = value(of: text[index])
      guard value < 64 else { return false }
      group = group << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes[position] = UInt8(truncatingIfNeeded: group >> bitCount)
        position += 1
      }
    }
    return group & (1 << bitCount - 1) == 0
  }

  private static let alphabet: StaticString =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

  private static func letter(_ value: UInt32) -> UInt8 {
    unsafe alphabet.utf8Start[Int(value & 63)]
  }

  /// 0 to 63, or 255 for what is no letter of the alphabet.
  private static func value(of letter: UInt8) -> UInt8 {
    switch letter {
    case 0x41...0x5A: letter &- 0x41
    case 0x61...0x7A: letter &- 0x61 &+ 26
    case 0x30...0x39: letter &- 0x30 &+ 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: 255
    }
  }
}
