import JSON
import TestSupport

@testable import Paging

/// A list behind a paging API, as a value: it answers a walk's requests without JSON or HTTP, and it can lie, fail and shift.
struct ModelUpstream {
  enum PastTheEnd: CaseIterable { case empty, notFound, lastPage, firstPage }

  /// What it says beside the items.
  struct Talk {
    var total: Total = .none
    var pageCount = false
    var page = false
    var hasMore = false
    /// Only for styles that count: the next page's number.
    var next = false

    enum Total: Equatable { case none, right, off(by: Int), pageItems }
  }

  var list: [Int]
  var style: Style
  /// The size of a page nobody asked a size for.
  var defaultSize = 20
  /// The largest page it gives.
  var cap = Int.max
  /// Whether it pays no regard to the size it is asked for.
  var sizeIsFixed = false
  var talk = Talk()
  var pastTheEnd = PastTheEnd.empty
  var hasIDs = true
  /// Whether a token stands for the item that it follows, rather than for the number of items before it.
  var tokensAreKeys = false
  /// Indices of pages that come out empty although more follow (filtered afterwards). Led styles only.
  var filtered: Set<Int> = []
  var random: SeededRandom
  /// How probable a failed request is.
  var failureRate = 0.0
  /// What happens to the list after a request.
  var shift: (inout [Int], inout SeededRandom) -> Void = { _, _ in }
  private(set) var requests = 0

  init(_ list: [Int], _ style: Style, random: SeededRandom) {
    self.list = list
    self.style = style
    self.random = random
  }

  mutating func answer(_ request: PageRequest) -> Result<Page, PageFailure> {
    requests += 1
    if failureRate > 0, Double.random(in: 0..<1, using: &random) < failureRate {
      return .failure(PageFailure(status: 503, code: "upstream_fault", meaning: nil))
    }
    defer { shift(&list, &random) }
    return reply(request)
  }

  private func reply(_ request: PageRequest) -> Result<Page, PageFailure> {
    let asked = request.number("size") ?? defaultSize
    let size = sizeIsFixed ? defaultSize : max(1, min(asked, cap))
    switch style {
    case .page(let style):
      let index = (request.number("page") ?? style.first) - style.first
      return counted(from: index * size, size, page: index, first: style.first)
    case .offset(let style):
      let index = (request.number("offset") ?? style.first) - style.first
      return counted(from: index, size, page: index / size, first: 0)
    case .range:
      let bounds = request.text("Range")!.split(separator: "=")[1].split(separator: "-").map { Int($0)! }
      return counted(from: bounds[0], bounds[1] - bounds[0] + 1, page: bounds[0] / size, first: 0)
    case .token, .graphql, .nextURL, .link:
      let token = request.token.flatMap { Int($0) }
      let start =
        tokensAreKeys
        ? token.map { token in list.firstIndex { $0 < token } ?? list.count } : token
      return .success(led(from: start ?? 0, size))
    case .keyset(let style):
      return .success(keyed(after: request.token.flatMap { Int($0) }, size, style))
    case .whole, .window:
      return .success(page(0..<list.count, .nothing))
    }
  }

  private func counted(from start: Int, _ size: Int, page number: Int, first: Int) -> Result<
    Page, PageFailure
  > {
    var number = number
    var range = min(max(start, 0), list.count)..<min(max(start, 0) + size, list.count)
    if range.isEmpty, start > 0 {
      switch pastTheEnd {
      case .empty: break
      case .notFound: return .failure(PageFailure(status: 404, code: "upstream_fault", meaning: nil))
      case .lastPage:
        number = max(0, (list.count - 1) / size)
        range = number * size..<list.count
      case .firstPage:
        number = 0
        range = 0..<min(size, list.count)
      }
    }
    var said = Said.nothing
    switch talk.total {
    case .none: break
    case .right: said.total = list.count
    case .off(let by): said.total = max(0, list.count + by)
    case .pageItems: said.total = range.count
    }
    if talk.pageCount { said.pageCount = (list.count + size - 1) / size }
    if talk.page { said.page = number + first }
    if talk.hasMore { said.hasMore = start + size < list.count }
    if talk.next { said.next = start + size < list.count ? .text(Array("\(number + 1)".utf8)) : .none }
    return .success(page(range, said))
  }

  private func led(from start: Int, _ size: Int) -> Page {
    let range = min(start, list.count)..<min(start + size, list.count)
    var said = Said.nothing
    let token = Array("\(tokensAreKeys ? list.prefix(range.upperBound).last ?? 0 : range.upperBound)".utf8)
    let isNextURL = if case .nextURL = style { true } else if case .link = style { true } else { false }
    if range.upperBound < list.count {
      said.next = isNextURL ? .target(token) : .text(token)
    } else {
      said.next = .none
    }
    if talk.total == .right { said.total = list.count }
    if talk.hasMore { said.hasMore = range.upperBound < list.count }
    return filtered.contains(start) ? page(0..<0, said) : page(range, said)
  }

  /// Newest first: what comes after a key are the smaller ones.
  private func keyed(after key: Int?, _ size: Int, _ style: Keyset) -> Page {
    let start =
      key.flatMap { key in list.firstIndex { isInclusive ? $0 <= key : $0 < key } ?? list.count } ?? 0
    let end = min(start + size, list.count)
    var said = Said.nothing
    if talk.hasMore { said.hasMore = end < list.count }
    return page(start..<end, said)
  }

  /// For keysets: whether the key's own item comes again.
  var isInclusive = false

  private func page(_ range: Range<Int>, _ said: Said) -> Page { Page.of(list[range], said, hasIDs: hasIDs) }
}

extension Page {
  /// A page of these ids; an id's eight bytes are its item.
  static func of(_ ids: some Collection<Int>, _ said: Said = .nothing, hasIDs: Bool = true) -> Page {
    Page(
      body: Page.modelBody, items: ids.map { Item(modelID: $0, isNamed: hasIDs) }, rawCount: ids.count,
      isContiguous: false, said: said, keys: ids.map { $0 * 8..<$0 * 8 + String($0).utf8.count },
      warnings: Warnings())
  }

  /// Room for the numbers 0 to 99,999, each written with eight digits.
  private static let modelBody = Bytes(
    copying: (0..<100_000).flatMap { number in
      let digits = Array("\(number)".utf8)
      return digits + Array(repeating: UInt8(ascii: " "), count: 8 - digits.count)
    })
}

extension Page.Item {
  init(modelID: Int, isNamed: Bool) {
    self.init(
      start: UInt32(modelID * 8), end: UInt32(modelID * 8 + 8),
      id: isNamed ? StableHash.of(Array("\(modelID)".utf8).span) : 0)
  }

  var modelID: Int { Int(start) / 8 }
}

extension PageRequest {
  func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

  func text(_ name: String) -> String? {
    for part in parts where part.placement.modelName == name {
      switch part.value {
      case .number(let number): return String(number)
      case .text(let text), .json(let text): return String(decoding: text, as: UTF8.self)
      }
    }
    return nil
  }

  var token: String? { target.map { String(decoding: $0, as: UTF8.self) } ?? text("token") }
}

extension Placement {
  var modelName: String {
    switch self {
    case .query(let name), .form(let name), .header(let name), .path(let name): name
    case .json(let pointer): pointer.text
    }
  }
}
