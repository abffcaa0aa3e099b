internal import Access
internal import HTTPSemantics
internal import Paging

extension Configuration.List {
  static var keys: [Schema.Key] {
    [
      Schema.Key("upstream", .text(.upstream), isRequired: true, "The upstream that it comes from."),
      Schema.Key("title", .text(.prose), "For the catalogue."),
      Schema.Key("description", .text(.prose), "For the catalogue."),
      Schema.Key(
        "parameters", .named(.parameter, .mapping(Parameter.keys)),
        "What clients may ask with, beside limit and cursor."),
      Schema.Key(
        "request", .mapping(RequestTemplate.keys),
        "The request that fetches a page, without what paging adds."),
      Schema.Key(
        "following", .mapping(RequestTemplate.keys),
        "The request that fetches every page but the first, where that is another. Default: the same."),
      Schema.Key("paging", Style.shape, isRequired: true, "How the upstream pages."),
      Schema.Key(
        "items", .mapping(ItemsPlace.keys),
        "Where the items are in an answer. Required, unless paging's style is auto, which finds them."),
      Schema.Key("says", .mapping(Says.keys), "What else an answer says of the list, and where."),
      Schema.Key(
        "refused", .mapping(Refusal.keys),
        "How the upstream says no inside a successful answer. Default: the upstream's."),
      Schema.Key(
        "access", Requirement.shape,
        "Who may read it: none, key, token, any; or more exactly. Default: access.require."),
      Schema.Key(
        "enrich", .mapping(Configuration.Enrichment.keys),
        "What its items are completed with: fetched by the ids that they name, many at once."),
      Schema.Key(
        "prefetch", .mapping(Configuration.Prefetch.keys),
        "When a client should ask for the next slice, and when the upstream's next page is fetched before it does."
      ),
      Schema.Key(
        "cache", Configuration.Keeping.shape,
        "How long its pages are known. upstream: as long as its answers say. Default: a page is held for when the upstream is unreachable or faulty."
      ),
    ] + limitKeys
  }

  static var limitKeys: [Schema.Key] {
    [
      Schema.Key(
        "limit", .integer(1...maximumLimit),
        "Items in a slice when the client does not say. Default: \(defaultLimit), or maxLimit where that is less."
      ),
      Schema.Key(
        "maxLimit", .integer(1...maximumLimit), "Items in a slice at most. Default: \(defaultMaxLimit)."),
    ]
  }
  private static let maximumLimit = 10_000

  /// Lists of upstreams, and lists made of those.
  static func decode(
    all root: Section, upstreams: [Configuration.Upstream.Declared]
  ) -> (lists: [Configuration.List], merged: [Configuration.MergedList]) {
    let entries = root.named("lists")
    if let node = root.node("lists"), entries.isEmpty, node.isEmpty {
      root.fault("lists", "there is no list; a gateway needs one at least")
    }
    var lists: [Configuration.List] = []
    var merged: [MergedDeclaration] = []
    for entry in entries {
      let isMerged = Configuration.MergedList.isMeant(by: entry.node)
      let section = Section(
        entry.node, entry.path, keys: isMerged ? Configuration.MergedList.keys : keys, in: root.decoding,
        at: entry.mark)
      if isMerged {
        let list = Configuration.MergedList.decode(
          section, name: entry.name, mark: entry.mark, node: entry.node)
        if let list { merged.append(list) }
      } else if let list = decode(section, name: entry.name, node: entry.node, upstreams: upstreams) {
        lists.append(list)
      }
    }
    let resolver = MergeResolver(
      declared: merged, lists: lists, upstreams: upstreams.compactMap(\.upstream), names: entries.map(\.name),
      decoding: root.decoding)
    return (lists, resolver.resolve())
  }

