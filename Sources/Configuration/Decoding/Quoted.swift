/// Text from a file, to be shown in an error: in quotation marks, on one line, shortened.
package struct Quoted: CustomStringConvertible {
  private let text: String

  package init(_ text: String) { self.text = text }

  package var description: String {
    var shown = "\""
    for (position, scalar) in text.unicodeScalars.enumerated() {
      if position == 60 { return shown + "…\"" }
      switch scalar {
      case "\n": shown += "\\n"
      case "\r": shown += "\\r"
      case "\t": shown += "\\t"
      case "\"": shown += "\\\""
      case "\\": shown += "\\\\"
      default:
        shown += scalar.properties.isPrintable ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return shown + "\""
  }
}

extension Unicode.Scalar.Properties {
  /// Neither a control nor a format character: nothing that moves the cursor of a terminal or turns its text around.
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
    default: true
    }
  }
}
