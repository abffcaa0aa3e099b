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
  case window(Window)
  case whole(Whole)
}

extension Style {
  /// The style's own answers to what the machine asks: the one place where a style joins it.
  var course: any Course {
    switch self {
    case .page(let style): style
    case .offset(let style): style
    case .token(let style): style
    case .link(let style): style
    case .nextURL(let style): style
    case .keyset(let style): style
    case .range(let style): style
    case .graphql(let style): style
    case .window(let style): style
    case .whole(let style): style
    }
  }
}
