// What happens when the page at the position comes: learn, find the place in it, take, and decide what follows.

extension Walk {
  mutating func arrive(at page: Page) {
    let hasChanged = note(page, at: position.place)
    if repeats(page) { return leave(page, isFruitless: true) }
    switch locate(in: page) {
    case .found(let runs, let hasMoved):
      if hasMoved { noteMove() }
      take(runs, of: page)
    case .unseen:
      if isFirstPageAgain(page) { return leave(page, isFruitless: true) }
      if let seam = seam(doubting: page, hasChanged: hasChanged) {
        phase = .seam(seam)
      } else {
        take([0..<page.items.count], of: page)
      }
    case .lost:
      if isFirstPageAgain(page) { return leave(page, isFruitless: true) }
      noteMove()
      if let seam = seam(around: page) {
        phase = .seam(seam)
      } else {
        warnings.add(.seamUnproven)
        take([min(position.consumed, page.items.count)..<page.items.count], of: page)
      }
    }
  }

  /// Takes the page that shows whether the list went on after all.
  mutating func resolve(_ page: Page, endedBy enders: Sources) {
    phase = .page
    guard page.rawCount > 0, !repeats(page) else { return finish(hasMore: false) }
    switch locate(in: page) {
    case .found(let runs, _):
      if runs.allSatisfy(\.isEmpty) { return finish(hasMore: false) }
      distrust(enders)
    case .unseen:
      if isFirstPageAgain(page) { return finish(hasMore: false) }
      distrust(enders)
    case .lost: break
    }
    if room == 0 { return finish(hasMore: true) }
    arrive(at: page)
  }

  /// Those who said that the list was at its end when it was not. A short page was merely an exception.
  private mutating func distrust(_ enders: Sources) {
    position.distrusted.formUnion(enders.subtracting(.size))
    if enders.contains(.total) { warnings.add(.totalContradicted) }
  }

  /// Takes of `runs` what there is room for; then the page is left, or the slice is full.
  mutating func take(_ runs: [Range<Int>], of page: Page) {
    var tookAny = false
    for run in runs where !run.isEmpty {
      guard room > 0 else { return finishWithin(page) }
      let part = run.prefix(room)
      pieces.append(Slice.Piece(page: page, items: part))
      warnPerPage(page)
      taken += part.count
      position.served += part.count
      position.consumed = part.upperBound
      position.emptyRun = 0
      if plan.shifts != .off { position.anchors.append(page.items[part]) }
      tookAny = true
      if part.count < run.count { return finishWithin(page) }
    }
    leave(page, isFruitless: !tookAny)
  }

  /// The page has nothing more to give.
  mutating func leave(_ page: Page, isFruitless: Bool) {
    if isFruitless { warnPerPage(page) }
    let sighting = sighting(of: page)
    let outlook = course.outlook(sighting)
    if sighting.totalIsThePagesCount(outlook) {
      position.distrusted.insert(.total)
      warnings.add(.totalContradicted)
    }
    guard outlook.verdict != .end else { return finish(hasMore: false) }
    let left = position.place
    guard let following = following(page) else {
      if outlook.isPromised { warnings.add(.nextMissing) }
      return finish(hasMore: false)
    }
    learn(page)
    position.place = following.place
    position.consumed = following.consumed
    if outlook.isPromised { position.traits.insert(.isPromised) } else { position.traits.remove(.isPromised) }
    if course.isLed, isLoop(from: left) { return }
    if isFruitless, stepsOver(page, outlook) { return }
    goOn(from: outlook)
  }

  /// Asks for the page at the position, unless the slice is full and nothing is in doubt.
  mutating func goOn(from outlook: Outlook?) {
    if pagesAsked >= plan.limits.pages, room > 0 {
      warnings.add(.pagesLimited)
      finish(hasMore: true)
    } else if let outlook, case .doubtful = outlook.verdict, pagesAsked < plan.limits.pages {
      phase = .doubt(outlook.enders)
    } else if room == 0 {
      finish(hasMore: true)
    } else {
      phase = .page
    }
  }

