// How a seam is proven. The position stays what it was until the page that goes on from it is found.

import JSON

extension Walk {
  /// The search that is due for a page in which nothing is known, though nothing need be: with `exact` every seam is
  /// proven, with `watch` those where something says that the list moved.
  func seam(doubting page: Page, hasChanged: Bool) -> Seam? {
    guard !position.anchors.isEmpty, position.place != course.start, let index, index > 0 else { return nil }
    switch plan.shifts {
    case .off: return nil
    case .watch: if !hasChanged, !position.traits.contains(.isSuspect) { return nil }
    case .exact: break
    }
    guard let around = around(index) else { return lookBack(from: page, index: index) }
    return seam(.search, at: around, candidate: page, index: index)
  }

  /// The closer look that is due when the newest anchor was not found in a page although an older one was: at a page that
  /// shows that one, and something behind this page's end.
  func seam(closerTo sight: Sight, in page: Page) -> Seam? {
    guard let index, let anchor = sight.lastAnchor, sighting(of: page).isOpen(course) else { return nil }
    let size = course.size(at: course.start) ?? position.pageSize
    for margin in [min(4, size / 4), 0] {
      guard let place = course.place(showing: max(0, index + anchor - margin), freely: true, grain: grain),
        let start = course.index(of: place, grain: grain),
        start + (course.size(at: place) ?? position.pageSize) > index + page.rawCount
      else { continue }
      var seam = seam(.search, at: place, candidate: page, index: index)
      seam.pending = (page, position.place, sight)
      return seam
    }
    return nil
  }

  /// A page with the item at `index` in its middle, for a first look at what has moved; nil where pages have their places.
  private func around(_ index: Int) -> Place? {
    overlap(at: index, margin: max(1, (course.size(at: course.start) ?? position.pageSize) / 2))?.place
      ?? overlap(at: index, margin: 1)?.place
  }

