import JSON
import TestSupport
import Testing

@testable import Paging

/// A client that reads a list to its end, slice by slice, with a cursor that travels as bytes in between.
struct Reader {
  var plan: WalkPlan
  var upstream: ModelUpstream
  /// Items a slice; taken in turn.
  var limits: [Int]

  var ids: [Int] = []
  var slices: [Slice] = []
  var warnings = Warnings()
  var failedSlices = 0

  init(_ upstream: ModelUpstream, limits: [Int], shifts: Shifts = .watch) {
    self.upstream = upstream
    self.limits = limits
    plan = .model(upstream.style, shifts: shifts)
  }

  /// Reads to the end. Gives up, with an issue, after far more slices than the list has items.
  mutating func readAll() {
    var position: Position?
    for count in 0... {
      guard count < 3_000 else {
        Issue.record("no end after \(count) slices")
        return
      }
      let limit = limits[count % limits.count]
      guard let slice = readSlice(from: position, limit: limit) else { continue }
      check(slice, limit: limit)
      slices.append(slice)
      for piece in slice.pieces { ids += piece.page.items[piece.items].map(\.modelID) }
      warnings.add(slice.warnings)
      guard let next = slice.next else { return }
      position = roundTripped(next)
    }
  }

  /// One client request; nil when it failed, and is to be made again.
  mutating func readSlice(from position: Position?, limit: Int) -> Slice? {
    var walk = Walk(plan: plan, from: position, limit: limit)
    while true {
      switch walk.next() {
      case .fetch(let request):
        switch upstream.answer(request) {
        case .success(let page): walk.receive(page)
        case .failure(let failure): walk.receive(failure)
        }
      case .finish(let slice): return slice
      case .fail:
        failedSlices += 1
        return nil
      }
    }
  }

  private func check(_ slice: Slice, limit: Int) {
    #expect(slice.count == slice.pieces.reduce(0) { $0 + $1.items.count })
    #expect(slice.count <= limit)
    #expect(slice.pieces.allSatisfy { !$0.items.isEmpty })
    if slice.hasMore, slice.count < limit { #expect(!slice.warnings.isEmpty) }
  }

  private func roundTripped(_ position: Position) -> Position? {
    let decoded = try? Position(decoding: position.encode())
    #expect(decoded == position)
    return decoded
  }
}

extension WalkPlan {
  static func model(
    _ style: Style, shifts: Shifts = .watch, says: Says = .nothing, limits: Limits = .defaults
  ) -> WalkPlan {
    WalkPlan(
      style: style, items: .usual(at: .root, id: .at([.root])), says: says, refusal: nil, shifts: shifts,
      limits: limits)
  }
}

extension Style {
  static func pages(first: Int = 1, size: Int?, isAsked: Bool = true) -> Style {
    .page(
      PageNumber(
        page: .query("page"), first: first,
        size: size.map { PageSize(placement: isAsked ? .query("size") : nil, value: $0) }, ending: .counted))
  }

  static func offsets(first: Int = 0, size: Int?) -> Style {
    .offset(
      Offset(
        offset: .query("offset"), first: first, prefix: "",
        size: size.map { PageSize(placement: .query("size"), value: $0) }, ending: .counted))
  }

  static func tokens(size: Int, endsByRepeating: Bool = false) -> Style {
    .token(
      Token(
        sending: .at(.query("token")), first: nil, size: PageSize(placement: .query("size"), value: size),
        goesAlone: false, endsByRepeating: endsByRepeating))
  }

  static func keys(size: Int, step: Int = 0) -> Style {
    .keyset(
      Keyset(
        sending: .query("token"), key: .root, step: step, first: nil,
        size: PageSize(placement: .query("size"), value: size), ending: .keyed))
  }

  static func ranges(size: Int) -> Style {
    .range(ItemRange(field: "Range", unit: "items", size: size, ending: .counted))
  }
}

extension Pointer {
  static let root = try! Pointer("")
}
