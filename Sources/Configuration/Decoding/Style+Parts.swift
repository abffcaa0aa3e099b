internal import HTTPSemantics
internal import Paging

// One reader a style and one for each of their common parts, in the order of `Style`.

extension PageNumber {
  static func decode(_ paging: Section, _ placements: PlacementTable) -> PageNumber? {
    let section = paging.section("page")
    let isBare = section.boolean("bare") ?? false
    let placement = placements.decode(section, isRequired: true, in: isBare ? .later : .every)
    let first = section.integer("first") ?? 1
    section.end()
    let size = PageSize.decode(paging, placements)
    let ending = Ending.decode(paging, default: .counted)
    return placement.map {
      PageNumber(page: $0, first: first, firstIsBare: isBare, size: size, ending: ending)
    }
  }
}

extension Offset {
  static func decode(_ paging: Section, _ placements: PlacementTable) -> Offset? {
    let section = paging.section("offset")
    let placement = placements.decode(section, isRequired: true)
    let first = section.integer("first") ?? 0
    let prefix = section.field("prefix") ?? ""
    section.end()
    let size = PageSize.decode(paging, placements)
    let ending = Ending.decode(paging, default: .counted)
    return placement.map { Offset(offset: $0, first: first, prefix: prefix, size: size, ending: ending) }
  }
}

extension Token {
  private enum Members: String, CaseIterable { case query, form }

  static func decode(_ paging: Section, _ placements: PlacementTable) -> Token? {
    let section = paging.section("token")
    let members = section.word("members", Members.self)
    let first = section.field("first")
    let placement = placements.decode(
      section, isRequired: !section.has("members"), in: first == nil ? .later : .every)
    if placement != nil, section.has("members") {
      section.fault("members", "the token is sent in one place, and another is given already")
    }
    if members != nil, section.has("first") {
      section.fault("first", "a token that is an object has no first text; remove one of first and members")
    }
    let goesAlone = section.boolean("alone") ?? false
    let endsByRepeating = section.boolean("endsByRepeating") ?? false
    let servesOnce = section.boolean("once") ?? false
    section.end()
    let size = PageSize.decode(paging, placements, in: goesAlone ? .first : .every)
    let sending: Sending? =
      switch members {
      case .query: .membersInQuery
      case .form: .membersInForm
      case nil: placement.map { .at($0) }
      }
    return sending.map {
      Token(
        sending: $0, first: first, size: size, goesAlone: goesAlone, endsByRepeating: endsByRepeating,
        servesOnce: servesOnce)
    }
  }
}

extension Keyset {
  static func decode(_ paging: Section, _ placements: PlacementTable) -> Keyset? {
    let section = paging.section("keyset")
    let first = section.field("first")
    let placement = placements.decode(section, isRequired: true, in: first == nil ? .later : .every)
    let key = section.pointer("key")
    let step = section.integer("step") ?? 0
    section.end()
    let size = PageSize.decode(paging, placements)
    let ending = Ending.decode(paging, default: .keyed)
    guard let placement else { return nil }
    return Keyset(sending: placement, key: key, step: step, first: first, size: size, ending: ending)
  }
}

extension ItemRange {
  static func decode(_ paging: Section) -> ItemRange? {
    let section = paging.section("range")
    let field = section.field("header") ?? "Range"
    if FieldName(validating: field) == nil {
      section.fault(
        "header", "\(Quoted(field)) is given; a header field's name is \(Schema.NameKind.header.rawValue)")
    }
    let unit = section.field("unit") ?? "items"
    section.end()
    let size = paging.section("size")
    let value = size.integer("value")
    size.end()
    let ending = Ending.decode(paging, default: .counted)
    return value.map { ItemRange(field: field, unit: unit, size: $0, ending: ending) }
  }
}

extension Connection {
  static func decode(_ paging: Section, _ placements: PlacementTable) -> Connection? {
    let at = paging.pointer("connection")
    let section = paging.section("after")
    let after = placements.decode(section, isRequired: true, in: .later)
    section.end()
    let size = PageSize.decode(paging, placements)
    guard let at, let after else { return nil }
    return Connection(at: at, after: after, size: size)
  }
}

extension PageSize {
  static func decode(
    _ paging: Section, _ placements: PlacementTable, in pages: PlacementTable.Pages = .every
  ) -> PageSize? {
    let section = paging.section("size")
    let placement = placements.decode(section, isRequired: false, in: pages)
    let value = section.integer("value")
    section.end()
    return value.map { PageSize(placement: placement, value: $0) }
  }
}

extension Ending {
  static func keys(default ending: Ending) -> [Schema.Key] {
    let statuses = ending.statuses.isEmpty ? "none" : ending.statuses.map { "\($0)" }.joined(separator: ", ")
    return [
      Schema.Key(
        "shortPage", .boolean,
        "Whether a page with fewer items than its size is the last. Default: \(ending.byShortPage)."),
      Schema.Key(
        "statuses", .sequence(.integer(400...499), count: 0...20),
        "HTTP statuses that mean that the page lies past the last one. Default: \(statuses)."),
    ]
  }

  static func decode(_ paging: Section, default ending: Ending) -> Ending {
    let section = paging.section("end")
    let byShortPage = section.boolean("shortPage") ?? ending.byShortPage
    let statuses = section.has("statuses") ? section.integers("statuses") : ending.statuses
    section.end()
    return Ending(byShortPage: byShortPage, statuses: statuses)
  }
}

extension TrustedHosts {
  static func decode(_ paging: Section, own: String) -> TrustedHosts {
    let aliases = paging.elements("hosts").compactMap { node, path -> String? in
      guard let text = paging.decoding.resolve(node, path, expected: "a host name") else { return nil }
      if BaseURL.isHost(text.text.lowercased()) { return text.text.lowercased() }
      paging.decoding.fault(node.mark, path, "\(text.shown); a host name without a port is expected")
      return nil
    }
    return TrustedHosts(own: own, aliases: aliases)
  }
}

extension Limits {
  static var keys: [Schema.Key] {
    [
      Schema.Key("emptyPages", .integer(0...1000), "Empty pages stepped over in one slice. Default: 5."),
      Schema.Key(
        "emptyRun", .integer(0...100_000), "Empty pages in a row that are taken for the end. Default: 100."),
      Schema.Key("pages", .integer(1...10_000), "Pages asked for in one slice. Default: 100."),
      Schema.Key(
        "seamPages", .integer(0...1000),
        "Pages looked at, in each direction, for the place where a walk was. Default: 8."),
      Schema.Key(
        "bytes", .size(1000...1_000_000_000_000),
        "The size of the answers held for one slice, beyond which no further page is asked for. Default: 32MB."
      ),
    ]
  }

  static func decode(_ section: Section) -> Limits {
    let limits = Limits(
      emptyPages: section.integer("emptyPages") ?? defaults.emptyPages,
      emptyRun: section.integer("emptyRun") ?? defaults.emptyRun,
      pages: section.integer("pages") ?? defaults.pages,
      seamPages: section.integer("seamPages") ?? defaults.seamPages,
      bytes: section.size("bytes") ?? defaults.bytes)
    section.end()
    return limits
  }
}
