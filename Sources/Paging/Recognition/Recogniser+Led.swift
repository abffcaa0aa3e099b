import HTTPSemantics
import JSON

extension Recogniser {
  /// A GraphQL connection, by its `pageInfo`.
  mutating func connection(_ found: FoundItems, _ said: ReadSaid) -> PagingChoice? {
    let info = survey.objects.first { object in
      Vocabulary.folded(object.path.last ?? "") == "pageinfo"
        && document.members(of: object.node).contains { ["hasNextPage", "endCursor"].contains($0.key.text) }
    }
    guard let info, request.content == .json, let at = Pointer(steps: info.path.dropLast()),
      found.path.starts(with: info.path.dropLast())
    else { return nil }
    let (variable, confidence) = afterVariable()
    guard let after = Pointer(steps: ["variables", variable]) else { return nil }
    note(
      .paging, confidence,
      "\(shown(info.path)) is a connection's (hasNextPage, endCursor), and the request is GraphQL: endCursor goes into the "
        + "variable \(variable)")
    let says = Says(
      total: said.total?.locator, pageCount: nil, page: nil, hasMore: nil, isLast: nil, next: nil)
    return PagingChoice(
      style: .graphql(Connection(at: at, after: .json(after), size: nil)), says: says, confidence: confidence,
      isWhole: false,
      startsHere: true)
  }

  /// The variable that the query gives to `after`.
  private func afterVariable() -> (String, Confidence) {
    if let query = request.graphQL, let behind = Vocabulary.rest(of: query, behind: "after:") {
      let rest = behind.drop { $0 == " " }
      if rest.first == "$" {
        let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        if !name.isEmpty { return (String(name), .certain) }
      }
    }
    let sent = request.values.first { value in
      if case .json(let pointer) = value.placement {
        pointer.text.hasPrefix("/variables/") && ["after", "cursor"].contains(value.name)
      } else {
        false
      }
    }
    return sent.map { ($0.name, .certain) } ?? ("after", .likely)
  }

  /// Styles in which the upstream leads: a link, a URL, a token.
  mutating func led(_ leads: Leads, _ found: FoundItems, _ said: ReadSaid, _ more: Bool?) -> PagingChoice? {
    var hosts = hosts
    var confidence = Confidence.certain
    if let sister = leads.sisterHost {
      hosts = TrustedHosts(own: hosts.own, aliases: hosts.aliases + [sister])
      confidence = .likely
      note(.next, .likely, "it names the host \(sister), which is probably the upstream's too")
    }
    if leads.link != nil {
      note(.next, .certain, "the Link field has the relation next")
      note(.paging, .certain, "the next page is behind that link")
      return PagingChoice(
        style: .link(LinkRelation(relation: "next", size: nil, hosts: hosts)), says: says(said, next: nil),
        confidence: confidence, isWhole: false,
        startsHere: true)
    }
    if let url = leads.url {
      note(
        .next, .certain, "\(url.shown) is a URL: \(Self.excerpt(url.text ?? ""))\(nextNumber(url.text ?? ""))"
      )
      note(.paging, .certain, "the next page is behind that URL")
      return PagingChoice(
        style: .nextURL(NextURL(size: nil, hosts: hosts)), says: says(said, next: url.locator),
        confidence: confidence,
        isWhole: false,
        startsHere: true)
    }
    if let object = objectToken(said) { return object }
    guard let token = leads.token, !isPageNumber(token, said), more != false || isSent(token) else {
      return nil
    }
    guard let sending = sending(of: token) else { return nil }
    note(.next, .certain, "\(token.shown) is a token: \(Self.excerpt(token.text ?? ""))")
    note(.paging, sending.confidence, sending.why)
    let style = Token(
      sending: .at(sending.placement), first: sending.first, size: nil, goesAlone: false,
      endsByRepeating: ["nextforwardtoken", "nextcursormark"].contains(token.name))
    var says = says(said, next: token.locator)
    // A number that stands for a page is no page's number once tokens lead.
    says = Says(
      total: says.total, pageCount: says.pageCount, page: nil, hasMore: says.hasMore, isLast: says.isLast,
      next: says.next)
    return PagingChoice(
      style: .token(style), says: says, confidence: sending.confidence, isWhole: false,
      startsHere: true)
  }

  /// Whether the token counts pages that the request counts too.
  private func isPageNumber(_ token: Leads.Lead, _ said: ReadSaid) -> Bool {
    guard ["next", "nextpage"].contains(token.name), let number = token.text.flatMap({ Int($0) }) else {
      return false
    }
    return number == (sentPage()?.value ?? said.page?.value ?? 1) + 1
  }

  private func isSent(_ token: Leads.Lead) -> Bool {
    !request.values(named: Self.partners[token.name] ?? []).isEmpty
  }

  /// MediaWiki's `continue`, whose members go into the query; DynamoDB's key, which goes into the content whole.
  private mutating func objectToken(_ said: ReadSaid) -> PagingChoice? {
    for object in survey.objects where object.path.count == 1 && document.count(of: object.node) > 0 {
      guard let pointer = Pointer(steps: object.path) else { continue }
      let sending: Token.Sending
      switch object.path[0] {
      case "continue":
        sending = request.content == .form ? .membersInForm : .membersInQuery
        note(.paging, .certain, "each member of /continue is sent with the next request")
      case "LastEvaluatedKey":
        guard let key = Pointer(steps: ["ExclusiveStartKey"]), request.content == .json else { continue }
        sending = .at(.json(key))
        note(.paging, .certain, "/LastEvaluatedKey is sent as ExclusiveStartKey")
      default: continue
      }
      note(.next, .certain, "\(pointer.text) is an object of \(document.count(of: object.node))")
      return PagingChoice(
        style: .token(
          Token(sending: sending, first: nil, size: nil, goesAlone: false, endsByRepeating: false)),
        says: says(said, next: .body(pointer)), confidence: .certain, isWhole: false,
        startsHere: true)
    }
    return nil
  }