  /// The search that is due when an item is not where it was.
  func seam(around page: Page) -> Seam? {
    guard plan.shifts != .off, let index, course.place(showing: 0, freely: false, grain: grain) != nil else {
      return nil
    }
    if index > 0, let around = around(index + position.consumed) {
      return seam(.search, at: around, candidate: page, index: index)
    }
    if index > 0 { return lookBack(from: page, index: index) }
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
      looksLeft: 2 * plan.limits.seamPages, canGoBack: index > 0, before: position.previousPage)
  }

  func request(for seam: Seam) -> PageRequest {
    var request = course.request(at: seam.place)
    request.follows = seam.place != course.start
    request.isFresh = true
    request.edition = position.edition
    return request
  }

  /// Looks at one page more. What is held for that counts as a slice's answers do: where there is no room beside those
  /// that gave something, the slice ends before the seam, and the next one looks for it. A search that alone brings more
  /// than a slice may hold is given up.
  mutating func look(for seam: Seam) {
    if hasRoom(for: seam) {
      phase = .seam(seam)
    } else if taken > 0 {
      if !endsWithPage { warnings.add(.bytesLimited) }
      finish(hasMore: true)
    } else {
      stopLooking(seam)
    }
  }

  /// Goes on with what an older anchor has shown, or without any.
  private mutating func stopLooking(_ search: Seam, mayStartOver: Bool = true) {
    guard let pending = search.pending else { return giveUp(search, mayStartOver: mayStartOver) }
    var seam = search
    seam.place = pending.place
    seam.looksLeft = 0
    adopt(pending.page, pending.sight, seam)
  }

  /// An ordinary slice drops the pages that it only looks at, but for two of them.
  private func hasRoom(for seam: Seam) -> Bool {
    if endsWithPage { return heldBytes < plan.limits.bytes }
    let kept = seam.candidate.body.count + (seam.pending?.page.body.count ?? 0)
    return taken == 0 || heldBytes + kept < plan.limits.bytes
  }

  /// Takes a page of the search.
  mutating func look(at page: Page, _ search: Seam) {
    var seam = search
    seam.looksLeft -= 1
    if page.isStandIn { return stopLooking(seam, mayStartOver: false) }
    note(page, at: seam.place)
    if let sight = sight(of: page, isStrict: true) {
      let isBefore = course.place(after: page, at: seam.place, grain: grain) == position.place
      if case .lookBack = seam.kind, sight.runs.isEmpty, isBefore { return agree(page, seam) }
      return adopt(page, sight, seam)
    }
    if seam.pending != nil { return stopLooking(seam) }
    if case .lookAgain = seam.kind { return compare(page, seam) }
    let start = course.index(of: seam.place, grain: grain) ?? seam.low
    seam.low = min(seam.low, start)
    seam.high = max(seam.high, start + page.rawCount)
    if seam.low == 0 { seam.canGoBack = false }
    if page.rawCount == 0 { seam.canGoForward = false }
    if let next = advanced(seam) { look(for: next) } else { giveUp(seam) }
  }

  /// Goes on from a page in which an anchor was found.
  private mutating func adopt(_ page: Page, _ sight: Sight, _ seam: Seam) {
    position.place = seam.place
    position.consumed = sight.runs.first?.lowerBound ?? page.items.count
    if let next = index.map({ $0 + position.consumed }), next != seam.expected {
      noteMove(isUp: next < seam.expected)
    }
    if !sight.isCertain, seam.looksLeft > 0, var closer = self.seam(closerTo: sight, in: page),
      hasRoom(for: closer)
    {
      closer.looksLeft = seam.looksLeft
      phase = .seam(closer)
      return
    }
    phase = .page
    if sight.runs.isEmpty { leave(page, .bearings) } else { take(sight.runs, of: page) }
  }

  /// The page before ends with an anchor, so the candidate is the one that follows, if nothing moved between the two.
  private mutating func agree(_ page: Page, _ search: Seam) {
    var seam = search
    let isSame = page.fingerprint == seam.before && page.said.total == seam.candidate.said.total
    if !isSame { position.traits.insert(.hasMoved) }
    seam.agreements = isSame ? seam.agreements + 1 : 0
    seam.before = page.fingerprint
    if seam.agreements >= (position.traits.contains(.hasMoved) ? 3 : 1) {
      phase = .page
      return take(runs(from: 0, to: seam.candidate.items.count), of: seam.candidate)
    }
    guard seam.looksLeft > 0 else { return giveUp(seam) }
    seam.kind = .lookAgain
    seam.place = position.place
    look(for: seam)
  }

  /// The candidate was asked for again, and shows no anchor either.
  private mutating func compare(_ page: Page, _ search: Seam) {
    var seam = search
    if page.fingerprint != seam.candidate.fingerprint {
      position.traits.insert(.hasMoved)
      seam.agreements = 0
    }
    seam.candidate = page
    guard seam.looksLeft > 0, let index,
      let before = course.place(showing: index - 1, freely: false, grain: grain)
    else { return giveUp(seam) }
    seam.kind = .lookBack
    seam.place = before
    look(for: seam)
  }

  /// The next page to look at: outwards from where the seam was expected, to both sides in turn; nil when all has been
  /// looked at that may be.
  private func advanced(_ search: Seam) -> Seam? {
    var seam = search
    let isForward = seam.canGoForward && (seam.goesForwardNext || !seam.canGoBack)
    guard seam.looksLeft > 0, isForward || seam.canGoBack else { return nil }
    seam.goesForwardNext = !isForward
    let size = course.size(at: course.start) ?? position.pageSize
    // Where pages begin anywhere, one item is looked at twice: what moves in between shall not hide an anchor.
    let overlap = course.beginsAnywhere ? 1 : 0
    let index = isForward ? seam.high - overlap : seam.low - (course.beginsAnywhere ? size - overlap : 1)
    guard let place = course.place(showing: max(0, index), freely: false, grain: grain) else { return nil }
    seam.place = place
    return seam
  }

  /// No anchor was found. When the anchors are all that was ever served, everything in the list is new, and the walk starts
  /// over; else it goes on from where it would be had nothing moved. It does not start over by the word of older pages.
  private mutating func giveUp(_ seam: Seam, mayStartOver: Bool = true) {
    noteMove(isUp: true)
    phase = .page
    if mayStartOver, !seam.candidate.isStandIn, position.anchors.isComplete {
      position.place = course.start
      position.consumed = 0
      return goOn(from: nil)
    }
    if isFirstPageAgain(seam.candidate) { return leave(seam.candidate, .sameAgain) }
    takeUnproven(seam.candidate)
  }
}
