/// How a list is paged. Each style is one value type with one file.
package enum Style: Sendable, Hashable {
  case page(PageNumber)
  case offset(Offset)
  case token(Token)
  case link(LinkRelation)
  case nextURL(NextURL)
  case keyset(Keyset)
  case range(ItemRange)
  case graphql(Connection)
  case whole(Whole)
}
