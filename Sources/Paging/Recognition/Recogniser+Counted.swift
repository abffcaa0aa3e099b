import JSON

extension Recogniser {
  /// Styles that count: pages, offsets.
  mutating func counted(_ found: FoundItems, _ said: ReadSaid, _ leads: Leads) -> PagingChoice? {
    if let page = sentValue(Vocabulary.pageParameters) { return pages(page, said) }
    if let inPath = pageInPath(said) { return inPath }
    if let search = search(found, said) { return search }
    if let offset = sentValue(Vocabulary.offsetParameters), !isKey(offset, of: found) {
      return offsets(offset, said)
    }
    if let flagged = flagged(said) { return flagged }
    guard isMoreCounted(found, said) else { return nil }
    return echoedPage(said) ?? echoedOffset(said)
  }

  private func sentValue(_ names: [String]) -> SentRequest.Value? {
    request.values(named: names).first { Int($0.text) != nil }
  }

  private func size(beside placement: Placement) -> PageSize? {
    let sent = request.values(named: Vocabulary.sizeParameters).first { value in
      value.placement != placement && (Int(value.text) ?? 0) > 0
    }
    return sent.flatMap { value in Int(value.text).map { PageSize(placement: value.placement, value: $0) } }
  }

  private mutating func pages(_ sent: SentRequest.Value, _ said: ReadSaid) -> PagingChoice {
    let number = Int(sent.text) ?? 1
    let first = number == 0 ? 0 : 1
    var says = says(said, next: nil)
    if let echo = said.page, echo.value == number + 1, number == 0 {
      note(
        .page, .certain, "\(echo.shown) is \(echo.value) for page \(number): it counts from another number")
      says = says.withoutPage
    }
    note(
      .paging, .certain,
      "the request asks for \(sent.name)=\(sent.text)\(said.page?.value == number ? ", and the answer says so too" : "")"
    )
    return PagingChoice(
      style: .page(
        PageNumber(page: sent.placement, first: first, size: size(beside: sent.placement), ending: .counted)),
      says: says, confidence: .certain, isWhole: false,
      startsHere: number == first)
  }

  private mutating func offsets(_ sent: SentRequest.Value, _ said: ReadSaid) -> PagingChoice {
    let offset = Int(sent.text) ?? 0
    let first = offset == 1 && Vocabulary.folded(sent.name) == "startindex" ? 1 : 0
    note(
      .paging, .certain,
      "the request asks for \(sent.name)=\(sent.text)"
        + (said.offset?.value == offset ? ", and \(said.offset?.shown ?? "") says so too" : ""))
    return PagingChoice(
      style: .offset(
        Offset(
          offset: sent.placement, first: first, prefix: "", size: size(beside: sent.placement),
          ending: .counted)),
      says: says(said, next: nil).withoutPage, confidence: .certain, isWhole: false,
      startsHere: offset == first)
  }

  /// A page's number as a segment of the path: behind one called page, or equal to what the answer says.
  private mutating func pageInPath(_ said: ReadSaid) -> PagingChoice? {
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = segments.indices.filter { Int(segments[$0]) != nil && segments[$0].utf8.count < 7 }
    let named = numbers.filter {
      $0 > 0 && ["page", "p", "pages"].contains(Vocabulary.folded(segments[$0 - 1]))
    }
    let echo = said.page?.value
    let same = numbers.filter { Int(segments[$0]) == echo }
    let before = numbers.filter { Int(segments[$0]) == 0 && echo == 1 }
    guard
      let index = [named, same, before].first(where: { !$0.isEmpty }).flatMap({ $0.count == 1 ? $0[0] : nil }
      ),
      let number = Int(segments[index])
    else { return nil }
    let pattern = segments.indices.map { $0 == index ? "{}" : String(segments[$0]) }.joined(separator: "/")
    note(.paging, .certain, "the path holds the page's number: \(pattern)")
    var says = says(said, next: nil)
    if echo != number { says = says.withoutPage }
    return PagingChoice(
      style: .page(
        PageNumber(page: .path(pattern), first: number == 0 ? 0 : 1, size: nil, ending: .counted)),
      says: says, confidence: .certain, isWhole: false,
      startsHere: number < 2)
  }

