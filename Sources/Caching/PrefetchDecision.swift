/// Whether the next page of a walk is fetched before anybody asks for it.
package struct PrefetchDecision: Sendable, Hashable {
  /// How an upstream's gate stands.
  package enum Room: Sendable, Hashable {
    /// A request could leave at once.
    case free
    /// All places are taken, or others wait.
    case saturated
    /// Nothing leaves: the upstream is down, or being spared.
    case suspended
    /// The rate is used up, or the upstream asked to be left alone.
    case limited
  }

  /// Where a walk stands when its slice is cut.
  package struct Place: Sendable, Hashable {
    /// Items of the page the walk is in that have been served, and all of them.
    package let consumed: Int
    package let count: Int
    /// Whether a total, a page count or a next says that another page follows.
    package let hasNext: Bool
    /// Pages that follow and are held or under way already.
    package let ahead: Int

    package init(consumed: Int, count: Int, hasNext: Bool, ahead: Int) {
      self.consumed = consumed
      self.count = count
      self.hasNext = hasNext
      self.ahead = ahead
    }
  }

  /// The share of a page, 0 to 1, that is consumed when the next is fetched.
  package let threshold: Double
  /// How many pages may be ahead; 0 is none.
  package let pages: Int

  package init(threshold: Double, pages: Int) {
    self.threshold = threshold
    self.pages = pages
  }

  /// Pages to fetch now, one after the other: 0 to ``pages``.
  ///
  /// - Parameter isAllowed: what the list's ``PrefetchThrottle`` says.
  package func pagesToFetch(at place: Place, room: Room, isAllowed: Bool) -> Int {
    guard room == .free, isAllowed, place.hasNext, place.ahead < pages else { return 0 }
    // An empty page is consumed.
    if place.count > 0, Double(place.consumed) < threshold * Double(place.count) { return 0 }
    return pages - max(0, place.ahead)
  }
}
