/// Percent-encoding (RFC 3986 §2.1) and the form encoding of queries (`application/x-www-form-urlencoded`).
package enum PercentEncoding {
  /// Where encoded text goes, which decides what may stay as it is.
  package enum Place: Sendable {
    /// One path segment: `pchar` without the sub-delimiters that some servers give a meaning (`;` and `=`).
    case segment
    /// A name or value in a query: what no server can mistake for a separator.
    case query
    /// A name or value in a form body: the same, and a space becomes `+`.
    case form

    fileprivate var plain: ByteSet {
      switch self {
      case .segment: Self.plainInSegment
      case .query: ByteSet.unreserved
      case .form: Self.plainInForm
      }
    }

    private static let plainInSegment = ByteSet.unreserved.union(ByteSet("!$&'()*,:@"))
    private static let plainInForm = ByteSet.alphanumeric.union(ByteSet("-._*"))
  }

  /// Appends `bytes`, encoded for `place`. Every input has an encoding.
  package static func encode(_ bytes: Span<UInt8>, for place: Place, into output: inout [UInt8]) {
    let plain = place.plain
    let isForm = if case .form = place { true } else { false }
    output.reserveCapacity(output.count + bytes.count)
    var runStart = 0
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if plain.contains(byte) { continue }
      output.append(runStart..<index, of: bytes)
      runStart = index + 1
      if isForm, byte == 0x20 { output.append(UInt8(ascii: "+")) } else { appendEscape(byte, to: &output) }
    }
    output.append(runStart..<bytes.count, of: bytes)
  }

  package static func encode(_ text: String, for place: Place, into output: inout [UInt8]) {
    encode(text.utf8Span.span, for: place, into: &output)
  }

  package static func encode(_ text: String, for place: Place) -> String {
    var output: [UInt8] = []
    encode(text.utf8Span.span, for: place, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Appends what `range` of `bytes` stands for; `+` becomes a space where `plusIsSpace`.
  ///
  /// - Returns: false when a `%` is not followed by two hexadecimal digits; `output` may then have grown.
  package static func decode(
    _ bytes: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool, into output: inout [UInt8]
  ) -> Bool {
    var runStart = range.lowerBound
    var index = runStart
    while index < range.upperBound {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, let high = bytes[index + 1].hexValue,
          let low = bytes[index + 2].hexValue
        else { return false }
        output.append(runStart..<index, of: bytes)
        output.append(high << 4 | low)
        index += 3
        runStart = index
      } else if plusIsSpace, byte == UInt8(ascii: "+") {
        output.append(runStart..<index, of: bytes)
        output.append(0x20)
        index += 1
        runStart = index
      } else {
        index += 1
      }
    }
    output.append(runStart..<range.upperBound, of: bytes)
    return true
  }

  static func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "%"))
    output.append(hexDigit(byte >> 4))
    output.append(hexDigit(byte & 15))
  }

  private static func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? 0x30 &+ nibble : 0x37 &+ nibble
  }
}