  /// Elasticsearch: `from` goes as far as the total is exact.
  private mutating func search(_ found: FoundItems, _ said: ReadSaid) -> PagingChoice? {
    guard survey.objects.contains(where: { $0.path == ["_shards"] }), found.path == ["hits", "hits"] else {
      return nil
    }
    if said.totalIsLowerBound || survey.facts.contains(where: { $0.name == "scrollid" }) { return nil }
    let placement = request.placement(of: "from")
    note(.paging, .certain, "the answer is a search's (_shards, hits.hits), which takes from and size")
    return PagingChoice(
      style: .offset(
        Offset(offset: placement, first: 0, prefix: "", size: size(beside: placement), ending: .counted)),
      says: says(said, next: nil), confidence: .certain, isWhole: false,
      startsHere: true)
  }

  /// Flags, as they are spelled, that say whose answer it is, and so the offset's name.
  private static let offsetsByFlag: [String: (owner: String, parameter: String)] = [
    "exceededTransferLimit": ("ArcGIS", "resultOffset"), "_more_changes": ("Gerrit", "S"),
  ]

  private mutating func flagged(_ said: ReadSaid) -> PagingChoice? {
    guard let flag = said.hasMore, flag.value, let known = Self.offsetsByFlag[flag.spelled] else {
      return nil
    }
    let placement = request.placement(of: known.parameter)
    note(.paging, .likely, "\(flag.spelled) is \(known.owner)'s, which takes \(known.parameter)")
    return PagingChoice(
      style: .offset(
        Offset(offset: placement, first: 0, prefix: "", size: size(beside: placement), ending: .counted)),
      says: says(said, next: nil), confidence: .likely, isWhole: false,
      startsHere: true)
  }

  // MARK: The answer names what the request left out

  private func isMoreCounted(_ found: FoundItems, _ said: ReadSaid) -> Bool {
    if let flag = said.hasMore?.value ?? said.isLast.map({ !$0.value }) { return flag }
    if let pageCount = said.pageCount, let page = said.page { return page.value < pageCount.value }
    if let total = said.total {
      return found.count > 0 && (said.offset?.value ?? 0) + found.count < total.value
    }
    return false
  }

  /// Whether the request's page size has the name by which the answer tells it: then other names are shared too.
  private func sharesNames(_ said: ReadSaid) -> Bool {
    guard let size = said.size else { return false }
    return request.values.contains { $0.name == size.spelled && $0.text == String(size.value) }
  }

  private mutating func echoedPage(_ said: ReadSaid) -> PagingChoice? {
    guard let page = said.page, case .body = page.locator, page.value == 0 || page.value == 1 else {
      return nil
    }
    let isSpring = page.name == "number" && said.pageCount?.name == "totalpages"
    let name = isSpring || ["currentpage", "curpage"].contains(page.name) ? "page" : page.spelled
    let confidence: Confidence = isSpring || sharesNames(said) ? .certain : .likely
    let placement = request.placement(of: name)
    note(
      .paging, confidence,
      "\(page.shown) is \(page.value), so the next page is probably asked for with \(name)=\(page.value + 1)"
        + (confidence == .certain ? "; the request and the answer share their names" : ""))
    return PagingChoice(
      style: .page(
        PageNumber(page: placement, first: page.value, size: size(beside: placement), ending: .counted)),
      says: says(said, next: nil), confidence: confidence, isWhole: false,
      startsHere: true)
  }

  private mutating func echoedOffset(_ said: ReadSaid) -> PagingChoice? {
    guard let offset = said.offset, case .body = offset.locator, offset.value == 0 else { return nil }
    let confidence: Confidence = sharesNames(said) ? .certain : .likely
    let placement = request.placement(of: offset.spelled)
    note(
      .paging, confidence,
      "\(offset.shown) is 0, so the next page is probably asked for with \(offset.spelled)"
        + (confidence == .certain ? "; the request and the answer share their names" : ""))
    return PagingChoice(
      style: .offset(
        Offset(offset: placement, first: 0, prefix: "", size: size(beside: placement), ending: .counted)),
      says: says(said, next: nil).withoutPage, confidence: confidence, isWhole: false,
      startsHere: true)
  }

  // MARK: Keys

