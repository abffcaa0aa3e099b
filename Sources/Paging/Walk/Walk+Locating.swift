/// Where the walk's place is in a page.
enum Location {
  /// These runs of items are new; the list has moved when they are not where they were expected.
  case found(runs: [Range<Int>], hasMoved: Bool)
  /// The page is a new one, and nothing in it has been served: what comes of a list that stands still.
  case unseen
  /// An item that was served should be here, and none is.
  case lost
}

extension Walk {
  func locate(in page: Page) -> Location {
    let anchors = position.anchors
    let end = page.items.count
    guard let newest = anchors.newest else {
      return position.consumed == 0
        ? .unseen : .found(runs: [min(position.consumed, end)..<end], hasMoved: false)
    }
    let expected = position.consumed - 1 - anchors.unnamed
    if expected >= 0, expected < end, page.items[expected].anchor == newest, position.consumed <= end {
      return .found(runs: [position.consumed..<end], hasMoved: false)
    }
    if let runs = unserved(in: page) {
      return .found(runs: runs, hasMoved: !(course.repeatsItems && position.consumed == 0))
    }
    return position.consumed > 0 ? .lost : .unseen
  }

  /// What of the page has not been served, going by the anchors in it; nil when there is none.
  ///
  /// A list that only gains and loses items keeps its order: what is behind the last anchor is new, what is before it
  /// has been served, or is not part of this walk. Where items with equal sort keys change places from page to page, that
  /// does not hold: so only `exact`, which promises never to give an item twice, goes by it. `watch` passes over the
  /// anchors themselves, and over what is before the first where that has been served.
  func unserved(in page: Page) -> [Range<Int>]? {
    let anchors = position.anchors
    let filter = anchors.filter
    let end = page.items.count
    var runs: [Range<Int>] = []
    var start = 0
    var last: (index: Int, rank: Int)?
    for index in 0..<end {
      guard let rank = anchors.rank(of: page.items[index], filter: filter) else { continue }
      let isAhead = last != nil || (position.consumed == 0 && rank > anchors.hashes.count / 2)
      if plan.shifts != .exact, isAhead, start < index { runs.append(start..<index) }
      last = (index, rank)
      start = index + 1
    }
    guard let last else { return nil }
    if last.rank == anchors.hashes.count - 1 {
      var unnamed = anchors.unnamed
      while unnamed > 0, start < end, page.items[start].id == 0 {
        start += 1
        unnamed -= 1
      }
    }
    if start < end { runs.append(start..<end) }
    return runs
  }
}
