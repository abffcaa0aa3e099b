internal import Access
extension Configuration.Screen {
  /// The keys of a screen; every other name in it is a section's.
  static var keys: [Schema.Key] {
    [
      Schema.Key("title", .text(.prose), "For the catalogue."),
      Schema.Key("description", .text(.prose), "For the catalogue."),
      Schema.Key(
        "parameters", .named(.parameter, .mapping(Parameter.keys)), "What clients give, beside debug."),
      Schema.Key(
        "timeout", .duration(.milliseconds(1) ... .seconds(600)),
        "By when all sections are answered, or count as failed. Default: 10s."),
    ]
  }

  static func decode(
    all root: Section, lists: [any Configuration.ListOffer], calls: [Configuration.Call]
  ) -> [Configuration.Screen] {
    let sources = ScreenSources(root, lists: lists, calls: calls)
    return root.named("screens").compactMap { entry in
      decode(
        entry.node, name: entry.name, path: entry.path, at: entry.mark, in: root.decoding, from: sources)
    }
  }

  private static func decode(
    _ node: ConfigurationNode, name: String, path: String, at mark: Mark, in decoding: Decoding,
    from sources: ScreenSources
  ) -> Configuration.Screen? {
    let before = decoding.faults.count
    let (own, others) = split(node)
    let section = Section(own, path, keys: keys, in: decoding, at: mark)
    let (title, description) = (section.prose("title"), section.prose("description"))
    let table = Parameter.decode(all: section, of: .screen, .nobodyInParticular)
    let timeout = section.duration("timeout")
    section.end()
    let names = others.map(\.key)
    let reader = ScreenSectionReader(names: names, nodes: others.map(\.value), table: table, sources: sources)
    var sections: [Configuration.ScreenSection] = []
    for member in others {
      guard Grammar.isName(member.key, .entity) else {
        decoding.fault(
          member.mark, path,
          "\(Quoted(member.key)) cannot be a section's name; a name is \(Schema.NameKind.entity.rawValue)")
        continue
      }
      let inner = Section(
        member.value, "\(path).\(member.key)", keys: Configuration.ScreenSection.keys, in: decoding,
        at: member.mark)
      if let section = reader.decode(inner, name: member.key) { sections.append(section) }
    }
    if others.isEmpty, case .mapping = node.content {
      decoding.fault(node.mark, path, "there is no section; give names, each with list or call")
    }
    table.reportUnused("\(path).parameters", by: "its sections", in: decoding)
    guard decoding.faults.count == before else { return nil }
    if let circle = circle(in: sections) {
      let chain = (circle + [circle[0]]).map { sections[$0].name }.joined(separator: " needs ")
      decoding.fault(others[circle[0]].mark, "\(path).\(names[circle[0]])", "\(chain): none can be the first")
      return nil
    }
    return Configuration.Screen(
      name: name, title: title, description: description,
      parameters: table.parameters.compactMap { $0 }, timeout: timeout ?? defaultTimeout,
      sections: sections)
  }

  /// A screen's own members, and those that are its sections.
  private static func split(
    _ node: ConfigurationNode
  ) -> (own: ConfigurationNode, sections: [ConfigurationNode.Member]) {
    guard case .mapping(let members) = node.content else { return (node, []) }
    let names = Set(keys.map(\.name))
    let own = ConfigurationNode(.mapping(members.filter { names.contains($0.key) }), at: node.mark)
    return (own, members.filter { !names.contains($0.key) })
  }

  /// Sections each of which needs the next, and the last the first; nil where there are none.
  private static func circle(in sections: [Configuration.ScreenSection]) -> [Int]? {
    var isDone = Set<Int>()
    func search(_ path: [Int]) -> [Int]? {
      guard let last = path.last, !isDone.contains(last) else { return nil }
      for next in sections[last].dependencies.sorted() {
        if let start = path.firstIndex(of: next) { return Array(path[start...]) }
        if let found = search(path + [next]) { return found }
      }
      isDone.insert(last)
      return nil
    }
    return sections.indices.lazy.compactMap { search([$0]) }.first
  }
}

/// What the sections of screens can be of.
struct ScreenSources {
  let lists: [any Configuration.ListOffer]
  let calls: [Configuration.Call]
  /// Those that are faulty too.
  let listNames: [String]
  let callNames: [String]

  init(_ root: Section, lists: [any Configuration.ListOffer], calls: [Configuration.Call]) {
    self.lists = lists
    self.calls = calls
    listNames = root.node("lists")?.names ?? []
    callNames = root.node("calls")?.names ?? []
  }
}

extension ConfigurationNode {
  fileprivate var names: [String] {
    if case .mapping(let members) = content { members.map(\.key) } else { [] }
  }
}
