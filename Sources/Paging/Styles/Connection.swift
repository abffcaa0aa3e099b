/// A GraphQL connection: `pageInfo.endCursor` goes into a variable while `hasNextPage` is true.
/// - SeeAlso: GraphQL Cursor Connections Specification.
package struct Connection: Sendable, Hashable {
  /// The connection: the object that holds `pageInfo`.
  package let at: Pointer
  /// The variable that takes the cursor, usually `/variables/after`.
  package let after: Placement
  package let size: PageSize?

  package init(at: Pointer, after: Placement, size: PageSize?) {
    self.at = at
    self.after = after
    self.size = size
  }
}
