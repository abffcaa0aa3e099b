import HTTPSemantics
import JSON

/// A way to the next page, and what it reads of an answer.
struct PagingChoice {
  let style: Style
  let says: Says
  let confidence: Confidence
  let isWhole: Bool
  let startsHere: Bool
}

extension Recogniser {
  /// How the list pages; nil where that is not sure, with what to declare in ``missing``.
  mutating func choosePaging(_ found: FoundItems, _ said: ReadSaid) -> PagingChoice? {
    let leads = readLeads(found, said)
    let more = more(found, said, leads)
    if let connection = connection(found, said) { return connection }
    if let led = led(leads, found, said, more) { return led }
    if let counted = counted(found, said, leads) { return counted }
    if let keyed = keyed(found, said) { return keyed }
    if more == false {
      note(.paging, .certain, "the answer says that nothing follows, so all of the list is here")
      return whole(said, isWhole: true)
    }
    if more == true {
      missing += unknownWay(said, leads)
      return nil
    }
    return unpaged(found, said)
  }

  private func whole(_ said: ReadSaid, isWhole: Bool) -> PagingChoice {
    PagingChoice(
      style: .whole(Whole()), says: says(said, next: nil), confidence: .certain, isWhole: isWhole,
      startsHere: true)
  }

  func says(_ said: ReadSaid, next: Locator?) -> Says {
    Says(
      total: said.total?.locator, pageCount: said.pageCount?.locator, page: said.page?.locator,
      hasMore: said.hasMore?.locator, isLast: said.hasMore == nil ? said.isLast?.locator : nil, next: next)
  }

  // MARK: Whether more follows

  /// A flag counts first, then what leads on, then counts.
  private mutating func more(_ found: FoundItems, _ said: ReadSaid, _ leads: Leads) -> Bool? {
    if let hasMore = said.hasMore { return hasMore.value }
    if let isLast = said.isLast { return !isLast.value }
    if let total = said.total, total.value == found.count, !isPastTheFirst(said), !said.totalIsLowerBound {
      return leads.token != nil && found.count == 0 ? true : false
    }
    if leads.isEnd || isPastTheLastPage(said, leads) { return false }
    if leads.url != nil || leads.token != nil || leads.link != nil || leads.foreignHost != nil {
      return true
    }
    if let pageCount = said.pageCount, let page = said.page ?? sentPage() {
      let first = page.value == 0 || sentPage()?.value == 0 ? 0 : 1
      return page.value - first + 1 < pageCount.value
    }
    if let total = said.total {
      let size = max(said.size?.value ?? sentSize() ?? found.count, found.count)
      let index = said.offset?.value ?? sentOffset() ?? sentPage().map { max(0, $0.value - 1) * size } ?? 0
      return found.count > 0 && index + size < total.value
    }
    if leads.token == nil, isGoingOn() { return false }
    return found.count == 0 && (sentPage() != nil || sentOffset() != nil) ? false : nil
  }

  /// Whether the number of the next page lies behind the last one, as some say it to the end.
  private func isPastTheLastPage(_ said: ReadSaid, _ leads: Leads) -> Bool {
    guard let pageCount = said.pageCount, leads.url == nil, leads.link == nil, let token = leads.token,
      token.name == "nextpage" || token.name == "next", let number = token.text.flatMap({ Int($0) })
    else { return false }
    return number > pageCount.value
  }

  /// Whether the request went on by a token, and so an answer without one is the last.
  private func isGoingOn() -> Bool {
    request.values(named: ["cursor", "pagetoken", "continue", "nexttoken", "startcursor"]).contains {
      $0.text.count > 3
    }
  }

  func sentPage() -> ReadSaid.Entry<Int>? {
    for value in request.values(named: Vocabulary.pageParameters) {
      guard let number = Int(value.text) else { continue }
      return ReadSaid.Entry(
        locator: .header(value.name), value: number, shown: "the request's \(value.name)",
        name: Vocabulary.folded(value.name), spelled: value.name)
    }
    return nil
  }

  func sentOffset() -> Int? {
    request.values(named: Vocabulary.offsetParameters).lazy.compactMap { Int($0.text) }.first
  }

  // MARK: Nothing is said

  /// An answer without any word of paging: everything there is, unless it is as long as a page would be.
  private mutating func unpaged(_ found: FoundItems, _ said: ReadSaid) -> PagingChoice? {
    if found.count >= 10, found.count % 5 == 0 {
      missing.append(
        "\(found.count) items are here, as many as a page may hold, and nothing says whether more follow; declare paging "
          + "(whole, if this is all), or ask again with a page size")
      return nil
    }
    if let size = sentSize(), found.count >= size {
      missing.append(
        "the request asks for \(size) items and they are here, and nothing says how the next are asked for; declare paging"
      )
      return nil
    }
    note(
      .paging, .certain,
      "neither request nor answer says anything of pages, and \(found.count) items are no usual page: all of the list is "
        + "here")
    return whole(said, isWhole: true)
  }

  private func unknownWay(_ said: ReadSaid, _ leads: Leads) -> [String] {
    if let foreign = leads.foreignHost {
      return [
        "the next page's URL names another host, \(foreign); declare it under paging.hosts if it is the upstream's"
      ]
    }
    if let token = leads.token {
      return [
        "\(token.shown) is the next page's token, but not where it is sent; declare paging: {style: token, token: "
          + "{query: NAME}} and says: {next: \(token.shown)}"
      ]
    }
    if said.page != nil || said.pageCount != nil {
      return [
        "the answer counts pages, but the request does not say how one is asked for; declare paging: {style: page, page: "
          + "{query: NAME}}, or ask with the page's number"
      ]
    }
    if said.total != nil {
      return [
        "more follow (\(said.total?.value ?? 0) in all), but neither request nor answer says how they are asked for; "
          + "declare paging, or ask with a page or an offset"
      ]
    }
    return ["more follow, but neither request nor answer says how they are asked for; declare paging"]
  }
}
