import HTTPSemantics
import JSON

/// What in an answer leads on to the next page.
struct Leads {
  struct Lead {
    let locator: Locator
    /// As text; nil for an object.
    let text: String?
    let node: Node?
    let shown: String
    /// Folded, as spelled, and the names of what it is in.
    let name: String
    let spelled: String
    let parent: [String]
  }

  /// A URL.
  var url: Lead?
  /// A token, a number or an object.
  var token: Lead?
  /// The `Link` field's.
  var link: [UInt8]?
  /// A place where something would lead on is empty, null or missing beside its counterpart.
  var isEnd = false
  /// The host of a next URL that is not the upstream's.
  var foreignHost: String?
  /// A host of the same domain as the upstream's, which the URL names.
  var sisterHost: String?
}

extension Recogniser {
  mutating func readLeads(_ found: FoundItems, _ said: ReadSaid) -> Leads {
    var leads = Leads()
    if let target = LinkField.target("next", in: fields) {
      if accept(target, &leads) { leads.link = target }
    } else if fields.contains(.link),
      LinkField.target("prev", in: fields) != nil || LinkField.target("last", in: fields) != nil
        || LinkField.target("first", in: fields) != nil
    {
      leads.isEnd = true
    }
    for links in survey.links { read(links, &leads) }
    for fact in survey.facts where !isInItems(fact, found) { read(fact, found, said, &leads) }
    for name in [
      "Next-Page", "X-Next-Cursor", "Next-Range", "x-ms-continuation", "X-Continuation-Token", "Next-Cursor",
    ] {
      guard let field = FieldName(validating: name), let value = fields.text(field), !value.isEmpty else {
        continue
      }
      let lead = Leads.Lead(
        locator: .header(name), text: value, node: nil, shown: "header:\(name)",
        name: Vocabulary.folded(name),
        spelled: name, parent: [])
      if isURL(value) { leads.url = leads.url ?? lead } else { leads.token = leads.token ?? lead }
    }
    if leads.url != nil || leads.token != nil || leads.link != nil { leads.isEnd = false }
    return leads
  }

  private func isInItems(_ fact: Survey.Fact, _ found: FoundItems) -> Bool {
    !found.path.isEmpty && fact.path.starts(with: found.path)
  }

  private mutating func read(_ links: Survey.Links, _ leads: inout Leads) {
    guard let next = links.next else {
      leads.isEnd = true
      return
    }
    guard let reference = document.value(named: links.reference, in: next),
      let text = document.string(of: reference),
      let array = Pointer(steps: links.path), let rest = Pointer(steps: [links.reference])
    else { return }
    guard accept(Array(text.utf8), &leads) else { return }
    leads.url = Leads.Lead(
      locator: .selected(array: array, member: links.relation, value: "next", rest: rest), text: text,
      node: nil,
      shown: "\(array.text)[\(links.relation)=next]\(rest.text)", name: "next", spelled: "next",
      parent: links.path)
  }

  private mutating func read(_ fact: Survey.Fact, _ found: FoundItems, _ said: ReadSaid, _ leads: inout Leads)
  {
    guard let pointer = fact.pointer, !Vocabulary.laterURLs.contains(fact.name) else { return }
    let owner = fact.parent.last.map { Vocabulary.folded($0) } ?? ""
    let isOwned = ["next", "nextpage", "nextlink"].contains(owner)
    let lead = Leads.Lead(
      locator: .body(pointer), text: survey.text(fact), node: fact.node, shown: fact.shown, name: fact.name,
      spelled: fact.path.last ?? "", parent: Array(fact.parent))
    let text = lead.text ?? ""
    let isURLName =
      Vocabulary.nextURLs.contains(fact.name) || isOwned && ["href", "url", "uri"].contains(fact.name)
    if isURLName, isURL(text) {
      if accept(Array(text.utf8), &leads) { leads.url = leads.url ?? lead }
      return
    }
    guard isTokenName(fact, owner, isOwned) || isURLName else { return }
    let saysNothing = !Finding.node(fact.node).saysSomething(document) || text == "0" || text == "-1"
    if saysNothing {
      if document.bool(of: fact.node) == nil { leads.isEnd = true }
      return
    }
    // A URL or a text may be a token; what is called next and is a flag says whether more follows.
    guard document.bool(of: fact.node) == nil else { return }
    if let before = leads.token, rank(before.name) <= rank(fact.name) { return }
    leads.token = lead
  }

