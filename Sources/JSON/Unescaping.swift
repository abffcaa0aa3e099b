/// Lends the text that `raw`, the inside of a valid JSON string, stands for.
func withUnescaped<R, E: Error>(
  _ raw: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(E) -> R
) throws(E) -> R {
  // No escape is shorter than what it stands for: six bytes for at most three, twelve for four, two for one.
  let text = UnsafeMutableRawBufferPointer.allocate(byteCount: raw.count, alignment: 1)
  defer { unsafe text.deallocate() }
  let count = unsafe unescape(raw, into: text)
  return try unsafe body(UnsafeRawBufferPointer(rebasing: text[..<count]))
}

/// Writes the text that `raw` stands for (RFC 8259 §7) into `text`, which is as long, and returns the text's length.
///
/// Half a surrogate pair becomes U+FFFD, as in RFC 8259 §8.2's "unpredictable" the most usual choice.
private func unescape(_ raw: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) -> Int {
  var count = 0
  var position = 0

  func put(_ byte: UInt8) {
    unsafe text[count] = byte
    count += 1
  }

  while position < raw.count {
    let byte = unsafe raw[position]
    position += 1
    guard byte == UInt8(ascii: "\\") else {
      put(byte)
      continue
    }
    let escape = unsafe raw[position]
    position += 1
    switch escape {
    case UInt8(ascii: "b"): put(0x08)
    case UInt8(ascii: "f"): put(0x0C)
    case UInt8(ascii: "n"): put(0x0A)
    case UInt8(ascii: "r"): put(0x0D)
    case UInt8(ascii: "t"): put(0x09)
    case UInt8(ascii: "u"):
      var unit = unsafe codeUnit(raw, at: position)
      position += 4
      if unit & 0xFC00 == 0xD800, unsafe position + 6 <= raw.count && raw[position] == UInt8(ascii: "\\"),
        unsafe raw[position + 1] == UInt8(ascii: "u"),
        case let low = unsafe codeUnit(raw, at: position + 2), low & 0xFC00 == 0xDC00
      {
        unit = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF)
        position += 6
      }
      for byte in UTF8.encode(Unicode.Scalar(unit) ?? "\u{FFFD}")! { put(byte) }
    default: put(escape)
    }
  }
  return count
}

/// The value of four hexadecimal digits.
private func codeUnit(_ raw: UnsafeRawBufferPointer, at start: Int) -> UInt32 {
  var unit: UInt32 = 0
  for position in start..<start + 4 {
    let digit = unsafe raw[position]
    // A letter of either case has its value in the low four bits, less nine.
    unit = unit << 4 + UInt32(digit & 0x0F) + (digit >= UInt8(ascii: "A") ? 9 : 0)
  }
  return unit
}
