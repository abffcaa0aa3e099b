/// What one client request gets: items of one or several pages, in order.
package struct Slice: Sendable {
  /// A run of a page's items.
  package struct Piece: Sendable {
    package let page: Page
    /// Indices into the page's items; not empty.
    package let items: Range<Int>

    package init(page: Page, items: Range<Int>) {
      self.page = page
      self.items = items
    }
  }

  package let pieces: [Piece]
  /// The items in all ``pieces``, 0 to the limit.
  package let count: Int
  /// As the upstream says, nil when it does not or when the pages contradict it.
  package let total: Int?
  /// As the upstream says, or derived from total and page size.
  package let pageCount: Int?
  /// Where the next slice starts; nil at the end of the list.
  package let next: Position?
  package let warnings: Warnings

  package init(
    pieces: [Piece], count: Int, total: Int?, pageCount: Int?, next: Position?, warnings: Warnings
  ) {
    self.pieces = pieces
    self.count = count
    self.total = total
    self.pageCount = pageCount
    self.next = next
    self.warnings = warnings
  }

  package var hasMore: Bool { next != nil }
}

extension Slice.Piece {
  /// The parts of the page's body that hold the items: one where they stand one behind the other, else one an item.
  /// Within a part, items are separated as the upstream wrote them; between parts a comma is to be put.
  package var byteRanges: [Range<Int>] {
    page.isContiguous
      ? [Int(page.items[items.lowerBound].start)..<Int(page.items[items.upperBound - 1].end)]
      : page.items[items].map(\.range)
  }
}
