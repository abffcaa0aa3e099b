/// What follows a page, going by what all sources say of it.
///
/// In the order of trust they are the page count, the total, a has-more flag or a next link, and the number of items on the
/// page. Where they agree, that is the verdict. Where one says that the list ends and another that it goes on, neither is
/// believed: the walk looks at one page more before it says so.
struct Outlook {
  enum Verdict {
    case end
    /// More was said to follow.
    case more
    /// Nothing was said, and the page is full: whether more follows shows only by asking.
    case open
    /// The sources contradict one another; or a total alone says that the list ends, where the page is as full as if it did
    /// not: totals are often the count of something else.
    case doubtful
  }

  var verdict: Verdict
  /// Those that say this page is the last.
  var enders: Sources = []
  /// Whether a page count, a flag or a next link says that more follows. A total alone does not count here: totals
  /// that count something else are too common.
  var isPromised = false
}

/// A page as an outlook sees it.
struct Sighting {
  let page: Page
  /// The list's index of its first item, where the style counts.
  let index: Int?
  /// The number of pages before it, where the style counts pages.
  let pageIndex: Int?
  /// The size that was asked for or is known, if any.
  let asked: Int?
  /// What was learned before this page.
  let position: Position
  let ending: Ending
}

extension Outlook {
  /// For styles that count: pages, offsets, ranges.
  init(counted sighting: Sighting) {
    let page = sighting.page
    let said = page.said
    let distrusted = sighting.position.distrusted
    var enders: Sources = []
    var continuers: Sources = []
    func note(_ source: Sources, ends: Bool) {
      guard !distrusted.contains(source) else { return }
      if ends { enders.insert(source) } else { continuers.insert(source) }
    }
    if let pageCount = said.pageCount, let pageIndex = sighting.pageIndex, pageCount > 0 || page.rawCount == 0
    {
      note(.pageCount, ends: pageIndex + 1 >= pageCount)
    }
    if let total = said.total, let index = sighting.index {
      let reached = index + page.rawCount >= total
      if !reached || !said.totalIsLowerBound { note(.total, ends: reached) }
    }
    if let hasMore = said.hasMore { note(.hasMore, ends: !hasMore) }
    switch said.next {
    case .unsaid: break
    case .none: note(.next, ends: true)
    case .text, .json, .target: note(.next, ends: false)
    }

    self.enders = enders
    isPromised = !continuers.subtracting(.total).isEmpty
    if page.rawCount == 0 {
      verdict = isPromised && enders.isEmpty ? .more : .end
    } else if !enders.isEmpty, !continuers.isEmpty {
      verdict = .doubtful
    } else if !enders.isEmpty {
      verdict = enders == .total && sighting.isProbablyFull ? .doubtful : .end
    } else if !continuers.isEmpty {
      verdict = .more
    } else {
      verdict = sighting.verdictBySize
      if verdict != .open { self.enders = .size }
    }
  }

  /// For styles that the upstream leads by a token or link.
  init(linked sighting: Sighting) {
    let page = sighting.page
    let said = page.said
    switch said.next {
    case .unsaid, .none:
      verdict = .end
      enders = .next
    case .text, .json, .target:
      isPromised = said.hasMore != false
      if said.hasMore == false {
        verdict = .end
        enders = .hasMore
      } else if page.rawCount == 0, let total = said.total, sighting.position.served >= total {
        verdict = .end
        enders = .total
      } else {
        verdict = .more
      }
    }
  }

  /// For styles that go on from the last item's key.
  init(keyed sighting: Sighting) {
    let said = sighting.page.said
    isPromised = said.hasMore == true
    if said.hasMore == false {
      verdict = .end
      enders = .hasMore
    } else if sighting.page.rawCount == 0 {
      verdict = .end
      enders = .size
    } else if said.next == .none {
      verdict = .end
      enders = .next
    } else if isPromised {
      verdict = .more
    } else {
      verdict = sighting.verdictBySize
      if verdict != .open { enders = .size }
    }
  }
}

extension Sighting {
  /// Whether the list may go on behind this page.
  func isOpen(_ course: any Course) -> Bool {
    if case .end = course.outlook(self).verdict { false } else { true }
  }

  /// Whether the page holds as many items as a page can; nil when that is not known.
  private var isFull: Bool? {
    let learned = position.pageSize
    if let asked {
      if page.rawCount >= asked { return true }
      return learned > 0 && learned < asked ? page.rawCount >= learned : false
    }
    return learned > 0 ? page.rawCount >= learned : nil
  }

  /// Where nothing is said: a short page is the last one.
  var verdictBySize: Outlook.Verdict {
    guard page.rawCount > 0 else { return .end }
    guard ending.byShortPage, isFull == false else { return .open }
    // A first page shorter than was asked for may be as long as the upstream lets a page be.
    return position.pageSize == 0 && looksLikeAPageSize ? .doubtful : .end
  }

  /// Whether the page is full, as far as that can be told.
  fileprivate var isProbablyFull: Bool { isFull ?? looksLikeAPageSize }

  /// Whether a total that equals the items of the first page may be no more than their count.
  var totalMayCountThePage: Bool {
    position.firstPage == 0 && page.said.total == page.rawCount && isProbablyFull
  }

  /// Whether somebody may have chosen this number as a page size.
  private var looksLikeAPageSize: Bool { page.rawCount >= 10 && page.rawCount % 5 == 0 }
}
