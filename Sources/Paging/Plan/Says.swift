/// What an answer says of its list beside the items, and where. Everything is optional.
package struct Says: Sendable, Hashable {
  /// The number of items in the whole list.
  package var total: Locator?
  /// The number of pages.
  package var pageCount: Locator?
  /// The number of this page, counted as the request counts.
  package var page: Locator?
  /// Whether more follows.
  package var hasMore: Locator?
  /// Whether this is the last page: ``hasMore`` negated (`is_end`, `last`, `done`, `no_more`).
  package var isLast: Locator?
  /// The next page's token, number or URL.
  package var next: Locator?

  package init(
    total: Locator?, pageCount: Locator?, page: Locator?, hasMore: Locator?, isLast: Locator?, next: Locator?
  ) {
    self.total = total
    self.pageCount = pageCount
    self.page = page
    self.hasMore = hasMore
    self.isLast = isLast
    self.next = next
  }

  /// An upstream that says nothing.
  package static let nothing = Says(
    total: nil, pageCount: nil, page: nil, hasMore: nil, isLast: nil, next: nil)
}
