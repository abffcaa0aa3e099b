/// Pages by the number of items before them.
package struct Offset: Sendable, Hashable {
  package let offset: Placement
  /// The offset of the first item: usually 0.
  package let first: Int
  /// Put before the number: `T` for tokens such as `T0`, `T20`.
  package let prefix: String
  package let size: PageSize?
  package let ending: Ending

  package init(offset: Placement, first: Int, prefix: String, size: PageSize?, ending: Ending) {
    self.offset = offset
    self.first = first
    self.prefix = prefix
    self.size = size
    self.ending = ending
  }
}