  /// The place after `page`, and how many of its items are expected to have been served. With `exact`, one at least where
  /// the style allows: so that the seam shows.
  private func following(_ page: Page) -> (place: Place, consumed: Int)? {
    let end = index.map { $0 + page.rawCount }
    if plan.shifts == .exact, let end, end > 0, !position.anchors.isEmpty,
      let overlapping = overlap(at: end)
    {
      return overlapping
    }
    if let end, course.size(at: position.place) != course.size(at: course.start),
      let usual = course.place(showing: end, freely: false, grain: grain),
      let start = course.index(of: usual, grain: grain), start <= end
    {
      // Back from a page that was cut to show a seam to the pages that everybody asks for.
      return (usual, end - start)
    }
    return course.place(after: page, at: position.place, grain: grain).map { ($0, 0) }
  }

  /// A page that shows the item before `end` together with the one at it; nil where the style has none.
  func overlap(at end: Int) -> (place: Place, consumed: Int)? {
    guard let place = course.place(showing: end - 1, freely: true, grain: grain),
      let start = course.index(of: place, grain: grain), start < end
    else { return nil }
    let size = course.size(at: place) ?? position.pageSize
    return start + size > end ? (place, end - start) : nil
  }

  /// A place that was there before ends the list, with a warning unless that is this upstream's way to say so.
  private mutating func isLoop(from left: Place) -> Bool {
    if position.recentPlaces.isEmpty { position.recentPlaces.append(left.fingerprint) }
    let fingerprint = position.place.fingerprint
    if position.recentPlaces.contains(fingerprint) {
      if !(course.endsByRepeating && position.place == left) { warnings.add(.loopStopped) }
      finish(hasMore: false)
      return true
    }
    if position.recentPlaces.count == Position.recentPlaceCount { position.recentPlaces.removeFirst() }
    position.recentPlaces.append(fingerprint)
    return false
  }

  /// Counts a page that brought nothing, and ends the slice or the list when there are too many.
  private mutating func stepsOver(_ page: Page, _ outlook: Outlook) -> Bool {
    position.emptyRun += 1
    let isEmpty = page.rawCount == 0
    if isEmpty {
      emptyPages += 1
      warnings.add(.emptyPageSkipped)
    }
    if position.emptyRun >= runLimit(isEmpty: isEmpty, outlook) {
      warnings.add(.loopStopped)
      finish(hasMore: false)
      return true
    }
    if emptyPages >= plan.limits.emptyPages {
      finish(hasMore: true)
      return true
    }
    return false
  }

  /// How many fruitless pages in a row end the list. A fresh token or a total is a better promise than a flag.
  private func runLimit(isEmpty: Bool, _ outlook: Outlook) -> Int {
    if course.isLed { return plan.limits.emptyRun }
    if case .open = outlook.verdict { return 2 }
    return isEmpty || outlook.isPromised ? plan.limits.emptyPages : plan.limits.emptyRun
  }

  private mutating func finishWithin(_ page: Page) {
    if plan.shifts == .exact, plan.keysAreIDs,
      let place = course.place(afterItem: position.consumed - 1, of: page)
    {
      position.place = place
      position.consumed = 0
    }
    finish(hasMore: true)
  }

  mutating func finish(hasMore: Bool) { phase = .finished(hasMore: hasMore) }

  private mutating func warnPerPage(_ page: Page) {
    guard !page.warnings.isEmpty, pieces.dropLast().last?.page !== page else { return }
    warnings.add(page.warnings)
  }

  func sighting(of page: Page) -> Sighting {
    Sighting(
      page: page, index: index, pageIndex: course.pageIndex(of: position.place),
      asked: course.size(at: position.place), position: position, ending: course.ending)
  }
}
