/// What one answer says of its list.
package struct Said: Sendable, Hashable {
  /// What is said of the page that follows.
  package enum Next: Sendable, Hashable {
    /// Nothing is known: the list names no place to look, or the style needs none.
    case unsaid
    /// There is none: what stands where it should be is null, empty or absent.
    case none
    /// A token as plain text.
    case text([UInt8])
    /// A token that is a number, an object or an array, in the upstream's spelling.
    case json([UInt8])
    /// A path and query, resolved and held to the upstream's own origin.
    case target([UInt8])
  }

  /// 0 or more; nil when unknown.
  package var total: Int?
  /// Whether the list has ``total`` items or more.
  package var totalIsLowerBound: Bool
  package var pageCount: Int?
  /// The page's own number, counted as the request counts.
  package var page: Int?
  package var hasMore: Bool?
  package var next: Next

  package init(
    total: Int?, totalIsLowerBound: Bool, pageCount: Int?, page: Int?, hasMore: Bool?, next: Next
  ) {
    self.total = total
    self.totalIsLowerBound = totalIsLowerBound
    self.pageCount = pageCount
    self.page = page
    self.hasMore = hasMore
    self.next = next
  }

  package static let nothing = Said(
    total: nil, totalIsLowerBound: false, pageCount: nil, page: nil, hasMore: nil, next: .unsaid)
}
