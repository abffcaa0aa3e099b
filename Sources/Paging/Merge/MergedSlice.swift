/// What one client request gets of several lists: items in order, each from one of them.
package struct MergedSlice {
  package struct Pick {
    /// The list that it comes from, among the plan's leaves.
    package let leaf: Int
    package let leg: any MergeLeg
    /// Among the leg's items.
    package let index: Int
  }

  package let picks: [Pick]
  /// The sum of the lists' totals where all are known and exact, and no item was seen to be in several.
  package let total: Int?
  /// ``total`` in pages of the merged list, whatever pages the lists have.
  package let pageCount: Int?
  /// Where the next slice starts; nil at the end of all lists.
  package let next: MergePosition?
  package let warnings: Warnings

  package var hasMore: Bool { next != nil }
}
