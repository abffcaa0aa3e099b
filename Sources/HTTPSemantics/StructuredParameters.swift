// The pieces of a structured field (RFC 9651 §4.1) that this program writes: a token, and parameters after it.

extension [UInt8] {
  mutating func append(parameter key: StaticString) {
    append(constant: "; ")
    append(constant: key)
  }

  mutating func append(parameter key: StaticString, token: StaticString) {
    append(parameter: key)
    append(UInt8(ascii: "="))
    append(constant: token)
  }

  /// An integer has at most fifteen digits.
  mutating func append(parameter key: StaticString, integer: Int) {
    append(parameter: key)
    append(UInt8(ascii: "="))
    append(decimal: Swift.min(Swift.max(integer, -999_999_999_999_999), 999_999_999_999_999))
  }

  /// A string holds printable ASCII only: any other character becomes `?`.
  mutating func append(parameter key: StaticString, string: String) {
    append(parameter: key)
    append(constant: "=\"")
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        append(UInt8(ascii: "\\"))
        append(UInt8(ascii: scalar))
      case " "..."~": append(UInt8(ascii: scalar))
      default: append(UInt8(ascii: "?"))
      }
    }
    append(UInt8(ascii: "\""))
  }
}
