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

  init(_ says: Says) {
    total = says.total.flatMap { Reading($0) }
    pageCount = says.pageCount.flatMap { Reading($0) }
    page = says.page.flatMap { Reading($0) }
    hasMore = says.hasMore.flatMap { Reading($0) }
    isLast = says.isLast.flatMap { Reading($0) }
    next = says.next.flatMap { Reading($0) }
  }
}
