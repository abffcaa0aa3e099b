internal import HTTPSemantics

/// What the short texts of a configuration must look like. Everything here is ASCII.
enum Grammar {
  /// The name of an environment variable.
  static func isVariable(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) || first == UInt8(ascii: "_") else { return false }
    return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  }

  static func isName(_ text: String, _ kind: Schema.NameKind) -> Bool {
    guard let first = text.utf8.first else { return false }
    switch kind {
    case .entity:
      return text.utf8.count <= 64 && (isLetter(first) || isDigit(first))
        && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-.".utf8.contains($0) }
    case .parameter:
      return text.utf8.count <= 64 && (isLetter(first) || first == UInt8(ascii: "_"))
        && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-".utf8.contains($0) }
    case .field, .claim: return text.utf8.count <= 256
    case .header: return FieldName(validating: text) != nil
    }
  }

  /// `-?(0|[1-9][0-9]*)`: how JSON writes whole numbers (RFC 8259 §6).
  static func isInteger(_ bytes: some Collection<UInt8>) -> Bool {
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes.dropFirst(0)
    guard let first = digits.first, digits.allSatisfy(isDigit) else { return false }
    return first != UInt8(ascii: "0") || digits.count == 1
  }

  /// A number as JSON writes it (RFC 8259 §6).
  static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    if let mark = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      var exponent = rest[(mark + 1)...]
      if let sign = exponent.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        exponent = exponent.dropFirst()
      }
      guard !exponent.isEmpty, exponent.allSatisfy(isDigit) else { return false }
      rest = rest[..<mark]
    }
    if let point = rest.firstIndex(of: UInt8(ascii: ".")) {
      let fraction = rest[(point + 1)...]
      guard !fraction.isEmpty, fraction.allSatisfy(isDigit) else { return false }
      rest = rest[..<point]
    }
    return isInteger(rest)
  }

  /// What YAML 1.1 or 1.2 readers take for a number and JSON's grammar does not allow: `010`, `0x1F`, `1_000`, `+5`,
  /// `.5`, `.inf`. (YAML 1.2.2 §10.3.2; YAML 1.1 types int and float, without their sexagesimal forms.)
  static func isNumberOfYAML(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      rest = rest.dropFirst()
    }
    let lower = rest.map { $0 | 0x20 }
    if [".inf", ".nan"].contains(where: { lower.elementsEqual($0.utf8.map { $0 | 0x20 }) }) { return true }
    if rest.count > 2, rest.first == UInt8(ascii: "0"), "xob".utf8.contains(lower[1]) {
      return rest.dropFirst(2).allSatisfy {
        isDigit($0) || ($0 | 0x20) &- 0x61 < 6 || $0 == UInt8(ascii: "_")
      }
    }
    if let mark = rest.lastIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      let exponent = rest[(mark + 1)...].drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
      guard !exponent.isEmpty, exponent.allSatisfy(isDigit) else { return false }
      rest = rest[..<mark]
    }
    let isDigits = rest.allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    return isDigits && rest.contains(where: isDigit) && rest.count { $0 == UInt8(ascii: ".") } <= 1
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = byte | 0x20
    return letter &- 0x61 < 6 ? letter &- 0x57 : nil
  }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
