/// What ends a list where the upstream says nothing better.
package struct Ending: Sendable, Hashable {
  /// Whether a page with fewer items than its size is the last. Not so where the upstream filters afterwards.
  package let byShortPage: Bool
  /// Statuses that mean that the page asked for lies past the last one. Never believed of the first page.
  package let statuses: [Int]

  package init(byShortPage: Bool, statuses: [Int]) {
    self.byShortPage = byShortPage
    self.statuses = statuses
  }

  /// For numbered pages, offsets and ranges.
  package static let counted = Ending(byShortPage: true, statuses: [400, 404, 416])
  /// For keysets: a page may be short because the upstream filtered it.
  package static let keyed = Ending(byShortPage: false, statuses: [])
  /// For styles where the upstream names the next page, or has one only.
  static let led = Ending(byShortPage: false, statuses: [])
}
