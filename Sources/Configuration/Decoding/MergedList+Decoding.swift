internal import JSON
internal import Paging

/// A merged list as the file has it, before its sources are looked up.
struct MergedDeclaration {
  let name: String
  /// Of the list's name in the file.
  let mark: Mark
  let path: String
  let strategy: MergePlan.Strategy
  let word: String
  let sources: [Source]
  /// Where the order's values are, and how they are compared; empty where there is no order.
  let order: [(by: Place, part: SortOrder.Part)]
  let unique: Place?
  let requiresAll: Bool
  let isTagged: Bool
  let wait: Duration?
  let title: String?
  let description: String?
  let prefetch: Configuration.Prefetch
  let limit: Int
  let maxLimit: Int
  let node: ConfigurationNode

  struct Source {
    let name: String
    let mark: Mark
    let path: String
  }

  /// Where a value is in the items of each source.
  enum Place {
    case everywhere(Pointer)
    case bySource([(name: String, mark: Mark, path: String, pointer: Pointer)])

    func pointer(of source: String) -> Pointer? {
      switch self {
      case .everywhere(let pointer): pointer
      case .bySource(let places): places.first { $0.name == source }?.pointer
      }
    }
  }
}

extension Configuration.MergedList {
  private enum RequireWord: String, CaseIterable { case all }
  private enum TagWord: String, CaseIterable { case source }
  private enum TypeWord: String, CaseIterable { case time, number, string }
  private enum DirectionWord: String, CaseIterable { case ascending, descending }
  private enum UnitWord: String, CaseIterable { case seconds, milliseconds }

  private static let strategies: [(word: String, strategy: MergePlan.Strategy)] = [
    ("merge", .merge), ("concat", .concat), ("interleave", .interleave),
  ]

