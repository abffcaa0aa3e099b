/// Where the walk's place is in a page.
enum Location {
  case found(Sight)
  /// The page is a new one, and nothing in it has been served: what comes of a list that stands still.
  case unseen
  /// An item that was served should be here, and none is.
  case lost
}

/// What of a page is new, going by the anchors in it.
struct Sight: Sendable {
  /// The new items, in order; none of the runs is empty.
  var runs: [Range<Int>]
  /// Whether the anchors are not where a list that stands still would have them.
  var hasMoved: Bool
  /// The last anchor in the page.
  var lastAnchor: Int?
  /// Whether the last item served is in the page or is known to be gone. Else it may stand behind the page's end, with what
  /// looks new in front of it.
  var isCertain = true
}

extension Walk {
  func locate(in page: Page) -> Location {
    let anchors = position.anchors
    let end = page.items.count
    guard let newest = anchors.newest else {
      if position.consumed == 0 { return .unseen }
      return .found(Sight(runs: runs(from: position.consumed, to: end), hasMoved: false))
    }
    // The usual case, at a glance. What has been served may stand behind it only where items came in another order.
    let expected = position.consumed - 1 - anchors.unnamed
    let isExpected = expected >= 0 && expected < end && page.items[expected].anchor == newest
    let isJumbled = position.traits.contains(.isJumbled)
    if isExpected, position.consumed <= end, plan.shifts != .exact, !isJumbled {
      return .found(Sight(runs: runs(from: position.consumed, to: end), hasMoved: false))
    }
    let isStrict = plan.shifts == .exact || (position.consumed > 0 && !isJumbled)
    if var sight = sight(of: page, isStrict: isStrict) {
      if isExpected, sight.lastAnchor == expected { sight.hasMoved = false }
      return .found(sight)
    }
    return position.consumed > 0 ? .lost : .unseen
  }

  /// What of the page has not been served, going by the anchors in it; nil when there is none.
  ///
  /// A list that only gains and loses items keeps its order: what is behind the last anchor is new, what is before it
  /// has been served, or is not part of this walk. That is strict reading. Where items with equal sort keys change places
  /// from page to page it would lose some: so a new page is read otherwise unless the list is to be exact. The anchors
  /// themselves are passed over then, and what is before the first of them where that has been served.
  func sight(of page: Page, isStrict: Bool) -> Sight? {
    let anchors = position.anchors
    let filter = anchors.filter
    let end = page.items.count
    var runs: [Range<Int>] = []
    var start = 0
    var last: (index: Int, rank: Int)?
    for index in 0..<end {
      guard let rank = anchors.rank(of: page.items[index], filter: filter) else { continue }
      let isAhead = last != nil || (position.consumed == 0 && rank > anchors.hashes.count / 2)
      if !isStrict, isAhead, start < index { runs.append(start..<index) }
      last = (index, rank)
      start = index + 1
    }
    guard let last else { return nil }
    let isNewest = last.rank == anchors.hashes.count - 1
    if isNewest {
      var unnamed = anchors.unnamed
      while unnamed > 0, start < end, page.items[start].id == 0 {
        start += 1
        unnamed -= 1
      }
    }
    if start < end { runs.append(start..<end) }
    return Sight(
      runs: runs, hasMoved: !(course.repeatsItems && position.consumed == 0), lastAnchor: last.index,
      isCertain: !isStrict || isNewest || end - start >= min(8, max(2, position.pageSize - 2)))
  }

  func runs(from start: Int, to end: Int) -> [Range<Int>] { start < end ? [start..<end] : [] }
}
