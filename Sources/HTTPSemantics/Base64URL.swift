/// Base64 with the URL-safe alphabet, without padding (RFC 4648 §5).
///
/// Decoding is strict: one text for one byte string. A stray bit, padding, white space or a letter of the other
/// alphabet is refused, so that no two cursors differ and mean the same.
package enum Base64URL {
  /// The number of letters that `byteCount` bytes make.
  package static func encodedCount(_ byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

  /// Appends the letters of `bytes`.
  package static func encode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    output.reserveCapacity(output.count + encodedCount(bytes.count))
    var index = 0
    while index + 3 <= bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
      output.append(letter(group >> 18))
      output.append(letter(group >> 12))
      output.append(letter(group >> 6))
      output.append(letter(group))
      index += 3
    }
    if index + 2 == bytes.count {
      let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
      output.append(letter(group >> 18))
      output.append(letter(group >> 12))
      output.append(letter(group >> 6))
    } else if index + 1 == bytes.count {
      let group = UInt32(bytes[index]) << 16
      output.append(letter(group >> 18))
      output.append(letter(group >> 12))
    }
  }

  /// Appends the bytes that `text` stands for.
  ///
  /// - Returns: false when `text` is not what ``encode(_:into:)`` writes; `output` may then have grown.
  package static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
    guard text.count % 4 != 1 else { return false }
    output.reserveCapacity(output.count + text.count * 3 / 4)
    var group: UInt32 = 0
    var bitCount = 0
    for index in 0..<text.count {
      let value = value(of: text[index])
      guard value < 64 else { return false }
      group = group << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        output.append(UInt8(truncatingIfNeeded: group >> UInt32(bitCount)))
      }
    }
    return group & (1 << UInt32(bitCount) - 1) == 0
  }

  private static func letter(_ value: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: value & 63)
    return switch value {
    case 0..<26: 0x41 &+ value
    case 26..<52: 0x61 &+ (value &- 26)
    case 52..<62: 0x30 &+ (value &- 52)
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
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
