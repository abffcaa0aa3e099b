import Foundation
import JSON
import TestSupport

@testable import Paging

/// The configuration that somebody would write for a recording's list, from what its index and its API's documentation say.
struct SampleConfiguration {
  let sample: Sample
  let hint: SampleHint
  /// Another recording of the same API that shows where the items are.
  let sibling: Sample?
  /// One that shows where the next page is named.
  let leader: Sample?
  /// How the answer reads, where it is JSON at all.
  let document: Document?

  init(_ sample: Sample, among samples: [Sample], document: Document?) {
    self.sample = sample
    self.document = document
    hint = SampleHint.all[sample.file] ?? SampleHint()
    let siblings = samples.filter { $0.api == sample.api && $0.isList && !$0.isXML }
    sibling =
      siblings.first { $0.items != nil && $0.pagingClass == sample.pagingClass }
      ?? siblings.first { $0.items != nil }
    leader = siblings.first { $0.next != nil && $0.pagingClass == sample.pagingClass }
  }

  /// The upstream, as JSON. Its requests tell by a field which recording they mean.
  func upstream(number: Int) -> String {
    let api = SampleAPI.all[sample.api] ?? SampleAPI()
    var refused = [api.when, api.code.map { #""code":"\#($0)""# }].compactMap { $0 }
    if !api.message.isEmpty { refused.append(#""message":\#(json(api.message))"#) }
    if !api.cases.isEmpty {
      refused.append(#""cases":{\#(api.cases.map { #""\#($0)":"\#($1)""# }.joined(separator: ","))}"#)
    }
    let rule = refused.isEmpty ? "" : #","refused":{\#(refused.joined(separator: ","))}"#
    return #"{"url":"\#(origin)","headers":{"X-Sample":"\#(number)"},"retries":{"attempts":1}\#(rule)}"#
  }

  /// The list, as JSON.
  func list(upstream: String) -> String {
    var request = #"{"path":"/list"}"#
    if let body = sample.request.body {
      request =
        #"{"method":"POST","path":"/list",\#(body.hasPrefix("{") ? #""json":{}"# : #""form":{"a":"1"}"#)}"#
    }
    return #"{"upstream":"\#(upstream)","request":\#(request),"paging":\#(paging),"items":\#(items),"#
      + #""says":{\#(says)},"limit":\#(limit),"maxLimit":10000}"#
  }

  /// As many as the answer holds, so that whether more follows shows without asking.
  var limit: Int { max(1, sample.count ?? 1) }

  private var origin: String {
    guard let url = URLComponents(string: sample.request.url), let host = url.host, url.scheme != "ssh" else {
      return "https://upstream.example.org"
    }
    return "\(url.scheme ?? "https")://\(host)"
  }

  private func json(_ texts: [String]) -> String { "[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]" }

  // MARK: Items

  private var items: String {
    var parts = [#""at":"\#(at)""#, #""id":\#(id)"#]
    if let join = sample.itemsJoin { parts.append(#""order":"\#(join.ids)""#) }
    if let absent = hint.absent { parts.append(#""absent":"\#(absent)""#) }
    if let each = hint.each { parts.append(#""each":"\#(each)","format":"texts""#) }
    if sample.format == "ndjson" {
      parts.append(#""format":"lines","trailers":\#(sample.trailerLines ?? 0)"#)
    }
    return "{\(parts.joined(separator: ","))}"
  }

  private var at: String {
    if let join = sample.itemsJoin { return join.map }
    return hint.at ?? (sample.isXML ? nil : sample.items) ?? sibling?.items ?? "/items"
  }

  private var id: String {
    if let id = hint.id { return id }
    if sample.itemsJoin != nil { return #""key""# }
    switch sample.itemId {
    case "#key": return #""key""#
    case let id? where id.hasPrefix("#index:"): return #""/\#(id.dropFirst(7))""#
    case let id? where id.isEmpty || id.hasPrefix("/"): return #""\#(id)""#
    default: return #""none""#
    }
  }

  // MARK: What is said

  /// A locator of the index in the words of the configuration.
  private func locator(_ text: String?) -> String? {
    guard let text, !text.hasPrefix("xpath:") else { return nil }
    if text.hasPrefix("header:Link#") { return "link:\(text.dropFirst(12))" }
    return text.replacing("last line: ", with: "")
  }

  /// Empty in a hint where the number there is not the list's.
  var total: String? { (hint.total ?? locator(sample.total)).flatMap { $0.isEmpty ? nil : $0 } }
  var pageCount: String? { locator(sample.pageCount) }
  var next: String? {
    hint.next ?? sample.nextSelector ?? locator(sample.next)
      ?? (sample.pagingClass == "none" ? nil : locator(leader?.next))
  }

  private static let negations: Set = [
    "endOfRecords", "isLastPage", "is_end", "no_more", "done", "over", "last", "end_of_stream",
  ]

  private var says: String {
    var parts: [String] = []
    if let total { parts.append(#""total":"\#(total)""#) }
    // The one API whose pages are numbered in two ways.
    if let page = locator(sample.page), sample.api != "wanandroid" { parts.append(#""page":"\#(page)""#) }
    if let pageCount { parts.append(#""pageCount":"\#(pageCount)""#) }
    if let more = hint.hasMore ?? locator(sample.hasMore) {
      let isNegated = more.split(separator: "/").last.map { Self.negations.contains(String($0)) } ?? false
      parts.append(#""\#(isNegated ? "isLast" : "hasMore")":"\#(more)""#)
    }
    if let next, usesNext { parts.append(#""next":"\#(next)""#) }
    return parts.joined(separator: ",")
  }

  private var usesNext: Bool {
    !["page-number", "header-total", "graphql-connection", "none"].contains(sample.pagingClass)
  }

  // MARK: Paging

  private var paging: String {
    if let paging = hint.paging { return paging }
    switch sample.pagingClass {
    case "page-number", "header-total":
      return #"{"style":"page","page":{"query":"page","first":\#(first)}\#(size)\#(limits)}"#
    case "offset-limit" where next == nil, "ndjson":
      return #"{"style":"offset","offset":{"query":"offset"}\#(size)\#(limits)}"#
    case "link-header": return #"{"style":"link","hosts":\#(json(hosts))\#(limits)}"#
    case "graphql-connection":
      let connection = at.hasSuffix("/nodes") ? String(at.dropLast(6)) : at
      return
        #"{"style":"graphql","connection":"\#(connection)","after":{"json":"/variables/after"}\#(limits)}"#
    case "continue-object": return #"{"style":"token","token":{"members":"query"}\#(limits)}"#
    case "range-header": return #"{"style":"token","token":{"header":"Range"}\#(limits)}"#
    case "none": return #"{"style":"whole"}"#
    default:
      guard next != nil else {
        return #"{"style":"keyset","keyset":{"query":"after","key":"\#(sample.itemId ?? "/id")"}\#(limits)}"#
      }
      if leadsByURL { return #"{"style":"nextURL","hosts":\#(json(hosts))\#(limits)}"# }
      let place =
        sample.request.body.map { $0.hasPrefix("{") ? #""json":"/cursor""# : #""form":"cursor""# }
        ?? #""query":"cursor""#
      return #"{"style":"token","token":{\#(place)}\#(limits)}"#
    }
  }

  /// An empty page with more to come ends the slice: its follower was not recorded.
  private let limits = #","limits":{"emptyPages":1}"#

  private var leadsByURL: Bool {
    if let text = nextText { return text.hasPrefix("http") || text.hasPrefix("/") || text.hasPrefix("?") }
    return sample.pagingClass == "next-url"
  }

  /// What the answer names as the next page; nil for nothing.
  var nextText: String? {
    guard let next, let document, let locator = try? Locator(next) else { return nil }
    switch locator {
    case .body(let pointer):
      return document.node(at: pointer).flatMap { document.text(of: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    case .selected: return nextOfSelector
    default: return nil
    }
  }

  /// What must be sent for the next page, where the index says what that is: a token, or a URL's path and query.
  var nextInAnswer: String? {
    if let link = sample.next.flatMap({ $0.hasPrefix("header:Link") ? self.link : nil }) {
      return Self.target(of: link)
    }
    if let name = sample.next.flatMap({ $0.hasPrefix("header:") ? $0.dropFirst(7) : nil }) {
      return sample.response.headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }
    guard usesNext, hint.paging == nil, sample.pagingClass != "continue-object", let text = nextText else {
      return nil
    }
    return leadsByURL ? Self.target(of: text) : text
  }

  private var link: String? {
    let field = sample.response.headers.first { $0.key.lowercased() == "link" }?.value ?? ""
    let element = field.split(separator: ",").first { $0.contains(#"rel="next""#) }
    return element?.split(separator: "<").last?.split(separator: ">").first.map(String.init)
  }

  /// Path and query of a URL, of which the list's own path is the base.
  static func target(of url: String) -> String {
    if url.hasPrefix("?") { return "/list\(url)" }
    guard let scheme = url.range(of: "://") else { return url }
    let rest = url[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    return rest.hasPrefix("?") ? "/\(rest)" : String(rest)
  }

  /// The index names the element too, by its number.
  private var nextOfSelector: String? {
    guard let document, let next = sample.next, let pointer = try? Pointer(next) else { return nil }
    return document.node(at: pointer).flatMap { document.text(of: $0) }
  }

  /// Those that the answer's links name.
  private var hosts: [String] {
    let links = sample.response.headers.first { $0.key.lowercased() == "link" }?.value ?? ""
    let texts =
      links.split(separator: "<").compactMap { $0.split(separator: ">").first } + [Substring(nextText ?? "")]
    return Set(texts.compactMap { URLComponents(string: String($0))?.host }).sorted()
  }

  // MARK: Where the recording stands in its list

  private var first: Int { hint.first ?? 1 }

  private static let pages = ["page", "p", "pn", "pageNum", "page_num", "_page", "pagination[page]"]
  private static let offsets = [
    "offset", "start", "skip", "startAt", "startIndex", "resultOffset", "pagination[start]", "from",
  ]
  private static let sizes = [
    "per_page", "limit", "size", "ps", "pagesize", "pageSize", "count", "rows", "maxResults", "length",
    "_per_page",
    "pagination[pageSize]", "pagination[limit]", "num", "n", "resultRecordCount", "max_results", "page_size",
  ]

  private func number(_ names: [String]) -> Int? {
    guard let url = URLComponents(string: sample.request.url), let query = url.queryItems else { return nil }
    for name in names {
      if let text = query.first(where: { $0.name == name })?.value, let number = Int(text) { return number }
    }
    return nil
  }

  private var pageSize: Int? { number(Self.sizes).flatMap { $0 > 0 && $0 <= 100_000 ? $0 : nil } }

  private var size: String { pageSize.map { #","size":{"query":"size","value":\#($0)}"# } ?? "" }

  /// The position that a client would have come to; nil at the beginning.
  var place: Place? {
    guard hint.paging == nil else { return nil }
    switch sample.pagingClass {
    case "page-number", "header-total":
      let number = hint.start ?? number(Self.pages) ?? first
      return number == first ? nil : .page(number: number, size: pageSize ?? 0)
    case "offset-limit" where next == nil:
      let offset = number(Self.offsets) ?? 0
      return offset == 0 ? nil : .offset(offset)
    default: return nil
    }
  }
}
