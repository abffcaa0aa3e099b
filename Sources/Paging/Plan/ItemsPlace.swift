package import JSON

/// Where the items of an answer are, in what shape, and what tells one from another.
package struct ItemsPlace: Sendable, Hashable {
  /// What an item's identity is made of.
  package enum Identity: Sendable, Hashable {
    /// Items have none: nothing is recognised again, and nothing is taken for a duplicate.
    case none
    /// The scalars at these pointers from the item, together. One is the usual case; `""` is a scalar item itself.
    /// An item that has none of them has no identity.
    case at([Pointer])
    /// The member name, for an object of items.
    case key
  }

  /// What stands at ``ItemsPlace/at``.
  package enum Shape: Sendable, Hashable {
    /// An array; an object of items; or one object, which is one item: told apart by looking.
    case any
    /// An array of items. Anything else is a fault of shape.
    case array
    /// An object whose members' values are the items, in the order they stand.
    case map
    /// One object or scalar, which is the only item.
    case single
    /// An object or an array of arrays, which follow one another.
    case groups
  }

  /// What it means when nothing stands where the items should.
  package enum Absence: Sendable, Hashable {
    /// An empty page where the rest of the answer says so (a total of 0, no more, an empty parent), else a fault.
    case judged
    /// Always an empty page.
    case empty
    /// Always a fault of shape.
    case fault
  }

  /// How the body is written.
  package enum Format: Sendable, Hashable {
    case json
    /// A value a line; the last `trailers` lines are not items but say something of the page.
    case lines(trailers: Int)
    /// JSON, in which each item (at ``ItemsPlace/each`` from its element) is a string that holds the item's JSON.
    case texts
  }

  /// One place, or several whose items follow one another.
  package let at: [Pointer]
  /// From an element to the item within it (`/node` of a GraphQL edge); nil when they are the same.
  package let each: Pointer?
  package let id: Identity
  package let shape: Shape
  /// For an object of items: an array of its keys, which gives the order, and says which of them belong to the page.
  package let order: Pointer?
  package let absence: Absence
  /// Whether an empty body (204, or 200 with no content) is an empty page rather than a fault.
  package let allowsEmptyBody: Bool
  package let format: Format

  package init(
    at: [Pointer], each: Pointer?, id: Identity, shape: Shape, order: Pointer?, absence: Absence,
    allowsEmptyBody: Bool, format: Format
  ) {
    self.at = at
    self.each = each
    self.id = id
    self.shape = shape
    self.order = order
    self.absence = absence
    self.allowsEmptyBody = allowsEmptyBody
    self.format = format
  }

  /// JSON, of any shape, where only place and identity are given.
  package static func usual(at: Pointer, id: Identity) -> ItemsPlace {
    ItemsPlace(
      at: [at], each: nil, id: id, shape: .any, order: nil, absence: .judged, allowsEmptyBody: false,
      format: .json)
  }
}
