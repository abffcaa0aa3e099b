/// What a merge looks at of an item.
package struct Heading: Sendable {
  /// What one list of the way from the root to the item's own looks at.
  package struct Mark: Sendable {
    /// Where it belongs. Looked at by ``MergePlan/Strategy/merge`` only.
    package let key: SortKey
    /// A hash of what identifies it; 0 where nothing does. Looked at where items are to be unique.
    package let id: UInt64

    package init(key: SortKey, id: UInt64) {
      self.key = key
      self.id = id
    }
  }

  /// For the root.
  private let first: Mark
  /// For those below it.
  private let others: [Mark]

  package init(_ first: Mark, _ others: [Mark]) {
    self.first = first
    self.others = others
  }

  /// - Parameter depth: 0 for the root.
  subscript(depth: Int) -> Mark { depth == 0 ? first : others[depth - 1] }
}
