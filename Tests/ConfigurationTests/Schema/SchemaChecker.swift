import Configuration

/// Checks a file's tree against the committed schema: the keywords of JSON Schema 2020-12 that it uses, and no more.
struct SchemaChecker {
  let root: ConfigurationNode

  /// What is wrong, each with its place; empty where nothing is.
  func complaints(about node: ConfigurationNode) -> [String] { check(node, root, "") }

  private func check(_ node: ConfigurationNode, _ schema: ConfigurationNode, _ path: String) -> [String] {
    guard case .mapping(let keywords) = schema.content else { return ["\(path): no schema"] }
    var complaints: [String] = []
    for keyword in keywords {
      let value = keyword.value
      switch keyword.key {
      case "$schema", "$defs", "title", "description": continue
      case "$ref":
        guard let name = value.text?.split(separator: "/").last, let target = root["$defs"]?[String(name)]
        else {
          return ["\(path): \(value.text ?? "") is not there"]
        }
        complaints += check(node, target, path)
      case "type":
        let types = value.elements ?? [value]
        if !types.contains(where: { node.isType($0.text ?? "") }) { complaints.append("\(path): type") }
      case "enum":
        if !(value.elements ?? []).contains(where: { $0.isSame(as: node) }) {
          complaints.append("\(path): enum")
        }
      case "const": if !value.isSame(as: node) { complaints.append("\(path): const") }
      case "minimum":
        if let number = node.number, number < value.number ?? 0 { complaints.append("\(path): minimum") }
      case "maximum":
        if let number = node.number, number > value.number ?? 0 { complaints.append("\(path): maximum") }
      case "pattern":
        guard let text = node.text, let pattern = try? Regex(value.text ?? "") else { continue }
        if text.firstMatch(of: pattern) == nil { complaints.append("\(path): pattern") }
      case "minItems":
        if let count = node.elements?.count, Double(count) < value.number ?? 0 {
          complaints.append("\(path): few")
        }
      case "maxItems":
        if let count = node.elements?.count, Double(count) > value.number ?? 0 {
          complaints.append("\(path): many")
        }
      case "minProperties":
        if let count = node.members?.count, Double(count) < value.number ?? 0 {
          complaints.append("\(path): few")
        }
      case "items":
        for (index, element) in (node.elements ?? []).enumerated() {
          complaints += check(element, value, "\(path)[\(index)]")
        }
      case "required":
        guard node.members != nil else { continue }
        for name in (value.elements ?? []).compactMap(\.text) where node[name] == nil {
          complaints.append("\(path): \(name) is missing")
        }
      case "propertyNames":
        for member in node.members ?? [] {
          let key = ConfigurationNode(.scalar(.init(text: member.key, isPlain: false)), at: member.mark)
          complaints += check(key, value, "\(path).\(member.key)")
        }
      case "properties":
        for member in node.members ?? [] {
          if let inner = value[member.key] {
            complaints += check(member.value, inner, "\(path).\(member.key)")
          }
        }
      case "additionalProperties":
        for member in node.members ?? [] where schema["properties"]?[member.key] == nil {
          if value.text == "false" {
            complaints.append("\(path): \(member.key) is unknown")
          } else {
            complaints += check(member.value, value, "\(path).\(member.key)")
          }
        }
      case "anyOf", "oneOf":
        let found = (value.elements ?? []).map { check(node, $0, path) }
        let passing = found.count { $0.isEmpty }
        if passing == 0 { complaints.append("\(path): none of \(keyword.key)") }
        if passing > 1, keyword.key == "oneOf" { complaints.append("\(path): several of oneOf") }
      default: complaints.append("\(path): the checker does not know \(keyword.key)")
      }
    }
    return complaints
  }
}

extension ConfigurationNode {
  var text: String? { if case .scalar(let scalar) = content { scalar.text } else { nil } }
  var elements: [ConfigurationNode]? { if case .sequence(let elements) = content { elements } else { nil } }
  var members: [Member]? { if case .mapping(let members) = content { members } else { nil } }

  fileprivate var isPlain: Bool { if case .scalar(let scalar) = content { scalar.isPlain } else { false } }
  fileprivate var isNull: Bool { if case .scalar(let scalar) = content { scalar.isNull } else { false } }
  fileprivate var number: Double? { isPlain ? text.flatMap(Double.init) : nil }

  fileprivate func isType(_ name: String) -> Bool {
    switch name {
    case "object": members != nil
    case "array": elements != nil
    case "null": isNull
    case "boolean": isPlain && (text == "true" || text == "false")
    case "number": number != nil
    case "integer": isPlain && text.flatMap(Int.init) != nil
    case "string": text != nil && !isNull && number == nil && !isType("boolean")
    default: false
    }
  }

  fileprivate func isSame(as other: ConfigurationNode) -> Bool {
    text == other.text && (number == nil) == (other.number == nil)
  }
}
