// What happens when the page at the position comes: learn, find the place in it, take, and decide what follows.

import JSON

/// What a page gave.
enum Yield {
  case items
  /// It was empty, or all that was in it had been served.
  case nothing
  /// It had come before.
  case sameAgain
  /// It was only looked at to find the place.
  case bearings
}

extension Walk {
  mutating func arrive(at page: Page) {
    let hasChanged = note(page, at: position.place)
    if repeats(page) { return leave(page, .sameAgain) }
    switch locate(in: page) {
    case .found(let sight):
      if sight.hasMoved { noteMove(isUp: (sight.lastAnchor ?? 0) < position.consumed - 1) }
      if !sight.isCertain, let seam = seam(closerTo: sight, in: page) {
        look(for: seam)
      } else {
        take(sight.runs, of: page)
      }
    case .unseen:
      if isFirstPageAgain(page) { return leave(page, .sameAgain) }
      if let seam = seam(doubting: page, hasChanged: hasChanged) {
        position.traits.insert(.isSuspect)
        look(for: seam)
      } else {
        take(runs(from: 0, to: page.items.count), of: page)
      }
    case .lost:
      if isFirstPageAgain(page) { return leave(page, .sameAgain) }
      noteMove(isUp: true)
      if let seam = seam(around: page) {
        look(for: seam)
      } else {
        takeUnproven(page)
      }
    }
  }

  /// Takes a page in which an anchor should be, when none is to be found anywhere. Where all that is behind the reader in it
  /// would be anchors, all of it has been deleted, and what stands there now is new.
  mutating func takeUnproven(_ page: Page) {
    warnings.addOnce(.seamUnproven)
    let isGone = position.consumed <= position.anchors.hashes.count
    take(runs(from: isGone ? 0 : position.consumed, to: page.items.count), of: page)
  }

  /// Takes the page that shows whether the list went on after all.
  mutating func resolve(_ page: Page, endedBy enders: Sources) {
    phase = .page
    guard page.rawCount > 0, !repeats(page) else { return finish(hasMore: false) }
    switch locate(in: page) {
    case .found(let sight):
      if sight.runs.isEmpty, sight.isCertain { return finish(hasMore: false) }
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
    position.traits.remove(.isSuspect)
    var tookAny = false
    for (number, run) in runs.enumerated() {
      // What comes only once is taken whole.
      guard room > 0 || course.servesOnce else { return finishWithin(page) }
      let part = course.servesOnce ? run : run.prefix(room)
      if part.count > room { warnings.addOnce(.limitExceeded) }
      if !endsWithPage, pieces.last?.page !== page { heldBytes += page.body.count }
      pieces.append(Slice.Piece(page: page, items: part))
      warnPerPage(page)
      taken += part.count
      position.served += part.count
      position.consumed = part.upperBound
      position.emptyRun = 0
      position.traits.set(.isJumbled, to: number < runs.count - 1)
      if plan.shifts != .off { position.anchors.append(page.items[part]) }
      tookAny = true
      if part.count < run.count { return finishWithin(page) }
    }
    leave(page, tookAny ? .items : .nothing)
  }

  /// The page has nothing more to give.
  mutating func leave(_ page: Page, _ yield: Yield) {
    if yield != .items { warnPerPage(page) }
    let sighting = sighting(of: page)
    let outlook = course.outlook(sighting)
    if sighting.totalIsThePagesCount(outlook) {
      position.distrusted.insert(.total)
      warnings.add(.totalContradicted)
    }
    if outlook.verdict == .end {
      if course.isLed, page.said.hasMore == true, outlook.enders == .next { warnings.add(.nextMissing) }
      return finish(hasMore: false)
    }
    position.traits.remove(.isJumbled)
    learn(page)
    let left = position.place
    guard let following = following(page) else {
      if outlook.isPromised { warnings.add(.nextMissing) }
      return finish(hasMore: false)
    }
    position.place = following.place
    position.consumed = following.consumed
    position.traits.set(.isPromised, to: outlook.isPromised)
    if course.isLed, isLoop(from: left, yield) { return }
    if yield == .nothing || yield == .sameAgain, stepsOver(page, yield, outlook) { return }
    goOn(from: outlook)
  }

  /// Asks for the page at the position, unless the slice is full and nothing is in doubt.
  mutating func goOn(from outlook: Outlook?) {
    if pagesAsked >= plan.limits.pages, room > 0 {
      // For who walks on at once it is nothing to be told of.
      if !endsWithPage { warnings.add(.pagesLimited) }
      finish(hasMore: true)
    } else if heldBytes >= plan.limits.bytes, room > 0 {
      if !endsWithPage { warnings.add(.bytesLimited) }
      finish(hasMore: true)
    } else if let outlook, case .doubtful = outlook.verdict, pagesAsked < plan.limits.pages {
      phase = .doubt(outlook.enders)
    } else if room <= 0 || (taken > 0 && (endsWithPage || (course.servesOnce && room < position.pageSize))) {
      finish(hasMore: true)
    } else {
      phase = .page
    }
  }

  /// The place after `page`, and how many of its items are expected to have been served. With `exact`, and where rows may
  /// slide away, one at least where the style allows: so that the seam shows.
  private func following(_ page: Page) -> (place: Place, consumed: Int)? {
    let end = index.map { $0 + page.rawCount }
    let isGuarded = plan.shifts == .exact || (plan.shifts == .watch && position.traits.contains(.hasShrunk))
    if isGuarded, let end, end > 0, !position.anchors.isEmpty,
      let overlapping = overlap(at: end, margin: margin)
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

  /// How many items of the page before are asked for again: one, and some more where the list is known to move, so that
  /// those that leave do not take the seam out of sight.
  private var margin: Int { position.traits.contains(.hasMoved) ? max(1, min(4, position.pageSize / 4)) : 1 }

  /// A page that shows `margin` items before `end` together with the one at it, and how many it shows of them; nil where the
  /// style has none.
  func overlap(at end: Int, margin: Int) -> (place: Place, consumed: Int)? {
    guard let place = course.place(showing: max(0, end - margin), freely: true, grain: grain),
      let start = course.index(of: place, grain: grain), start < end
    else { return nil }
    let size = course.size(at: place) ?? position.pageSize
    return start + size > end ? (place, end - start) : nil
  }

  /// A place that was there before ends the list, with a warning unless that is this upstream's way to say so.
  private mutating func isLoop(from left: Place, _ yield: Yield) -> Bool {
    if course.servesOnce, yield == .items { return false }
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
  private mutating func stepsOver(_ page: Page, _ yield: Yield, _ outlook: Outlook) -> Bool {
    position.emptyRun += 1
    if page.rawCount == 0 {
      emptyPages += 1
      warnings.add(.emptyPageSkipped)
    }
    if position.emptyRun >= runLimit(page, yield, outlook) {
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

  /// How many pages in a row may bring nothing before the list is taken to have ended. A fresh token or a total is a better
  /// promise than a flag, and a page that came before is the worst sign of all.
  private func runLimit(_ page: Page, _ yield: Yield, _ outlook: Outlook) -> Int {
    if course.isLed { return yield == .sameAgain ? plan.limits.emptyPages : plan.limits.emptyRun }
    if let limit = course.gapLimit(plan.limits) { return page.rawCount == 0 ? limit : plan.limits.emptyPages }
    switch outlook.verdict {
    case .open: return yield == .sameAgain ? 2 : plan.limits.emptyPages
    case .more, .doubtful, .end:
      return page.rawCount == 0 || outlook.isPromised ? plan.limits.emptyPages : plan.limits.emptyRun
    }
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
