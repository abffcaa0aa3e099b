import JSON

/// A JSON value in a form that is the same for all spellings of it that mean the same to every reader: white space, the
/// order of members and escapes do not count, and the exponents of 1e-07 and 1E-7 are one. Digits count: 1 is not 1.0.
enum CanonicalJSON {
  /// - Parameter members: those of an object that count; nil for all.
  static func text(_ json: String, members: [String]? = nil) throws -> String {
    let document = try Parser(maximumDepth: 300).parse(Bytes(copying: Array(json.utf8)))
    return text(of: document.root, in: document, members: members)
  }

  /// The elements of an array.
  static func elements(_ json: String) throws -> [String] {
    let document = try Parser(maximumDepth: 300).parse(Bytes(copying: Array(json.utf8)))
    return document.elements(of: document.root).map { text(of: $0, in: document, members: nil) }
  }

  private static func text(of node: Node, in document: Document, members: [String]?) -> String {
    switch document.kind(of: node) {
    case .object:
      let pairs = document.members(of: node)
        .filter { members?.contains($0.key.text) ?? true }
        .map { (quoted($0.key.text), text(of: $0.value, in: document, members: nil)) }
        .sorted { $0.0 < $1.0 }
      return "{" + pairs.map { "\($0.0):\($0.1)" }.joined(separator: ",") + "}"
    case .array:
      let elements = document.elements(of: node).map { text(of: $0, in: document, members: nil) }
      return "[" + elements.joined(separator: ",") + "]"
    case .string: return quoted(document.string(of: node) ?? "")
    case .number: return number(document.numberText(of: node) ?? "")
    case .bool, .null: return document.text(of: node) ?? "null"
    }
  }

  /// Code points as they are: NFC and NFD differ.
  private static func quoted(_ text: String) -> String {
    var writer = Writer(reserving: text.utf8.count + 2)
    writer.string(repairing: Array(text.utf8))
    return String(decoding: writer.finish(), as: UTF8.self)
  }

  private static func number(_ text: String) -> String {
    let parts = text.lowercased().split(separator: "e")
    guard parts.count == 2, let exponent = Int(parts[1].drop { $0 == "+" }) else { return text }
    return "\(parts[0])e\(exponent)"
  }
}
