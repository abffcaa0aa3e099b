import JSON

/// Where a list's answers say what, made ready once for all of them: what the configuration names, and what the style
/// knows by itself.
struct Readings: Sendable {
  let total: Reading?
  let pageCount: Reading?
  let page: Reading?
  let hasMore: Reading?
  let isLast: Reading?
  let next: Reading?

  init(_ says: Says, _ style: Style) {
    var total = says.total
    var hasMore = says.hasMore
    var next = says.next
    switch style {
    case .range: total = total ?? .header("Content-Range")
    case .link(let style): next = next ?? .link(style.relation)
    case .graphql(let style):
      next = next ?? style.pageInfo("endCursor")
      hasMore = hasMore ?? style.pageInfo("hasNextPage")
    case .page, .offset, .token, .nextURL, .keyset, .whole: break
    }
    self.total = total.flatMap { Reading($0) }
    pageCount = says.pageCount.flatMap { Reading($0) }
    page = says.page.flatMap { Reading($0) }
    self.hasMore = hasMore.flatMap { Reading($0) }
    isLast = says.isLast.flatMap { Reading($0) }
    self.next = next.flatMap { Reading($0) }
  }
}

extension Connection {
  fileprivate func pageInfo(_ member: String) -> Locator? {
    (try? Pointer(at.text + "/pageInfo/" + member)).map { .body($0) }
  }
}
