internal import JSON

extension Configuration.ScreenSection {
  static var keys: [Schema.Key] {
    [
      Schema.Key("list", .text(.field), "The list that it is a slice of."),
      Schema.Key("call", .text(.field), "Or the call, one by GET, whose answer it is."),
      Schema.Key(
        "with", .named(.parameter, .either([.scalar, .mapping(valueKeys)])),
        "Values for the parameters of that: a value; \"{parameter}\" of the screen; or SECTION/0/id, what stands there in "
          + "the body of another section's answer."),
      Schema.Key("limit", .integer(1...10_000), "Items of a list. Default: the list's own."),
      Schema.Key("required", .boolean, "Whether the screen fails where this section does. Default: false."),
    ]
  }

  fileprivate static var valueKeys: [Schema.Key] {
    [
      Schema.Key(
        "value", .scalar, isRequired: true, "A value as it is, even where it looks like SECTION/0/id.")
    ]
  }
}

/// Reads the sections of one screen.
struct ScreenSectionReader {
  /// Of all sections, in order.
  let names: [String]
  /// What the file says of each.
  let nodes: [ConfigurationNode]
  /// The screen's parameters.
  let table: ParameterTable
  let sources: ScreenSources

  /// What a section's parameters are those of.
  private struct Target {
    let source: Configuration.ScreenSection.Source
    let name: String
    let parameters: [Parameter]
  }

  func decode(_ section: Section, name: String) -> Configuration.ScreenSection? {
    let before = section.decoding.faults.count
    let target = target(section)
    let given = section.named("with")
    let isRequired = section.boolean("required") ?? false
    let limit = section.integer("limit")
    if section.has("limit"), let target {
      switch target.source {
      case .list(let index):
        if let limit, limit > sources.lists[index].maxLimit {
          section.fault(
            "limit", "limit \(limit) is above the list's maxLimit \(sources.lists[index].maxLimit)")
        }
      case .call: section.fault("limit", "only a list has a limit")
      }
    }
    section.end()
    guard let target else { return nil }
    var arguments = Array(
      repeating: Configuration.ScreenSection.Argument.none, count: target.parameters.count)
    for entry in given {
      guard let index = target.parameters.firstIndex(where: { $0.name == entry.name && $0.claim == nil })
      else {
        let all = target.parameters.filter { $0.claim == nil }.map(\.name)
        let known = all.isEmpty ? "it has none" : "it has \(all.joined(separator: ", "))"
        section.decoding.fault(
          entry.mark, section.path("with"),
          "\(entry.name) is no parameter of \(target.name); \(known)"
            + suggestion(Nearest.word(to: entry.name, of: all)))
        continue
      }
      if let argument = argument(
        entry.node, entry.path, for: target.parameters[index], name, section.decoding)
      {
        arguments[index] = argument
      }
    }
    for (index, parameter) in target.parameters.enumerated()
    where parameter.isRequired && parameter.claim == nil {
      if case .none = arguments[index], !given.contains(where: { $0.name == parameter.name }) {
        section.fault("with", "\(target.name) requires \(parameter.name), which is missing")
      }
    }
    guard section.decoding.faults.count == before else { return nil }
    return Configuration.ScreenSection(
      name: name, source: target.source, arguments: arguments, limit: limit, isRequired: isRequired)
  }

  // MARK: Lists and calls

  private func target(_ section: Section) -> Target? {
    let list = section.text("list", expected: "the name of a list")
    let call = section.text("call", expected: "the name of a call")
    if section.has("list"), section.has("call") {
      section.fault("call", "a section is a list or a call, and a list is given already")
      return nil
    }
    if let list {
      guard sources.listNames.contains(list.text) else {
        unknown(list, "list", among: sources.listNames, section)
        return nil
      }
      guard let index = sources.lists.firstIndex(where: { $0.name == list.text }) else { return nil }
      return Target(source: .list(index), name: list.text, parameters: sources.lists[index].parameters)
    }
    if let call {
      guard sources.callNames.contains(call.text) else {
        unknown(call, "call", among: sources.callNames, section)
        return nil
      }
      guard let index = sources.calls.firstIndex(where: { $0.name == call.text }) else { return nil }
      if sources.calls[index].method == .post {
        section.fault("call", "\(call.text) is made by POST, and a screen only reads")
        return nil
      }
      return Target(source: .call(index), name: call.text, parameters: sources.calls[index].parameters)
    }
    if section.isPresent, !section.has("list"), !section.has("call") {
      section.decoding.fault(section.mark, section.path, "the key \"list\" or \"call\" is missing")
    }
    return nil
  }

