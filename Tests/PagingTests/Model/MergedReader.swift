import JSON
import TestSupport
import Testing

@testable import Paging

/// A client that reads several lists as one, slice by slice, with a cursor that travels as bytes in between.
struct MergedReader {
  let plan: MergePlan
  var upstreams: [ModelUpstream]
  let walkPlans: [WalkPlan]
  /// Items a slice; taken in turn.
  let limits: [Int]
  /// Where an item belongs.
  let keys: ModelKeys
  /// Whether a list's next items are too late, whatever becomes of them.
  var isLate: (_ leaf: Int) -> Bool = { _ in false }
  /// In which order the answers of one round come.
  var random: SeededRandom

  /// The items in the order in which they came, and from which leaf.
  var ids: [Int] = []
  var origins: [Int] = []
  var slices: [MergedSlice] = []
  var warnings = Warnings()
  var failedSlices = 0
  /// Requests in one slice beyond one for each page that something was shown of.
  var excess: [Int] = []

  init(
    _ plan: MergePlan, _ upstreams: [ModelUpstream], limits: [Int], keys: ModelKeys, shifts: Shifts = .watch,
    seed: UInt64 = 1
  ) {
    self.plan = plan
    self.upstreams = upstreams
    self.limits = limits
    self.keys = keys
    walkPlans = upstreams.map { .model($0.style, shifts: shifts) }
    random = SeededRandom(seed: seed)
  }

  /// Reads to the end. Gives up, with an issue, after far more slices than the lists have items.
  mutating func readAll() {
    var position: MergePosition?
    for count in 0... {
      guard count < 3_000 else {
        Issue.record("no end after \(count) slices")
        return
      }
      let limit = limits[count % limits.count]
      let before = upstreams.map(\.requests)
      guard let slice = readSlice(from: position, limit: limit) else { continue }
      note(slice, limit: limit, before)
      guard let next = slice.next else { return }
      position = roundTripped(next)
    }
  }

  private mutating func note(_ slice: MergedSlice, limit: Int, _ before: [Int]) {
    #expect(slice.picks.count <= limit)
    if slice.hasMore, slice.picks.count < limit { #expect(!slice.warnings.isEmpty) }
    slices.append(slice)
    warnings.add(slice.warnings)
    var pages: [Set<ObjectIdentifier>] = Array(repeating: [], count: upstreams.count)
    for pick in slice.picks {
      let leg = pick.leg as! ModelLeg
      ids.append(leg.ids[pick.index])
      origins.append(pick.leaf)
      pages[pick.leaf].insert(leg.page(of: pick.index))
    }
    for leaf in upstreams.indices {
      excess.append(upstreams[leaf].requests - before[leaf] - pages[leaf].count)
    }
  }

  /// One client request; nil when it failed, and is to be made again.
  mutating func readSlice(from position: MergePosition?, limit: Int) -> MergedSlice? {
    var merge = Merge(plan: plan, from: position, limit: limit, pageSize: limit)
    return run(&merge)
  }

  /// One client request, which is to be answered.
  mutating func slice(from position: MergePosition?, limit: Int) throws -> MergedSlice {
    let slice = readSlice(from: position, limit: limit)
    return try #require(slice)
  }

  /// Nil when it failed.
  mutating func run(_ merge: inout Merge) -> MergedSlice? {
    while true {
      switch merge.next() {
      case .finish(let slice): return slice
      case .fail:
        failedSlices += 1
        return nil
      case .fetch(let leaves):
        #expect(Set(leaves).count == leaves.count && !leaves.isEmpty)
        for leaf in leaves.shuffled(using: &random) {
          if !isLate(leaf), let leg = leg(of: leaf, from: merge.position.leaves[leaf].place) {
            merge.receive(leg, from: leaf)
          } else {
            merge.fail(leaf)
          }
        }
      }
    }
  }

  private mutating func leg(of leaf: Int, from place: MergePosition.Place) -> ModelLeg? {
    var start: Position?
    if case .within(let bytes) = place { start = try! Position(decoding: bytes) }
    var walk = Walk(plan: walkPlans[leaf], pageFrom: start, limit: .max)
    var answers: [PageLeg.Answer] = []
    while true {
      switch walk.next() {
      case .fail: return nil
      case .finish(let slice):
        return ModelLeg(
          PageLeg(slice, by: walkPlans[leaf], on: nil, from: start, answers: answers), keys,
          depth: plan.ways[leaf].count)
      case .fetch(let request):
        switch upstreams[leaf].answer(request) {
        case .success(let page):
          walk.receive(page)
          answers.append(.page(page))
        case .failure(let failure):
          walk.receive(failure)
          answers.append(.failure(failure))
        }
      }
    }
  }

  private func roundTripped(_ position: MergePosition) -> MergePosition? {
    let bytes = position.encode()
    let decoded = try? MergePosition(decoding: bytes, by: plan)
    #expect(decoded?.encode() == bytes)
    return decoded
  }
}

/// Items of a ``ModelUpstream``, as a merge sees them.
final class ModelLeg: MergeLeg {
  let leg: PageLeg
  let ids: [Int]
  private let keys: ModelKeys
  private let depth: Int

  init(_ leg: PageLeg, _ keys: ModelKeys, depth: Int) {
    self.leg = leg
    self.keys = keys
    self.depth = depth
    ids = leg.slice.pieces.flatMap { piece in piece.page.items[piece.items].map(\.modelID) }
  }

  var count: Int { leg.slice.count }
  var byteCount: Int { leg.slice.count * 8 }
  var total: Int? { leg.slice.warnings.contains(.totalIsLowerBound) ? nil : leg.slice.total }
  var warnings: Warnings { leg.slice.warnings }

  func heading(of index: Int) -> Heading {
    let mark = Heading.Mark(key: keys[ids[index]], id: UInt64(ids[index]) &* 0x9E37_79B9_7F4A_7C15 >> 8)
    return Heading(mark, Array(repeating: mark, count: depth - 1))
  }

  func place(after count: Int) -> MergePosition.Place {
    if let position = leg.position(after: count) { return .within(position.encode()) }
    return count == self.count ? .end : .beginning
  }

  func page(of index: Int) -> ObjectIdentifier {
    var rest = index
    for piece in leg.slice.pieces {
      if rest < piece.items.count { return ObjectIdentifier(piece.page) }
      rest -= piece.items.count
    }
    preconditionFailure("no such item")
  }
}

/// Keys of a model's items: neighbours share one, and greater numbers come first.
struct ModelKeys {
  /// How many numbers share a key.
  let width: Int
  private let keys: [SortKey]

  init(width: Int, upTo most: Int) {
    self.width = width
    keys = (0...most / width).map { .model("\($0)", .number, isDescending: true) }
  }

  subscript(id: Int) -> SortKey { keys[id / width] }
}

extension SortKey {
  /// The key of an item that is this JSON value.
  static func model(_ json: String, _ kind: SortOrder.Kind, isDescending: Bool = false) -> SortKey {
    let document = try! Parser(maximumDepth: 4).parse(Bytes(copying: Array(json.utf8)))
    return SortOrder([.init(kind, isDescending: isDescending)]).key(of: document, at: [.root])
  }
}
