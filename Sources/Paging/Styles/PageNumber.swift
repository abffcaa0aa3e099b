/// Pages by number.
package struct PageNumber: Sendable, Hashable {
  package let page: Placement
  /// The number of the first page: usually 1 or 0.
  package let first: Int
  package let size: PageSize?
  package let ending: Ending

  package init(page: Placement, first: Int, size: PageSize?, ending: Ending) {
    self.page = page
    self.first = first
    self.size = size
    self.ending = ending
  }
}