  private static func decode(
    _ section: Section, name: String, node: ConfigurationNode, upstreams: [Configuration.Upstream.Declared]
  ) -> Configuration.List? {
    let before = section.decoding.faults.count
    let declared = upstream(section, upstreams)
    let upstream = declared?.upstream
    let access = Requirement.decode(section)
    let table = Parameter.decode(all: section, of: .list, access)
    let placements = PlacementTable(decoding: section.decoding, basePath: upstream?.url.path ?? "")
    let paging = Style.decode(section, upstream: upstream?.url, placements: placements, table: table)
    let followingSection = section.section("following")
    let request = RequestTemplate.decode(
      section.section("request"), upstream: upstream, table: table,
      placements: placements.entries.filter { !followingSection.isPresent || $0.pages != .later },
      basePath: placements.basePath)
    let following = RequestTemplate.decode(
      followingSection, upstream: upstream, table: table,
      placements: followingSection.isPresent ? placements.entries.filter { $0.pages != .first } : [],
      basePath: placements.basePath)
    if let upstream, case .parameter(let name)? = upstream.session?.each {
      table.use(name, bySessionOf: upstream.name, in: section)
    }
    let enrichment = Configuration.Enrichment.decode(
      section.section("enrich"), own: declared, table: table, upstreams: upstreams)
    if request != nil { table.reportUnused(section.path("parameters"), in: section.decoding) }
    let items = ItemsPlace.decode(section)
    let says = Says.decode(section)
    if let style = paging?.style, style.needsNext, says.next == nil {
      section.fault("paging", "this style needs says.next, which tells where the next page is named")
    }
    let ownRefusal = Refusal.decode(section.section("refused"))
    let prefetch = Configuration.Prefetch.decode(section.section("prefetch"))
    let keeping = Configuration.Keeping.decode(section)
    let limits = limits(section)
    let (title, description) = (section.prose("title"), section.prose("description"))
    section.end()
    if !section.has("items"), !isRecognised(section) {
      section.decoding.fault(section.mark, section.path, "the key \"items\" is missing")
    }
    guard section.decoding.faults.count == before, let upstream, let request, let paging else { return nil }
    let refusal = ownRefusal ?? declared?.refusal
    let plan = WalkPlan(
      style: paging.style, items: items ?? .wholeAnswer, says: says, refusal: refusal, shifts: paging.shifts,
      limits: paging.limits)
    let recognition = paging.recognition.map { hosts in
      Configuration.Recognition(declared: Declared(items: items, says: says, refusal: refusal), hosts: hosts)
    }
    let position = upstreams.compactMap(\.upstream).firstIndex { $0.name == upstream.name } ?? 0
    var list = Configuration.List(
      name: name, title: title, description: description, upstream: position,
      parameters: table.parameters.compactMap { $0 }, request: request,
      following: followingSection.isPresent ? following : nil, plan: plan, recognition: recognition,
      prefetch: prefetch,
      limit: limits.limit, maxLimit: limits.maximum, fingerprint: Fingerprint.bytes(of: node))
    list.keeping = keeping
    list.access = access
    list.enrichment = enrichment
    return list
  }

  /// Whether the file asks for the paging to be recognised, whatever else is wrong with it.
  private static func isRecognised(_ section: Section) -> Bool {
    guard let style = section.node("paging")?["style"], case .scalar(let scalar) = style.content else {
      return false
    }
    return scalar.text == Style.auto
  }

  static func upstream(
    _ section: Section, _ upstreams: [Configuration.Upstream.Declared]
  ) -> Configuration.Upstream.Declared? {
    guard let text = section.text("upstream", expected: Schema.TextKind.upstream.rawValue) else { return nil }
    if let declared = upstreams.first(where: { $0.name == text.text }) { return declared }
    let names = upstreams.map(\.name)
    let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: names)
    let declared = names.isEmpty ? "none is declared" : "declared: \(names.joined(separator: ", "))"
    section.fault("upstream", "\(text.shown), which is no upstream; \(declared)\(suggestion(nearest))")
    return nil
  }

  static func limits(_ section: Section) -> (limit: Int, maximum: Int) {
    let maximum = section.integer("maxLimit") ?? defaultMaxLimit
    let limit = section.integer("limit") ?? min(defaultLimit, maximum)
    if section.hasRead("maxLimit"), limit > maximum {
      section.fault("limit", "limit \(limit) is above maxLimit \(maximum)")
    }
    return (limit, maximum)
  }
}

extension ItemsPlace {
  /// What a list whose items are still to be found has meanwhile.
  fileprivate static let wholeAnswer = ItemsPlace(
    at: [], each: nil, id: .none, shape: .any, order: nil, absence: .judged, allowsEmptyBody: false,
    format: .json)
}

extension Style {
  /// Whether it walks by what `says.next` finds.
  fileprivate var needsNext: Bool {
    switch self {
    case .token, .nextURL: true
    case .keyset(let keyset): keyset.key == nil
    case .page, .offset, .link, .range, .graphql, .window, .whole: false
    }
  }
}

extension Configuration.Prefetch {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "threshold", .number(0...1),
        "The part of a slice that has been shown by then, or of an upstream page that has been served, 0 to 1. Default: 0.7."
      ),
      Schema.Key(
        "pages", .integer(0...10),
        "Upstream pages that are fetched before anybody asks for them; 0 for none. Default: 0."),
      Schema.Key(
        "holds", .duration(.seconds(1) ... .seconds(3600)),
        "How long a page that was fetched ahead is fresh, where cache.fresh is less. Default: 30s."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Prefetch {
    let threshold = section.number("threshold")
    let (pages, holds) = (section.integer("pages"), section.duration("holds"))
    section.end()
    var prefetch = Configuration.Prefetch(threshold: threshold ?? defaults.threshold)
    prefetch.pages = pages ?? defaults.pages
    prefetch.holds = holds ?? defaults.holds
    return prefetch
  }
}