  private func unknown(_ text: ResolvedText, _ key: String, among names: [String], _ section: Section) {
    let declared = names.isEmpty ? "none is declared" : "declared: \(names.joined(separator: ", "))"
    let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: names)
    section.fault(key, "\(text.shown), which is no \(key); \(declared)\(suggestion(nearest))")
  }

  // MARK: Values

  private func argument(
    _ node: ConfigurationNode, _ path: String, for parameter: Parameter, _ name: String, _ decoding: Decoding
  ) -> Configuration.ScreenSection.Argument? {
    if table.isUnquotedPlaceholder(node, path, in: decoding) { return nil }
    if case .mapping = node.content {
      let section = Section(
        node, path, keys: Configuration.ScreenSection.valueKeys, in: decoding, at: node.mark)
      let value = section.node("value")
      section.end()
      return value.flatMap { parameter.value(of: $0, section.path("value"), decoding) }.map { .value($0) }
    }
    guard let text = decoding.resolve(node, path, expected: "a value"),
      let pieces = table.pieces(of: text, path, in: decoding, isJSON: true)
    else { return nil }
    if pieces.contains(where: { if case .parameter = $0 { true } else { false } }) {
      return self.text(pieces, text, path, for: parameter, decoding)
    }
    if !text.isOutside, text.text.contains("/") {
      return found(text, path, name, decoding)
    }
    return parameter.value(of: node, path, decoding).map { .value($0) }
  }

  /// A text with parameters of the screen in it.
  private func text(
    _ pieces: [Template.Piece], _ text: ResolvedText, _ path: String, for parameter: Parameter,
    _ decoding: Decoding
  ) -> Configuration.ScreenSection.Argument? {
    for case .parameter(let index) in pieces {
      guard let given = table.parameters[index] else { return nil }
      if parameter.isRequired, table.mayBeAbsent(index) {
        decoding.fault(
          text.mark, path,
          "\(parameter.name) is required, and {\(given.name)} may be absent; make it required too, or give it a default"
        )
        return nil
      }
      if pieces.count == 1, given.kind != parameter.kind, parameter.kind != .string {
        decoding.fault(
          text.mark, path,
          "{\(given.name)} is \(given.kind.withArticle), and \(parameter.name) is \(parameter.kind.withArticle)"
        )
        return nil
      }
    }
    return .text(pieces)
  }

  /// What stands in another section's answer.
  private func found(
    _ text: ResolvedText, _ path: String, _ name: String, _ decoding: Decoding
  ) -> Configuration.ScreenSection.Argument? {
    let slash = text.text.firstIndex(of: "/") ?? text.text.endIndex
    let head = String(text.text[..<slash])
    func fault(_ message: String) -> Configuration.ScreenSection.Argument? {
      decoding.fault(text.mark, path, "\(text.shown); \(message)")
      return nil
    }
    guard let section = names.firstIndex(of: head) else {
      let others = names.filter { $0 != name }
      return fault(
        "\(Quoted(head)) is no section of this screen; there are \(others.joined(separator: ", ")) (a value with a slash "
          + "in it is written {value: …})" + suggestion(Nearest.word(to: head, of: others)))
    }
    if head == name { return fault("a section cannot need itself") }
    guard let pointer = try? Pointer(String(text.text[slash...])) else {
      return fault("\(Schema.TextKind.pointer.rawValue) is expected behind the section's name")
    }
    if nodes[section]["list"] != nil, pointer.tokens.first?.index == nil {
      return fault("a list's body is an array, so a row's number is expected first, as in \(head)/0/id")
    }
    return .found(section: section, pointer: pointer)
  }
}
