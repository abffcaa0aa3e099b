internal import JSON

/// Compiles the `json` of a request: any structure, with placeholders in its texts and places for paging.
struct JSONCompiler {
  let table: ParameterTable
  let decoding: Decoding

  /// A place of paging on its way down: what is left of its pointer.
  private struct Target {
    let index: Int
    let rest: ArraySlice<String>
  }

  /// - Parameter node: nil where the request has no JSON but paging places something in it: an empty object.
  /// - Returns: nil and faults where it cannot be.
  func compile(_ node: ConfigurationNode?, places: [Pointer], _ path: String, at mark: Mark) -> JSONTemplate?
  {
    let before = decoding.faults.count
    let root = node ?? ConfigurationNode(.mapping([]), at: mark)
    let targets = places.enumerated().map { Target(index: $0, rest: $1.tokens.map($1.name(of:))[...]) }
    let steps = Self.simplified(value(root, path, targets), after: nil)
    return decoding.faults.count == before ? JSONTemplate(steps: steps, places: places) : nil
  }

  private func value(_ node: ConfigurationNode, _ path: String, _ targets: [Target]) -> [JSONTemplate.Step] {
    switch node.content {
    case .mapping(let members):
      if table.isUnquotedPlaceholder(node, path, in: decoding) { return [] }
      return object(members, path, targets, at: node.mark)
    case .sequence(let elements): return array(elements, path, targets, at: node.mark)
    case .scalar(let scalar):
      guard targets.isEmpty else {
        decoding.fault(node.mark, path, "paging places a value inside this, so it has to be a mapping")
        return []
      }
      return self.scalar(scalar, node, path)
    }
  }

  private func object(
    _ members: [ConfigurationNode.Member], _ path: String, _ targets: [Target], at mark: Mark
  ) -> [JSONTemplate.Step] {
    var steps: [JSONTemplate.Step] = [.literal(Array("{".utf8))]
    for member in members {
      let key = JSONText.quoted(member.key) + Array(":".utf8)
      steps += self.member(
        key, member.value, "\(path).\(member.key)", targets.filter { $0.rest.first == member.key },
        at: member.mark)
    }
    let known = Set(members.map(\.key))
    var made: Set<String> = []
    for case let name? in targets.map(\.rest.first) where !known.contains(name) && made.insert(name).inserted
    {
      let inner = targets.filter { $0.rest.first == name }
      steps += self.member(JSONText.quoted(name) + Array(":".utf8), nil, "\(path).\(name)", inner, at: mark)
    }
    return steps + [.literal(Array("}".utf8))]
  }

  private func array(
    _ elements: [ConfigurationNode], _ path: String, _ targets: [Target], at mark: Mark
  ) -> [JSONTemplate.Step] {
    var steps: [JSONTemplate.Step] = [.literal(Array("[".utf8))]
    for (position, element) in elements.enumerated() {
      steps += member(
        [], element, "\(path)[\(position)]", targets.filter { $0.rest.first == "\(position)" },
        at: element.mark)
    }
    let known = elements.indices.map { "\($0)" }
    for case let name? in targets.map(\.rest.first) where !known.contains(name) {
      decoding.fault(
        mark, path, "paging places a value at \(Quoted(name)) of this list, which has no such element")
    }
    return steps + [.literal(Array("]".utf8))]
  }

  /// - Parameter key: the key and its colon; empty for an element.
  /// - Parameter node: nil where only paging puts something here.
  private func member(
    _ key: [UInt8], _ node: ConfigurationNode?, _ path: String, _ targets: [Target], at mark: Mark
  ) -> [JSONTemplate.Step] {
    let inner = targets.map { Target(index: $0.index, rest: $0.rest.dropFirst()) }
    guard let last = inner.first(where: \.rest.isEmpty) else {
      return wrapped(key, value(node ?? ConfigurationNode(.mapping([]), at: mark), path, inner))
    }
    if inner.count > 1 { decoding.fault(mark, path, "paging places two values here") }
    let otherwise = node.map { wrapped(key, value($0, path, [])) } ?? []
    return [.place(last.index, before: key, otherwise: otherwise)]
  }