  /// Tokens, the more telling name first. A name in lower case without `next` counts in certain places only.
  private static let tokenNames: [String] = [
    "nextpagetoken", "nexttoken", "nextcursorstr", "maxid", "nextcursor", "endcursor", "nextmarker",
    "nextforwardtoken",
    "nextpage", "next", "startingafter", "after", "aftercursor", "continue", "continuationtoken",
    "nextcursormark",
    "nextoffset", "nextpagestart", "nextstart", "startindex", "nextmaxid", "nextopenid", "nextid",
    "vidoffset",
    "lastevaluatedkey", "resumptiontoken", "bookmark", "scrollid", "cursor", "maxtime", "lasttime", "offset",
  ]

  private func rank(_ name: String) -> Int { Self.tokenNames.firstIndex(of: name) ?? Self.tokenNames.count }

  private func isTokenName(_ fact: Survey.Fact, _ owner: String, _ isOwned: Bool) -> Bool {
    switch fact.name {
    case "after", "aftercursor":
      ["cursor", "cursors", "paging", "data", "meta", "", "pagination", "next"].contains(owner)
    case "continue": owner == "metadata" || owner == ""
    case "cursor": ["", "data", "meta", "pagination", "paging", "result", "responsemetadata"].contains(owner)
    case "next": owner != "" && owner != "queries" || document.kind(of: fact.node) != .bool
    case "startingafter", "startindex", "offset": isOwned || fact.name == "offset" && isNextOffset(fact)
    case "maxid": hasTwin(fact)
    case "maxtime", "lasttime": true
    default: Self.tokenNames.contains(fact.name)
    }
  }

  /// Whether a number called offset is the next page's and not this one's: as far on as the page is long.
  private func isNextOffset(_ fact: Survey.Fact) -> Bool {
    guard let number = survey.count(fact), survey.fact(named: Vocabulary.hasMore) != nil else { return false }
    return number > (sentOffset() ?? 0)
  }

  /// Whether another value, called a next cursor, is the same.
  private func hasTwin(_ fact: Survey.Fact) -> Bool {
    guard let text = survey.text(fact) else { return false }
    return survey.facts.contains { $0.name == "nextcursor" && survey.text($0) == text }
  }

  // MARK: URLs

  /// Whether a text is a reference to a page rather than a token.
  func isURL(_ text: String) -> Bool {
    if text.hasPrefix("http://") || text.hasPrefix("https://") { return true }
    guard let first = text.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "?") else {
      return false
    }
    return text.utf8.count > 1
  }

  /// Whether a next URL leads to the upstream, or to a host of the same domain, which is then to be declared.
  private func accept(_ reference: [UInt8], _ leads: inout Leads) -> Bool {
    guard let host = foreignHost(reference) else { return true }
    let domain = { (name: String) in name.split(separator: ".").suffix(2) }
    if domain(host) == domain(hosts.own), domain(host).count == 2 {
      leads.sisterHost = host
      return true
    }
    leads.foreignHost = host
    return false
  }

  /// The host that a reference names, where that is not the upstream's.
  private func foreignHost(_ reference: [UInt8]) -> String? {
    guard let host = URIReference(parsing: reference.span)?.host else { return nil }
    let name = String(decoding: host, as: UTF8.self).lowercased()
    return hosts.contains(name) ? nil : name
  }
}
