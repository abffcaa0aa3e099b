import Testing

@testable import Paging

/// An upstream given as a function, and a reader that reads it to its end.
struct Script {
  typealias Answer = (PageRequest) -> Result<Page, PageFailure>

  var ids: [Int] = []
  var slices: [Slice] = []
  /// Every page request, in order.
  var requests: [PageRequest] = []
  var failures: [Walk.Failure] = []

  var warnings: [String] { slices.flatMap { $0.warnings.entries.map(\.text) } }
  var pages: [Int] { requests.map { $0.number("page") ?? $0.number("offset") ?? -1 } }

  /// Reads slices of `limit` items until the end, or until so many slices have failed or been read.
  init(_ plan: WalkPlan, limit: Int, attempts: Int = 200, answer: Answer) {
    var position: Position?
    for _ in 0..<attempts {
      var walk = Walk(plan: plan, from: position, limit: limit)
      let step = Script.run(&walk, &requests, answer)
      switch step {
      case .finish(let slice):
        slices.append(slice)
        for piece in slice.pieces { ids += piece.page.items[piece.items].map(\.modelID) }
        guard let next = slice.next else { return }
        position = try? Position(decoding: next.encode())
      case .fail(let failure): failures.append(failure)
      case .fetch: return
      }
    }
    Issue.record("no end after \(attempts) slices")
  }

  private static func run(_ walk: inout Walk, _ requests: inout [PageRequest], _ answer: Answer) -> Walk.Step
  {
    while true {
      let step = walk.next()
      guard case .fetch(let request) = step else { return step }
      requests.append(request)
      switch answer(request) {
      case .success(let page): walk.receive(page)
      case .failure(let failure): walk.receive(failure)
      }
    }
  }
}

extension Result where Success == Page, Failure == PageFailure {
  /// A page of these ids that says this.
  static func page(_ ids: some Collection<Int>, _ said: Said = .nothing, hasIDs: Bool = true) -> Self {
    .success(.of(ids, said, hasIDs: hasIDs))
  }

  static func status(_ status: Int) -> Self {
    .failure(PageFailure(status: status, code: "upstream_refused", meaning: nil))
  }

  static var timeout: Self { .failure(PageFailure(status: nil, code: "upstream_timeout", meaning: nil)) }
}

extension Said {
  static func total(_ total: Int?, pageCount: Int? = nil, hasMore: Bool? = nil) -> Said {
    Said(
      total: total, totalIsLowerBound: false, pageCount: pageCount, page: nil, hasMore: hasMore, next: .unsaid
    )
  }

  static func pageCount(_ pageCount: Int) -> Said { .total(nil, pageCount: pageCount) }
  static func hasMore(_ hasMore: Bool) -> Said { .total(nil, hasMore: hasMore) }

  static func token(_ token: String?, hasMore: Bool? = nil, total: Int? = nil) -> Said {
    Said(
      total: total, totalIsLowerBound: false, pageCount: nil, page: nil, hasMore: hasMore,
      next: token.map { .text(Array($0.utf8)) } ?? .none)
  }
}

extension Collection<Int> {
  /// The `number`-th page of `size`, counted from 1.
  func paged(_ number: Int, _ size: Int) -> [Int] { Array(dropFirst((number - 1) * size).prefix(size)) }
}
