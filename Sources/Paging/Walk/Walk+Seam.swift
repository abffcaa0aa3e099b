// How a seam is proven. The position stays what it was until the page that goes on from it is found.

extension Walk {
  /// The search that is due for a page in which nothing is known, though nothing need be: with `exact` every seam is
  /// proven, with `watch` those where something says that the list moved.
  func seam(doubting page: Page, hasChanged: Bool) -> Seam? {
    guard !position.anchors.isEmpty, position.place != course.start, let index, index > 0 else { return nil }
    switch plan.shifts {
    case .off: return nil
    case .watch: if !hasChanged { return nil }
    case .exact: break
    }
    guard let overlapping = overlap(at: index) else { return lookBack(from: page, index: index) }
    return seam(.search, at: overlapping.place, candidate: page, index: index)
  }

  /// The search that is due when an item is not where it was.
  func seam(around page: Page) -> Seam? {
    guard plan.shifts != .off, let index, course.place(showing: 0, freely: false, grain: grain) != nil else {
      return nil
    }
    if overlap(at: max(1, index)) == nil, index > 0 { return lookBack(from: page, index: index) }
    var seam = seam(.search, at: position.place, candidate: page, index: index)
    seam.high = index + page.rawCount
    seam.canGoForward = page.rawCount > 0
    return advanced(seam)
  }

  private func lookBack(from page: Page, index: Int) -> Seam? {
    guard let before = course.place(showing: index - 1, freely: false, grain: grain) else { return nil }
    var seam = seam(.lookBack, at: before, candidate: page, index: index)
    seam.high = index + page.rawCount
    seam.canGoForward = page.rawCount > 0
    return seam
  }

  private func seam(_ kind: Seam.Kind, at place: Place, candidate: Page, index: Int) -> Seam {
    Seam(
      kind: kind, place: place, candidate: candidate, expected: index + position.consumed, low: index,
      high: index,
      looksLeft: 2 * plan.limits.seamPages, canGoBack: index > 0)
  }

  func request(for seam: Seam) -> PageRequest {
    var request = course.request(at: seam.place)
    request.isFresh = true
    return request
  }

  /// Takes a page of the search.
  mutating func look(at page: Page, _ search: Seam) {
    var seam = search
    seam.looksLeft -= 1
    note(page, at: seam.place)
    if let runs = unserved(in: page) {
      let isBefore = course.place(after: page, at: seam.place, grain: grain) == position.place
      if case .lookBack = seam.kind, runs.isEmpty, isBefore { return agree(page, seam) }
      return adopt(page, runs, seam)
    }
    if case .lookAgain = seam.kind { return compare(page, seam) }
    let start = course.index(of: seam.place, grain: grain) ?? seam.low
    seam.low = min(seam.low, start)
    seam.high = max(seam.high, start + page.rawCount)
    if seam.low == 0 { seam.canGoBack = false }
    if page.rawCount == 0 { seam.canGoForward = false }
    if let next = advanced(seam) { phase = .seam(next) } else { giveUp(seam) }
  }

  /// Goes on from a page in which an anchor was found.
  private mutating func adopt(_ page: Page, _ runs: [Range<Int>], _ seam: Seam) {
    position.place = seam.place
    position.consumed = runs.first?.lowerBound ?? page.items.count
    if index.map({ $0 + position.consumed }) != seam.expected { noteMove() }
    phase = .page
    if runs.isEmpty { leave(page, isFruitless: false) } else { take(runs, of: page) }
  }

  /// The page before ends with an anchor, so the candidate is the one that follows, if nothing moved between the two.
  private mutating func agree(_ page: Page, _ search: Seam) {
    var seam = search
    let hasMoved = position.traits.contains(.hasMoved)
    let isSteady = page.said.total == seam.candidate.said.total || seam.candidate.said.total == nil
    seam.agreements = isSteady ? seam.agreements + 1 : 0
    if seam.agreements >= (hasMoved ? 2 : 1) {
      phase = .page
      return take([0..<seam.candidate.items.count], of: seam.candidate)
    }
    guard seam.looksLeft > 0 else { return giveUp(seam) }
    seam.kind = .lookAgain
    seam.place = position.place
    phase = .seam(seam)
  }

  /// The candidate was asked for again, and shows no anchor either.
  private mutating func compare(_ page: Page, _ search: Seam) {
    var seam = search
    if page.fingerprint != seam.candidate.fingerprint { seam.agreements = 0 }
    seam.candidate = page
    guard seam.looksLeft > 0, let index,
      let before = course.place(showing: index - 1, freely: false, grain: grain)
    else { return giveUp(seam) }
    seam.kind = .lookBack
    seam.place = before
    phase = .seam(seam)
  }

  /// The next page to look at: outwards from where the seam was expected, to both sides in turn; nil when all has been
  /// looked at that may be.
  private func advanced(_ search: Seam) -> Seam? {
    var seam = search
    let isForward = seam.canGoForward && (seam.goesForwardNext || !seam.canGoBack)
    guard seam.looksLeft > 0, isForward || seam.canGoBack else { return nil }
    seam.goesForwardNext = !isForward
    let size = course.size(at: course.start) ?? position.pageSize
    // One item is looked at twice where pages can begin anywhere: what moves in between shall not hide an anchor.
    var index = isForward ? max(0, seam.high - 1) : max(0, seam.low + 1 - size)
    let start = course.place(showing: index, freely: false, grain: grain)
      .flatMap { course.index(of: $0, grain: grain) }
    if isForward, let start, start + size <= seam.high { index = seam.high }
    guard let place = course.place(showing: index, freely: false, grain: grain) else { return nil }
    seam.place = place
    return seam
  }

  /// No anchor was found. When the anchors are all that was ever served, everything in the list is new, and the walk starts
  /// over; else it goes on from where it would be had nothing moved.
  private mutating func giveUp(_ seam: Seam) {
    noteMove()
    phase = .page
    if position.anchors.isComplete {
      position.place = course.start
      position.consumed = 0
      return goOn(from: nil)
    }
    warnings.addOnce(.seamUnproven)
    if isFirstPageAgain(seam.candidate) { return leave(seam.candidate, isFruitless: true) }
    let end = seam.candidate.items.count
    take([min(position.consumed, end)..<end], of: seam.candidate)
  }
}
