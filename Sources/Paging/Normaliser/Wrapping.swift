import JSON

/// What some servers put around JSON: a JSONP call, or a prefix that keeps it from being run as a script.
///
///     ;cb({"list":[]});      )]}'\n[1,2]      while(1);{"a":1}      /**/ cb([]) ;
enum Wrapping {
  private static let guards = [")]}',", ")]}'", "while(1);", "for(;;);", "{}&&"]

  /// Where the JSON is; nil where nothing known is around it. Whether it is JSON is not looked at.
  static func content(of body: Bytes) -> Range<Int>? {
    var scan = Scan(bytes: body[0..<body.count])
    scan.skipNoise()
    for text in guards where scan.skip(text) { return scan.position..<body.count }
    guard scan.skipName() else { return nil }
    scan.skipNoise()
    guard scan.skip("(") else { return nil }
    return scan.closing().map { scan.position..<$0 }
  }

  private struct Scan {
    let bytes: [UInt8]
    var position = 0

    private func byte(at index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// White space, a byte order mark, semicolons and comments.
    mutating func skipNoise() {
      while position < bytes.count {
        switch byte(at: position) {
        case 0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF, UInt8(ascii: ";"): position += 1
        case UInt8(ascii: "/") where byte(at: position + 1) == UInt8(ascii: "*"):
          position += 2
          while position < bytes.count,
            byte(at: position) != UInt8(ascii: "*") || byte(at: position + 1) != UInt8(ascii: "/")
          {
            position += 1
          }
          position = min(position + 2, bytes.count)
        default: return
        }
      }
    }

    mutating func skip(_ text: String) -> Bool {
      guard bytes[position...].starts(with: text.utf8) else { return false }
      position += text.utf8.count
      return true
    }

    /// The name of a function: `cb`, `a.b$c`, `cbs[0]`.
    mutating func skipName() -> Bool {
      let start = position
      while position - start < 256 {
        let byte = byte(at: position)
        let isLetter = (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        let isLater =
          byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[")
          || byte == UInt8(ascii: "]")
        guard isLetter || (isLater && position > start) else { break }
        position += 1
      }
      return position > start
    }

    /// Where the call's closing bracket is: the last byte but white space and semicolons.
    func closing() -> Int? {
      var end = bytes.count
      while end > position, byte(at: end - 1) <= 0x20 || byte(at: end - 1) == UInt8(ascii: ";") { end -= 1 }
      return end > position && byte(at: end - 1) == UInt8(ascii: ")") ? end - 1 : nil
    }
  }
}