  // MARK: Where a token is sent

  struct TokenSending {
    let placement: Placement
    let first: String?
    let confidence: Confidence
    let why: String
  }

  /// The parameters, folded, that take what is found under a name.
  private static let partners: [String: [String]] = [
    "nextpagetoken": ["pagetoken"], "nexttoken": ["nexttoken"],
    "nextcursorstr": ["cursor"], "nextcursor": ["cursor", "startcursor", "nextcursor", "pagecursor"],
    "endcursor": ["after", "cursor"], "after": ["after", "pageafter"], "aftercursor": ["pageafter", "after"],
    "startingafter": ["startingafter"], "nextmarker": ["marker", "nextmarker"],
    "nextforwardtoken": ["nexttoken"],
    "continue": ["continue"], "cursor": ["cursor"], "nextpage": ["page", "pagehandle", "cursor"],
    "next": ["next", "cursor", "pagetoken", "pageafter", "start", "offset"],
    "nextoffset": ["offset"], "nextpagestart": ["start"], "nextstart": ["start"],
    "startindex": ["start", "startindex"], "maxid": ["maxid"], "nextmaxid": ["maxid"],
    "nextopenid": ["nextopenid"], "vidoffset": ["vidoffset"], "offset": ["offset"], "maxtime": ["maxtime"],
    "lasttime": ["lasttime", "before"], "scrollid": ["scrollid"], "bookmark": ["bookmark"],
    "nextcursormark": ["cursormark"], "resumptiontoken": ["resumptiontoken"],
    "continuationtoken": ["continuationtoken"], "xnextcursor": ["cursor"], "nextid": ["startid", "nextid"],
  ]

  private func sending(of token: Leads.Lead) -> TokenSending? {
    if let sent = request.values(named: Self.partners[token.name] ?? []).first {
      return TokenSending(
        placement: sent.placement, first: sent.text.isEmpty ? nil : sent.text, confidence: .certain,
        why: "the request has \(sent.name), which takes what \(token.shown) gives")
    }
    if token.name == "nextrange" {
      return TokenSending(
        placement: .header("Range"), first: nil, confidence: .certain, why: "Next-Range is sent as Range")
    }
    if token.name == "xmscontinuation" {
      return TokenSending(
        placement: .header("x-ms-continuation"), first: nil, confidence: .certain,
        why: "it is sent as it came")
    }
    // JSON within a form's field is out of paging's reach.
    if request.values.contains(where: { $0.text.hasPrefix("{") }) { return nil }
    guard let usual = usual(token) else { return nil }
    return TokenSending(
      placement: request.placement(of: usual.name), first: nil, confidence: usual.confidence,
      why: "\(token.shown) is usually sent as \(usual.name)"
        + (usual.confidence == .certain ? ", with answers of this form always" : ""))
  }

  /// The parameter that takes a token by the habit of those who name it so.
  private func usual(_ token: Leads.Lead) -> (name: String, confidence: Confidence)? {
    let owner = token.parent.last.map { Vocabulary.folded($0) } ?? ""
    let isList = survey.text(named: "object") == "list"
    switch token.name {
    case "nextpagetoken":
      if token.spelled == "nextPageToken" { return ("pageToken", .certain) }
      let isPlaces = survey.candidates.contains { $0.path == ["html_attributions"] }
      return (isPlaces ? "pagetoken" : "page_token", .certain)
    case "nexttoken", "nextforwardtoken":
      let name =
        token.spelled.first == "N" ? "NextToken" : token.spelled.contains("_") ? "next_token" : "nextToken"
      return (name, request.content == .json ? .certain : .likely)
    case "nextmarker":
      return survey.facts.contains { $0.name == "truncated" } ? ("Marker", .certain) : ("NextMarker", .likely)
    case "nextcursor":
      if isList, survey.text(named: "results") == nil,
        survey.candidates.contains(where: { $0.path == ["results"] })
      {
        return ("start_cursor", .certain)
      }
      return ("cursor", owner == "responsemetadata" ? .certain : .likely)
    case "nextcursorstr": return ("cursor", .likely)
    case "continue": return ("continue", owner == "metadata" ? .certain : .likely)
    case "after": return ("after", survey.text(named: "kind") == "Listing" ? .certain : .likely)
    case "aftercursor": return ("page[after]", .likely)
    case "startingafter": return ("starting_after", .certain)
    case "nextpagestart": return ("start", .certain)
    case "nextpage":
      if survey.text(named: "object") == "search_result" { return ("page", .certain) }
      return token.text?.hasPrefix("value=") == true ? ("page_handle", .likely) : nil
    case "cursor", "xnextcursor": return ("cursor", .likely)
    case "offset": return ("offset", .likely)
    case "maxid": return ("max_id", .likely)
    case "vidoffset": return ("vidOffset", .likely)
    case "nextoffset": return ("offset", .likely)
    default: return nil
    }
  }

  // MARK: Words

  /// Says where the URL has the number of the page that follows the one asked for.
  private func nextNumber(_ url: String) -> String {
    guard let page = sentPage(), let question = url.firstIndex(of: "?") else { return "" }
    let sent = SentRequest(target: Array(url[question...].utf8), form: nil, json: nil)
    let next = sent.values.first { $0.name == page.spelled }
    return next?.text == String(page.value + 1) ? "; its \(page.spelled) is one more than the request's" : ""
  }

  static func excerpt(_ text: String) -> String { text.count > 60 ? "\(text.prefix(57))..." : String(text) }
}
