/// JSON with its keys in order, written for people.
enum SchemaJSON {
  case text(String)
  case number(String)
  case boolean(Bool)
  case null
  case array([SchemaJSON])
  case object([(String, SchemaJSON)])

  static func texts(_ words: [String]) -> SchemaJSON { .array(words.map { .text($0) }) }
  static func number(_ value: Int) -> SchemaJSON { .number("\(value)") }

  /// Two spaces an indentation; what fits stays on one line.
  func written(indentation: String = "") -> String {
    let line = compact
    if line.utf8.count + indentation.utf8.count <= 100 { return line }
    let inner = indentation + "  "
    switch self {
    case .array(let elements):
      let lines = elements.map { inner + $0.written(indentation: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
    case .object(let members):
      let lines = members.map { "\(inner)\(Self.quoted($0)): \($1.written(indentation: inner))" }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    default: return line
    }
  }

  private var compact: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): number
    case .boolean(let value): value ? "true" : "false"
    case .null: "null"
    case .array(let elements): "[" + elements.map(\.compact).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0)): \($1.compact)" }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
  }
}