  /// A member with its comma; as a whole left out where a parameter in it may be absent and is.
  private func wrapped(_ key: [UInt8], _ value: [JSONTemplate.Step]) -> [JSONTemplate.Step] {
    let steps = [.separator, .literal(key)] + value
    guard value.count == 1 else { return steps }
    let needed: [Int] =
      switch value[0] {
      case .string(let template): template.parameters
      case .bare(let index): [index]
      case .literal, .separator, .optional, .place: []
      }
    let absent = needed.filter(table.mayBeAbsent)
    return absent.isEmpty ? steps : [.optional(parameters: absent, steps)]
  }

  // MARK: Scalars

  private func scalar(
    _ scalar: ConfigurationNode.Scalar, _ node: ConfigurationNode, _ path: String
  ) -> [JSONTemplate.Step] {
    if scalar.isNull { return [.literal(Array("null".utf8))] }
    guard let text = decoding.resolve(node, path, expected: "a value") else { return [] }
    if text.isPlain, !text.isSubstituted {
      if ["true", "false"].contains(text.text) || Grammar.isNumber(text.text.utf8) {
        return [.literal(Array(text.text.utf8))]
      }
      if let problem = Self.doubt(about: text.text) {
        decoding.fault(node.mark, path, "\(text.shown); \(problem)")
        return []
      }
    }
    guard let pieces = table.pieces(of: text, path, in: decoding, isJSON: true) else { return [] }
    if pieces.count == 1, case .parameter(let index) = pieces[0] {
      switch table.parameters[index]?.kind {
      case .integer, .number, .boolean, .object, .array: return [.bare(parameter: index)]
      case .string, .date, nil: break
      }
    }
    let template = Template(pieces, for: .jsonString)
    return template.parameters.isEmpty
      ? [.literal(JSONText.quoted(pieces.text))] : [.string(template)]
  }

  /// What some readers of YAML take for a number, a boolean or nothing, and JSON does not.
  private static func doubt(about text: String) -> String? {
    switch text.lowercased() {
    case "true", "false", "null":
      return "write \(text.lowercased()), or \"\(text)\" for the text"
    default: break
    }
    return Grammar.isNumberOfYAML(text.utf8)
      ? "that is no number in JSON; write \"\(text)\" for the text" : nil
  }

  // MARK: Steps

  /// Joins literals, and settles the separators of which is known what comes before.
  private static func simplified(_ steps: [JSONTemplate.Step], after before: UInt8?) -> [JSONTemplate.Step] {
    var result: [JSONTemplate.Step] = []
    var last = before
    func add(_ bytes: [UInt8]) {
      guard let end = bytes.last else { return }
      last = end
      if case .literal(let start)? = result.last {
        result[result.count - 1] = .literal(start + bytes)
      } else {
        result.append(.literal(bytes))
      }
    }
    for step in steps {
      switch step {
      case .literal(let bytes): add(bytes)
      case .separator:
        guard let known = last else {
          result.append(.separator)
          continue
        }
        if known != UInt8(ascii: "{"), known != UInt8(ascii: "[") { add([UInt8(ascii: ",")]) }
      case .string, .bare:
        result.append(step)
        last = UInt8(ascii: "\"")
      case .optional(let parameters, let inner):
        result.append(.optional(parameters: parameters, simplified(inner, after: nil)))
        last = nil
      case .place(let index, let key, let otherwise):
        result.append(.place(index, before: key, otherwise: simplified(otherwise, after: nil)))
        last = nil
      }
    }
    return result
  }
}

extension [Template.Piece] {
  /// The text of pieces without parameters.
  var text: String {
    map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }
}

extension ConfigurationNode {
  /// The name in `{name}`, which YAML reads as a mapping of `name` to nothing.
  var unquotedPlaceholder: String? {
    guard case .mapping(let members) = content, members.count == 1,
      case .scalar(let scalar) = members[0].value.content,
      scalar.isNull
    else { return nil }
    return members[0].key
  }
}
