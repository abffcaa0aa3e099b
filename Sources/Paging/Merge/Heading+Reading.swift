package import JSON

/// What one list of an item's way to the root reads of it.
package struct MarkReading: Sendable, Hashable {
  /// How the list merges; nil where it does not go by an order.
  package let order: SortOrder?
  /// From the item to the value of each part of ``order``.
  package let keys: [Pointer]
  /// From the item to what identifies it among all; nil where nothing does.
  package let id: Pointer?

  package init(order: SortOrder?, keys: [Pointer], id: Pointer?) {
    self.order = order
    self.keys = keys
    self.id = id
  }
}

extension Heading {
  /// - Parameters:
  ///   - item: one item alone.
  ///   - marks: of the lists from the root down to the item's own; not empty.
  package init(of item: Document, by marks: [MarkReading]) {
    self.init(
      Mark(of: item, by: marks[0]), marks.count == 1 ? [] : marks.dropFirst().map { Mark(of: item, by: $0) })
  }
}

extension Heading.Mark {
  fileprivate init(of item: Document, by mark: MarkReading) {
    self.init(
      key: mark.order?.key(of: item, at: mark.keys) ?? .none,
      id: mark.id.flatMap { item.node(at: $0) }.flatMap { item.fingerprint(of: $0, seed: 0) } ?? 0)
  }
}

extension SortKey {
  /// Where there is no order.
  static let none = SortKey(bytes: [])
}
