/// Writes JSON strings.
enum JSONText {
  /// Appends UTF-8 `bytes` as the inside of a JSON string: quotation marks, backslashes and control characters escaped,
  /// everything else as it is (RFC 8259 §7).
  static func escape(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
    for index in 0..<bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        output.append(UInt8(ascii: "\\"))
        output.append(byte)
      case 0x0A:
        output.append(UInt8(ascii: "\\"))
        output.append(UInt8(ascii: "n"))
      case 0..<0x20:
        output.append(contentsOf: "\\u00".utf8)
        output.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let low = byte & 0x0F
        output.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
      default: output.append(byte)
      }
    }
  }

  /// `text` with its quotation marks.
  static func quoted(_ text: String) -> [UInt8] {
    var output = [UInt8(ascii: "\"")]
    escape(text.utf8Span.span, into: &output)
    output.append(UInt8(ascii: "\""))
    return output
  }
}
