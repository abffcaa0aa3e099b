/// A value within a ``Document``: it says nothing without it.
@frozen
package struct Node: Hashable, Sendable {
  /// The number of the structural byte that the value begins with.
  @usableFromInline let entry: UInt32

  @usableFromInline init(_ entry: Int) { self.entry = UInt32(truncatingIfNeeded: entry) }

  @usableFromInline var index: Int { Int(entry) }
}

/// What a value is (RFC 8259 §3).
package enum Kind: Sendable, Hashable {
  case object
  case array
  case string
  case number
  case bool
  case null
}
