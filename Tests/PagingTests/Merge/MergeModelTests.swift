import Foundation
import TestSupport
import Testing

@testable import Paging

/// Random lists, merged in random ways and walked to their end. LISTWAY_WALKS says how many walks there are of each test; a
/// debug build makes 60 otherwise.
@Suite struct MergeModelTests {
  /// Lists and what is made of them.
  private struct Case {
    var plan: MergePlan
    var upstreams: [ModelUpstream]
    var keys: ModelKeys
    var limits: [Int]
  }

  private static let greatest = 2_000

  private static func upstream(_ list: [Int], _ random: inout SeededRandom) -> ModelUpstream {
    let size = Int.random(in: 1...25, using: &random)
    let style: Style =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .pages(first: Int.random(in: 0...1, using: &random), size: size)
      case 1: .offsets(size: size)
      case 2: .tokens(size: size)
      case 3: .keys(size: size)
      default: .ranges(size: size)
      }
    var upstream = ModelUpstream(list, style, random: SeededRandom(seed: random.next()))
    upstream.defaultSize = size
    upstream.talk = StillListTests.talks.randomElement(using: &random)!
    upstream.pastTheEnd = .allCases.randomElement(using: &random)!
    return upstream
  }

  /// A tree of up to three levels. What is merged is in order; concatenated and interleaved is anything.
  ///
  /// - Parameter isUnique: whether merged items come once; then lists share items, else they do not.
  private static func make(_ random: inout SeededRandom, isUnique: Bool, merging: Bool) -> Case {
    var nodes: [MergePlan.Node?] = []
    var leafCount = 0
    func node(_ depth: Int, _ mustMerge: Bool) -> Int {
      let index = nodes.count
      nodes.append(nil)
      let strategy: MergePlan.Strategy =
        mustMerge ? .merge : [.merge, .concat, .interleave].randomElement(using: &random)!
      let inputs: [MergePlan.Input] = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        if depth < 2, Int.random(in: 0..<4, using: &random) == 0 {
          return .node(node(depth + 1, mustMerge || strategy == .merge))
        }
        leafCount += 1
        return .leaf(leafCount - 1)
      }
      nodes[index] = MergePlan.Node(
        strategy, of: inputs, names: inputs.indices.map { "n\(index)i\($0)" }, requiresAll: false,
        isUnique: isUnique && strategy == .merge)
      return index
    }
    _ = node(0, merging || isUnique)
    let longest = 120 / leafCount + 1
    var pool = Array((1...greatest).shuffled(using: &random)[...])
    let upstreams = (0..<leafCount).map { _ in
      let count = Int.random(in: 0...longest, using: &random)
      let list: [Int]
      if isUnique {
        list = (0..<count).map { _ in Int.random(in: 1...150, using: &random) }
      } else {
        list = Array(pool.suffix(count))
        pool.removeLast(list.count)
      }
      return upstream(Set(list).sorted(by: >), &random)
    }
    let limit = Int.random(in: 1...40, using: &random)
    return Case(
      plan: MergePlan(nodes: nodes.map { $0! }, leaves: (0..<leafCount).map { "l\($0)" }),
      upstreams: upstreams,
      keys: ModelKeys(width: [1, 3, 10].randomElement(using: &random)!, upTo: greatest),
      limits: Bool.random(using: &random) ? [limit] : [1, limit, 3])
  }

  /// What all of it is, as nobody would read it.
  private static func union(_ test: Case, of node: Int = 0) -> [Int] {
    let plan = test.plan.nodes[node]
    var parts: [[Int]] = plan.inputs.map { input in
      switch input {
      case .leaf(let leaf): test.upstreams[leaf].list
      case .node(let node): union(test, of: node)
      }
    }
    switch plan.strategy {
    case .concat: return parts.flatMap { $0 }
    case .interleave:
      var all: [Int] = []
      while parts.contains(where: { !$0.isEmpty }) {
        for index in parts.indices where !parts[index].isEmpty { all.append(parts[index].removeFirst()) }
      }
      return all
    case .merge:
      let width = test.keys.width
      let all = parts.flatMap { $0 }.enumerated().sorted {
        ($1.element / width, $0.offset) < ($0.element / width, $1.offset)
      }.map(\.element)
      var seen: Set<Int> = []
      return plan.isUnique ? all.filter { seen.insert($0).inserted } : all
    }
  }

  @Test("the merged walk of still lists is the sorted union", arguments: [true, false])
  func still(isUnique: Bool) {
    var random = SeededRandom(seed: isUnique ? 1 : 2)
    for round in 0..<walks {
      let test = Self.make(&random, isUnique: isUnique, merging: false)
      var reader = MergedReader(
        test.plan, test.upstreams, limits: test.limits, keys: test.keys, seed: random.next())
      reader.readAll()
      let want = Self.union(test)
      guard reader.ids == want else {
        Issue.record("walk \(round) of \(test.plan.nodes): \(reader.ids) instead of \(want)")
        return
      }
      #expect(!reader.warnings.contains(.sourceUnsorted) && !reader.warnings.contains(.sectionFailed))
      // Where the end of a list is in doubt, the page behind it is looked at too. What was dropped is not seen here.
      if !isUnique { #expect(reader.excess.allSatisfy { $0 <= 2 }) }
      if let total = reader.slices.last?.total { #expect(isUnique || total == want.count) }
    }
  }

  @Test("of lists that fail now and then nothing is lost, nothing doubled, and each slice is in order")
  func failures() {
    var random = SeededRandom(seed: 3)
    for round in 0..<walks {
      var test = Self.make(&random, isUnique: false, merging: round % 2 == 0)
      for index in test.upstreams.indices where Bool.random(using: &random) {
        test.upstreams[index].failureRate = 0.2
      }
      var reader = MergedReader(
        test.plan, test.upstreams, limits: test.limits, keys: test.keys, seed: random.next())
      let late = Int.random(in: 0..<test.upstreams.count, using: &random)
      nonisolated(unsafe) var lateness = SeededRandom(seed: random.next())
      reader.isLate = { $0 == late && Int.random(in: 0..<4, using: &lateness) == 0 }
      reader.readAll()
      for leaf in test.upstreams.indices {
        let got = zip(reader.ids, reader.origins).filter { $1 == leaf }.map(\.0)
        guard got == test.upstreams[leaf].list else {
          Issue.record("walk \(round): list \(leaf) came as \(got) instead of \(test.upstreams[leaf].list)")
          return
        }
      }
      guard round % 2 == 0 else { continue }
      for slice in reader.slices {
        let keys = slice.picks.map { test.keys[($0.leg as! ModelLeg).ids[$0.index]] }
        #expect(keys == keys.sorted())
      }
    }
  }

  @Test("of lists that move every steady item comes once, and in order")
  func shifts() {
    var random = SeededRandom(seed: 4)
    for round in 0..<walks {
      let count = Int.random(in: 1...4, using: &random)
      // Ids of different lists differ by what remains when they are divided by eight.
      var upstreams: [ModelUpstream] = []
      nonisolated(unsafe) var steady: Set<Int> = []
      for leaf in 0..<count {
        let length = Int.random(in: 0...60, using: &random)
        let styles: [Style] = [
          .pages(size: 20), .offsets(size: 20), .ranges(size: 12), .keys(size: 20), .tokens(size: 20),
        ]
        var upstream = ModelUpstream(
          (0..<length).map { (length - $0) * 320 + leaf }, styles.randomElement(using: &random)!,
          random: SeededRandom(seed: random.next()))
        upstream.defaultSize = 20
        upstream.tokensAreKeys = true
        upstream.talk = ShiftingListTests.talks.randomElement(using: &random)!
        upstream.failureRate = Bool.random(using: &random) ? 0.1 : 0
        steady.formUnion(upstream.list)
        upstream.shift = { list, random in
          for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0...list.count, using: &random)
            let above = place == 0 ? (list.first ?? 0) + 320 : list[place - 1]
            let below = place == list.count ? leaf : list[place]
            let id = (above + below) / 16 * 8 + leaf
            if id < above, id > below, id < 40_000 { list.insert(id, at: place) }
          }
          for _ in 0..<min(list.count, Int.random(in: 0...2, using: &random)) {
            steady.remove(list.remove(at: Int.random(in: 0..<list.count, using: &random)))
          }
        }
        upstreams.append(upstream)
      }
      let plan = MergePlan.flat(.merge, count)
      var reader = MergedReader(
        plan, upstreams, limits: [Int.random(in: 1...50, using: &random)], keys: Self.wideKeys,
        shifts: .exact, seed: random.next())
      reader.readAll()
      let got = reader.ids.filter(steady.contains)
      #expect(Set(reader.ids).count == reader.ids.count, "walk \(round) gave an item twice")
      guard Set(got) == steady else {
        Issue.record("walk \(round) lost \(steady.subtracting(got))")
        return
      }
      if upstreams.allSatisfy({ $0.failureRate == 0 }) {
        #expect(got == steady.sorted { ($1 / 8, $0 % 8) < ($0 / 8, $1 % 8) }, "walk \(round)")
      }
    }
  }

  private static let wideKeys = ModelKeys(width: 8, upTo: 40_000)

  private var walks: Int { Self.allWalks }

  private static let allWalks: Int = {
    if let text = ProcessInfo.processInfo.environment["LISTWAY_WALKS"], let count = Int(text) {
      return count
    }
    #if DEBUG
      return 60
    #else
      return 25_000
    #endif
  }()
}

extension MergePlan {
  /// So many lists, l0 and on, made one in this way.
  static func flat(
    _ strategy: Strategy, _ count: Int, requiresAll: Bool = false, isUnique: Bool = false
  ) -> MergePlan {
    let names = (0..<count).map { "l\($0)" }
    return MergePlan(
      nodes: [
        Node(
          strategy, of: (0..<count).map { .leaf($0) }, names: names, requiresAll: requiresAll,
          isUnique: isUnique)
      ], leaves: names)
  }
}
