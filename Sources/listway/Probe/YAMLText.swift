/// Texts as a configuration holds them.
enum YAMLText {
  /// A text that is read as itself: bare where nothing could mistake it, else in quotation marks.
  static func scalar(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

  /// The same for places where `{name}` would be a parameter and `${NAME}` a variable.
  static func literal(_ text: String) -> String { scalar(escaped(text)) }

  /// `{name}` doubled and `${` behind another `$`, so that both stand for themselves.
  static func escaped(_ text: String) -> String {
    var output = ""
    var rest = Substring(text)
    while let character = rest.first {
      if rest.hasPrefix("${") {
        output += "$${"
        rest = rest.dropFirst(2)
      } else if character == "{", let name = placeholder(rest) {
        output += "{{\(name)}}"
        rest = rest.dropFirst(name.count + 2)
      } else {
        output.append(character)
        rest = rest.dropFirst()
      }
    }
    return output
  }

  /// What is a parameter's name in braces at the start of `text`.
  private static func placeholder(_ text: Substring) -> String? {
    let name = text.dropFirst().prefix {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")
    }
    guard let first = name.first, first.isLetter || first == "_", text.dropFirst(name.count + 1).first == "}"
    else {
      return nil
    }
    return String(name)
  }

  private static let words: Set<String> = [
    "true", "false", "null", "yes", "no", "on", "off", "y", "n", "key", "none", "file",
  ]

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "_") || isLetter(first)
    else { return false }
    return !words.contains(text.lowercased())
      && text.utf8.allSatisfy { isLetter($0) || $0 &- 0x30 < 10 || "/_-.".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// In double quotation marks (YAML 1.2.2 §7.3.1), which is JSON's form.
  static func quoted(_ text: String) -> String {
    var output = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\t": output += "\\t"
      case "\r": output += "\\r"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }
}
