// What pages teach about their list, beside their items.

extension Walk {
  /// Notes what the page says, and what it contradicts.
  ///
  /// - Returns: whether the list has visibly changed since the page before.
  @discardableResult
  mutating func note(_ page: Page, at place: Place) -> Bool {
    let said = page.said
    var hasChanged = false
    if isUsual(place) { largestPage = max(largestPage, page.rawCount) }
    if let total = said.total ?? (course.isWhole ? page.rawCount : nil) {
      if let before = position.total, before != total {
        warnings.addOnce(.totalChanged)
        hasChanged = true
        if total < before { position.traits.insert(.hasShrunk) }
      }
      position.total = total
      position.traits.set(.totalIsLowerBound, to: said.totalIsLowerBound)
    }
    if let pageCount = said.pageCount, isUsual(place) {
      if let before = position.pageCount, before != pageCount { hasChanged = true }
      position.pageCount = pageCount
    }
    if let asked = course.size(at: place), page.rawCount > asked { position.traits.insert(.sizeIsFixed) }
    if hasChanged { position.traits.insert(.hasMoved) }
    distrust(page, at: place)
    return hasChanged
  }

  /// What this one answer contradicts is not believed any more.
  private mutating func distrust(_ page: Page, at place: Place) {
    let said = page.said
    if let total = said.total, !said.totalIsLowerBound, page.rawCount > 0,
      let index = course.index(of: place, grain: grain), index + page.rawCount > total,
      position.distrusted.insert(.total).inserted
    {
      warnings.add(.totalContradicted)
    }
    if let pageCount = said.pageCount, pageCount > 0, page.rawCount > 0,
      let pageIndex = course.pageIndex(of: place), pageIndex >= pageCount
    {
      position.distrusted.insert(.pageCount)
    }
  }

  /// Keeps what the next pages are compared with.
  mutating func learn(_ page: Page) {
    position.pageSize = max(position.pageSize, min(page.rawCount, Place.maximumPageSize))
    position.previousPage = page.fingerprint
    position.echo = isUsual(position.place) ? page.said.page.flatMap { $0 >= 0 ? $0 : nil } : nil
    if position.firstPage == 0, let first = page.items.first {
      position.firstPage = page.isIdentified ? first.anchor : page.fingerprint
    }
  }

  private func isUsual(_ place: Place) -> Bool { course.size(at: place) == course.size(at: course.start) }

  /// - Parameter isUp: whether the reader's place came closer to the beginning of the list.
  mutating func noteMove(isUp: Bool) {
    if isUp { position.traits.insert(.hasShrunk) }
    position.traits.insert(.hasMoved)
    warnings.addOnce(.listShifted)
  }

  /// Whether the page is the one before over again, as upstreams give that are asked past their end.
  func repeats(_ page: Page) -> Bool {
    guard page.rawCount > 0, position.previousPage != 0, position.place != course.start else { return false }
    if let echo = page.said.page, let before = position.echo, echo < before, isUsual(position.place) {
      return true
    }
    return page.fingerprint == position.previousPage && tellsItself(page)
  }

  /// Whether the upstream gave its first page again instead of one past its end. Only asked where no item is known.
  func isFirstPageAgain(_ page: Page) -> Bool {
    guard position.firstPage != 0, position.place != course.start, page.rawCount > 0 else { return false }
    guard page.isIdentified else { return page.fingerprint == position.firstPage && tellsItself(page) }
    return position.served >= page.rawCount && page.items.contains { $0.anchor == position.firstPage }
  }

  /// Whether a page cannot well be equal to another one. A single item without an id may be followed by one like it, where
  /// more was said to follow.
  private func tellsItself(_ page: Page) -> Bool {
    page.isIdentified || page.rawCount > 1 || course.outlook(sighting(of: page)).verdict != .more
  }
}

extension Sighting {
  /// A total that equals the items of a full first page, where more was said to follow.
  func totalIsThePagesCount(_ outlook: Outlook) -> Bool {
    outlook.isPromised && !position.distrusted.contains(.total) && totalMayCountThePage
  }
}