  private static let sourcesShape = Schema.sequence(.text(.list), count: 2...32)
  private static let placeShape = Schema.either([.text(.pointer), .named(.entity, .text(.pointer))])

  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "merge", sourcesShape, "Lists that are made one by an order, the item that comes first first."),
      Schema.Key("concat", sourcesShape, "Lists that follow one another."),
      Schema.Key("interleave", sourcesShape, "Lists that take turns, an item each."),
      Schema.Key(
        "order", .either([.mapping(orderKeys), .sequence(.mapping(orderKeys), count: 1...8)]),
        "What merged items are put in order by; with several, the later ones count where the earlier are equal. Each source "
          + "is to be in this order already."),
      Schema.Key(
        "unique", placeShape,
        "What identifies an item whichever source has it: it comes once. A pointer for all sources, or one for each by name. "
          + "Default: items of different sources are different."),
      Schema.Key(
        "require", .words(RequireWord.self),
        "all: a slice fails when one source does. Default: it comes without that source's items, which come later."
      ),
      Schema.Key(
        "wait", .duration(waits),
        "How long a source is waited for when others are there. Default: as long as its upstream's timeout says."
      ),
      Schema.Key(
        "tag", .words(TagWord.self),
        "source: each item is wrapped as {\"source\":NAME,\"item\":ITEM}. Default: items are as they are."),
      Schema.Key("title", .text(.prose), "For the catalogue."),
      Schema.Key("description", .text(.prose), "For the catalogue."),
      Schema.Key("prefetch", .mapping(prefetchKeys), "When a client should ask for the next slice."),
    ] + Configuration.List.limitKeys
  }
  private static let waits = Duration.milliseconds(1)...Duration.seconds(600)

  /// Pages are fetched ahead by what the sources say.
  private static var prefetchKeys: [Schema.Key] {
    Configuration.Prefetch.keys.filter { $0.name == "threshold" }
  }

  private static var orderKeys: [Schema.Key] {
    [
      Schema.Key(
        "by", placeShape, isRequired: true,
        "Where the value is in an item: a pointer for all sources, or one for each by name."),
      Schema.Key("type", .words(TypeWord.self), isRequired: true, "How values are compared."),
      Schema.Key("direction", .words(DirectionWord.self), "Which come first. Default: ascending."),
      Schema.Key(
        "zone", .text(.zone),
        "How far times that name no offset are from UTC, for the type time. Default: +00:00."),
      Schema.Key(
        "unit", .words(UnitWord.self),
        "What times that are numbers count since 1970. Default: told by their size."),
    ]
  }

  /// Whether an entry of the file is meant to be a merged list.
  static func isMeant(by node: ConfigurationNode) -> Bool {
    strategies.contains { node[$0.word] != nil }
  }

  static func decode(
    _ section: Section, name: String, mark: Mark, node: ConfigurationNode
  ) -> MergedDeclaration? {
    let before = section.decoding.faults.count
    let given = strategies.filter { section.has($0.word) }
    guard let (word, strategy) = given.first.map({ ($0.word, $0.strategy) }) else { return nil }
    for other in given.dropFirst() {
      section.fault(other.word, "\(word) is given too; one of them is allowed")
    }
    let sources = sources(section, word)
    let names = sources.map(\.name)
    let order = order(section, names)
    if strategy == .merge, !section.has("order") {
      section.decoding.fault(
        section.mark, section.path, "the key \"order\" is missing; what is merged needs one")
    }
    if strategy != .merge, section.has("order") {
      section.fault("order", "order is for merge, and this is \(word)")
    }
    let unique = place(section, "unique", names)
    let requiresAll = section.word("require", RequireWord.self) == .all
    let wait = section.duration("wait")
    if requiresAll, section.has("wait") {
      section.fault("wait", "with require: all every source is waited for; remove one of them")
    }
    let isTagged = section.word("tag", TagWord.self) == .source
    let (title, description) = (section.prose("title"), section.prose("description"))
    let prefetchSection = section.section("prefetch")
    let threshold = prefetchSection.number("threshold")
    prefetchSection.end()
    let limits = Configuration.List.limits(section)
    section.end()
    guard section.decoding.faults.count == before else { return nil }
    return MergedDeclaration(
      name: name, mark: mark, path: section.path, strategy: strategy, word: word, sources: sources,
      order: order,
      unique: unique, requiresAll: requiresAll, isTagged: isTagged, wait: wait, title: title,
      description: description,
      prefetch: Configuration.Prefetch(threshold: threshold ?? Configuration.Prefetch.defaults.threshold),
      limit: limits.limit, maxLimit: limits.maximum, node: node)
  }

  private static func sources(_ section: Section, _ word: String) -> [MergedDeclaration.Source] {
    var sources: [MergedDeclaration.Source] = []
    for (node, path) in section.elements(word) {
      guard let text = section.decoding.resolve(node, path, expected: Schema.TextKind.list.rawValue) else {
        continue
      }
      if sources.contains(where: { $0.name == text.text }) {
        section.decoding.fault(node.mark, path, "\(Quoted(text.text)) is named twice")
      }
      sources.append(.init(name: text.text, mark: node.mark, path: path))
    }
    return sources
  }

  // MARK: The order

  private static func order(
    _ section: Section, _ sources: [String]
  ) -> [(by: MergedDeclaration.Place, part: SortOrder.Part)] {
    guard let node = section.node("order") else { return [] }
    var parts: [(node: ConfigurationNode, path: String)] = [(node, section.path("order"))]
    if case .sequence(let elements) = node.content {
      guard (1...8).contains(elements.count) else {
        section.fault("order", "the list has \(elements.count) elements; 1 to 8 are allowed")
        return []
      }
      parts = elements.enumerated().map { ($1, "\(section.path("order"))[\($0)]") }
    }
    return parts.compactMap { part in
      orderPart(
        Section(part.node, part.path, keys: orderKeys, in: section.decoding, at: part.node.mark), sources)
    }
  }

  private static func orderPart(
    _ section: Section, _ sources: [String]
  ) -> (by: MergedDeclaration.Place, part: SortOrder.Part)? {
    let by = place(section, "by", sources)
    let type = section.word("type", TypeWord.self)
    let direction = section.word("direction", DirectionWord.self) ?? .ascending
    let zone = Window.zone(section)
    let unit = section.word("unit", UnitWord.self)
    if let type, type != .time {
      for key in ["zone", "unit"] where section.has(key) {
        section.fault(key, "\(key) is for the type time, and this is \(type.rawValue)")
      }
    }
    section.end()
    guard let by, let type else { return nil }
    let epoch: EpochUnit =
      switch unit {
      case nil: .judged
      case .seconds: .seconds
      case .milliseconds: .milliseconds
      }
    let kind: SortOrder.Kind =
      switch type {
      case .time: .time(zone: zone, epoch: epoch)
      case .number: .number
      case .string: .text
      }
    return (by, SortOrder.Part(kind, isDescending: direction == .descending))
  }

  private static func place(_ section: Section, _ key: String, _ sources: [String]) -> MergedDeclaration
    .Place?
  {
    guard let node = section.node(key) else { return nil }
    guard case .mapping(let members) = node.content else {
      return section.pointer(node, section.path(key), orElse: ", or a mapping of one for each source,").map {
        .everywhere($0)
      }
    }
    var places: [(name: String, mark: Mark, path: String, pointer: Pointer)] = []
    for member in members {
      let path = "\(section.path(key)).\(member.key)"
      if !sources.contains(member.key) {
        let nearest = Nearest.word(to: member.key, of: sources)
        section.decoding.fault(
          member.mark, section.path(key),
          "\(Quoted(member.key)) is no source of this list; its sources: \(sources.joined(separator: ", "))"
            + suggestion(nearest))
      }
      if let pointer = section.pointer(member.value, path, orElse: "") {
        places.append((member.key, member.mark, path, pointer))
      }
    }
    let missing = sources.filter { source in !members.contains { $0.key == source } }
    if !missing.isEmpty { section.fault(key, "nothing is said of \(missing.joined(separator: ", "))") }
    return .bySource(places)
  }
}