  /// Whether a number that was sent is the first item's own id, and so no offset.
  private func isKey(_ value: SentRequest.Value, of found: FoundItems) -> Bool {
    guard let number = Int(value.text), number > 1_000 else { return false }
    // Nobody asks for a list's millionth item to find it empty.
    if found.count == 0 { return number >= 1_000_000 }
    return key(of: found).map { key in found.samples.first.flatMap { document.node(at: key, from: $0) } }
      .flatMap { $0 }.map { document.text(of: $0, equals: Array(value.text.utf8)) } ?? false
  }

  /// The number in an item that an id is: the first whose name ends so.
  private func key(of found: FoundItems) -> Pointer? {
    guard let first = found.samples.first else { return nil }
    let names = document.members(of: first).compactMap { key, value -> String? in
      let name = Vocabulary.folded(key.text)
      let isScalar = document.kind(of: value) == .number || document.kind(of: value) == .string
      return isScalar && name.hasSuffix("id") ? key.text : nil
    }
    let name = names.first { Vocabulary.folded($0) == "id" } ?? names.first
    return name.flatMap { Pointer(steps: [$0]) }
  }

  /// Styles that go on from the last item.
  mutating func keyed(_ found: FoundItems, _ said: ReadSaid) -> PagingChoice? {
    guard let key = key(of: found), said.hasMore?.value != false else { return nil }
    func choice(_ placement: Placement, step: Int, _ confidence: Confidence) -> PagingChoice {
      PagingChoice(
        style: .keyset(
          Keyset(
            sending: placement, key: key, step: step, first: nil, size: size(beside: placement),
            ending: .keyed)),
        says: says(said, next: nil).withoutPage, confidence: confidence, isWhole: false,
        startsHere: true)
    }
    if let offset = sentValue(Vocabulary.offsetParameters), isKey(offset, of: found) {
      note(
        .paging, .certain,
        "\(offset.name) is the first item's \(key.text): the next page starts behind the last one's")
      return choice(offset.placement, step: 1, .certain)
    }
    if let sent = request.values(named: ["startingafter"]).first, said.hasMore != nil {
      note(.paging, .certain, "the request has \(sent.name), and the answer says whether more follows")
      return choice(sent.placement, step: 0, .certain)
    }
    if let sent = sentValue(["maxid"]), areUpTo(Int(sent.text) ?? 0, key, found) {
      note(.paging, .certain, "the request has \(sent.name), and no item's \(key.text) is greater")
      return choice(sent.placement, step: 0, .certain)
    }
    if survey.text(named: "object") == "list", survey.text(named: "url") != nil, said.hasMore?.value == true,
      found.path == ["data"]
    {
      note(
        .paging, .certain,
        "the answer has object: list, url, has_more and data, as lists that take starting_after have")
      return choice(request.placement(of: "starting_after"), step: 0, .certain)
    }
    if found.path.isEmpty, found.count > 0, found.count == sentSize(), spellIDsTwice(found),
      let number = Pointer(steps: ["id"])
    {
      note(
        .paging, .likely,
        "items have their id as id and as id_str, as timelines have that take max_id: the last one's less 1")
      let placement = request.placement(of: "max_id")
      return PagingChoice(
        style: .keyset(
          Keyset(
            sending: placement, key: number, step: -1, first: nil, size: size(beside: placement),
            ending: .keyed)),
        says: says(said, next: nil).withoutPage, confidence: .likely, isWhole: false, startsHere: true)
    }
    return nil
  }

  /// Whether every item has its id as a number and once more as a text, for those who cannot hold such a number.
  private func spellIDsTwice(_ found: FoundItems) -> Bool {
    found.samples.allSatisfy { item in
      guard let number = document.value(named: "id", in: item), document.integer(of: number) != nil,
        let text = document.value(named: "id_str", in: item), let spelled = document.string(of: text)
      else { return false }
      return document.text(of: number, equals: Array(spelled.utf8))
    }
  }

  private func areUpTo(_ limit: Int, _ key: Pointer, _ found: FoundItems) -> Bool {
    !found.samples.isEmpty
      && found.samples.allSatisfy { item in
        document.node(at: key, from: item).flatMap { document.text(of: $0) }.flatMap { Int($0) }.map {
          $0 <= limit
        }
          ?? false
      }
  }
}

extension Says {
  /// The same, but for the page's own number.
  fileprivate var withoutPage: Says {
    Says(total: total, pageCount: pageCount, page: nil, hasMore: hasMore, isLast: isLast, next: next)
  }
}
