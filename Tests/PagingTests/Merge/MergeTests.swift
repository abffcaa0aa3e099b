import TestSupport
import Testing

@testable import Paging

/// The rules of merged lists, one by one.
@Suite struct MergeTests {
  private let keys = ModelKeys(width: 1, upTo: 1_000)

  /// Lists in pages of five, each by its page number.
  private func reader(
    _ plan: MergePlan, _ lists: [[Int]], limits: [Int], talk: ModelUpstream.Talk = .init(),
    keys: ModelKeys? = nil
  ) -> MergedReader {
    MergedReader(
      plan,
      lists.map { list in
        var upstream = ModelUpstream(list, .pages(size: 5), random: SeededRandom(seed: 1))
        upstream.talk = talk
        upstream.defaultSize = 5
        return upstream
      }, limits: limits, keys: keys ?? self.keys)
  }

  @Test("ties come in the order of the sources, and each source keeps its own order")
  func ties() {
    let keys = ModelKeys(width: 10, upTo: 1_000)
    var reader = reader(.flat(.merge, 3), [[21, 28, 11], [22, 15], [29, 20, 10]], limits: [1], keys: keys)
    reader.readAll()
    #expect(reader.ids == [21, 28, 22, 29, 20, 11, 15, 10])
  }

  @Test("concatenated lists follow one another, and the later ones are not asked before their time")
  func concat() {
    var reader = reader(.flat(.concat, 3), [[3, 9], [], [1, 2, 8]], limits: [1])
    reader.readAll()
    #expect(reader.ids == [3, 9, 1, 2, 8])
    #expect(reader.slices[0].picks.count == 1)
    var first = self.reader(.flat(.concat, 2), [[3, 9], [1]], limits: [1])
    _ = first.readSlice(from: nil, limit: 1)
    #expect(first.upstreams.map(\.requests) == [1, 0])
  }

  @Test("interleaved lists take turns, and no more are asked than have one in this slice")
  func interleave() {
    var reader = reader(.flat(.interleave, 3), [[1, 2, 3], [10], [20, 21]], limits: [2])
    reader.readAll()
    #expect(reader.ids == [1, 10, 20, 2, 21, 3])
    var first = self.reader(.flat(.interleave, 3), [[1, 2, 3], [10], [20, 21]], limits: [2])
    _ = first.readSlice(from: nil, limit: 2)
    #expect(first.upstreams.map(\.requests) == [1, 1, 0])
  }

  @Test("a list that fails is left out of the slice, said to be, and taken up at its place later")
  func sectionFailed() throws {
    var reader = reader(.flat(.merge, 2), [[9, 7, 5], [8, 6, 4]], limits: [2])
    reader.isLate = { $0 == 1 }
    let first = try reader.slice(from: nil, limit: 2)
    #expect(first.picks.map(\.leaf) == [0, 0])
    #expect(first.warnings.entries.map(\.text) == ["section_failed:l1"])
    reader.isLate = { _ in false }
    let second = try reader.slice(from: first.next, limit: 9)
    #expect(second.picks.map { ($0.leg as! ModelLeg).ids[$0.index] } == [8, 6, 5, 4])
    #expect(second.warnings.isEmpty && second.next == nil)
  }

  @Test("with nothing to be had but from a list that failed, the slice fails and the place stays")
  func allFailed() throws {
    var reader = reader(.flat(.merge, 2), [[9], [8, 6, 4]], limits: [2])
    reader.isLate = { $0 == 1 }
    let first = try reader.slice(from: nil, limit: 2)
    #expect(first.picks.count == 1 && first.hasMore)
    let failed = reader.readSlice(from: first.next, limit: 2)
    #expect(failed == nil)
    reader.isLate = { _ in false }
    let second = try reader.slice(from: first.next, limit: 5)
    #expect(second.picks.map(\.leaf) == [1, 1, 1] && !second.hasMore)
  }

  @Test("where all are required one failure fails the slice, or ends it where something was shown")
  func requireAll() throws {
    var reader = reader(
      .flat(.merge, 2, requiresAll: true), [Array((1...8).reversed()), [20, 19]], limits: [2])
    reader.isLate = { $0 == 0 }
    let failed = reader.readSlice(from: nil, limit: 4)
    #expect(failed == nil)
    nonisolated(unsafe) var asked = 0
    reader.isLate = { leaf in
      if leaf == 0 { asked += 1 }
      return asked > 1
    }
    let slice = try reader.slice(from: nil, limit: 20)
    #expect(slice.picks.count == 7 && slice.hasMore)
    #expect(slice.warnings.entries.map(\.text) == ["section_failed:l0"])
  }

  @Test("a requirement within a merged list leaves out that list alone")
  func nestedRequirement() throws {
    let plan = MergePlan(
      nodes: [
        .init(.merge, of: [.node(1), .leaf(2)], names: ["both", "l2"], requiresAll: false, isUnique: false),
        .init(.merge, of: [.leaf(0), .leaf(1)], names: ["l0", "l1"], requiresAll: true, isUnique: false),
      ], leaves: ["l0", "l1", "l2"])
    var reader = reader(plan, [[9, 3], [8, 2], [7, 1]], limits: [10])
    reader.isLate = { $0 == 0 }
    let first = try reader.slice(from: nil, limit: 10)
    #expect(first.picks.map(\.leaf) == [2, 2])
    reader.isLate = { _ in false }
    let second = try reader.slice(from: first.next, limit: 10)
    #expect(second.picks.map(\.leaf) == [0, 1, 0, 1] && !second.hasMore)
  }

  @Test("a list that is not in order is told of, across slices too, and loses nothing", arguments: [1, 2, 9])
  func unsorted(limit: Int) {
    var reader = reader(.flat(.merge, 2), [[9, 7, 8, 3], [6, 5]], limits: [limit])
    reader.readAll()
    #expect(reader.ids == [9, 7, 8, 6, 5, 3])
    #expect(reader.warnings.entries.map(\.text) == ["source_unsorted:l0"])
  }

  @Test(
    "an item that several lists have comes once, from the first, and ends the sum of totals",
    arguments: [1, 3, 50])
  func unique(limit: Int) {
    var reader = reader(
      .flat(.merge, 3, isUnique: true), [[9, 7, 5], [9, 8, 5, 4], [7, 5]], limits: [limit],
      talk: .init(total: .right))
    reader.readAll()
    #expect(reader.ids == [9, 8, 7, 5, 4])
    #expect(reader.origins == [0, 1, 0, 0, 1])
    #expect(reader.warnings.entries.map(\.text) == ["duplicates_dropped:4"])
    #expect(reader.slices.last?.total == nil)
  }

  @Test("as many ids are remembered as are promised, and no more")
  func window() {
    let list = Array(1...200)
    var near = reader(
      .flat(.concat, 2, isUnique: true), [Array(list[..<64]), Array(list[..<64])], limits: [7])
    near.readAll()
    #expect(near.ids == Array(list[..<64]))
    var far = reader(.flat(.concat, 2, isUnique: true), [Array(list[..<65]), [1]], limits: [7])
    far.readAll()
    #expect(far.ids == Array(list[..<65]) + [1])
    #expect(far.slices.dropLast().last!.next!.encode().count < 64 * 6 + 250)
  }

  @Test("the total is the sum when all are known, and the pages are those of the merged list")
  func totals() throws {
    var known = reader(
      .flat(.merge, 2), [Array((1...12).reversed()), [5, 2]], limits: [4], talk: .init(total: .right))
    let slice = try known.slice(from: nil, limit: 4)
    #expect(slice.total == 14 && slice.pageCount == 4)
    known.upstreams[1].talk = .init()
    let unknown = try known.slice(from: nil, limit: 4)
    #expect(unknown.total == nil && unknown.pageCount == nil)
    var later = reader(.flat(.concat, 2), [[1, 2], [3]], limits: [1], talk: .init(total: .right))
    later.readAll()
    #expect(later.slices.map(\.total) == [nil, nil, 3])
  }

  @Test("a page of a source is asked for once a slice, and at most one beyond what is shown")
  func requests() throws {
    var reader = reader(
      .flat(.merge, 4),
      (0..<4).map { source in (0..<40).map { 500 - $0 * 4 - source } }, limits: [8],
      talk: .init(total: .right))
    reader.readAll()
    #expect(reader.ids == (0..<160).map { 500 - $0 })
    #expect(reader.excess.allSatisfy { $0 <= 1 })
  }

  @Test("a merge that goes on knows what it knew, and asks nobody twice")
  func following() throws {
    var reader = reader(
      .flat(.merge, 2), [Array((1...9).reversed()), [20, 19]], limits: [2], talk: .init(total: .right))
    var merge = Merge(plan: reader.plan, from: nil, limit: 3, pageSize: 3)
    var before = merge
    var ids: [Int] = []
    while let slice = reader.run(&merge) {
      ids += slice.picks.map { ($0.leg as! ModelLeg).ids[$0.index] }
      // Who took the first of them only goes on with the others.
      let place = before.position(after: slice.picks.prefix(2))
      var other = reader
      let rest = try other.slice(from: place, limit: 50)
      let kept = ids.prefix(ids.count - max(0, slice.picks.count - 2))
      #expect(kept + rest.picks.map { ($0.leg as! ModelLeg).ids[$0.index] } == [20, 19] + (1...9).reversed())
      before = merge
      if slice.next == nil { break }
      merge = merge.following(limit: 3)
    }
    #expect(ids == [20, 19] + (1...9).reversed())
    #expect(reader.upstreams.map(\.requests) == [2, 1])
  }

  @Test("bytes that are no position of the plan are refused, whatever they are")
  func decoding() throws {
    let plan = MergePlan.flat(.merge, 2, isUnique: true)
    var reader = reader(plan, [[9, 7, 5], [8, 6]], limits: [2])
    let position = try #require(try reader.slice(from: nil, limit: 3).next)
    let bytes = position.encode()
    #expect(try MergePosition(decoding: bytes, by: plan).encode() == bytes)
    for count in bytes.indices {
      #expect(throws: MergePosition.Failure.self) {
        try MergePosition(decoding: Array(bytes[..<count]), by: plan)
      }
    }
    #expect(throws: MergePosition.Failure.self) { try MergePosition(decoding: bytes + [0], by: plan) }
    #expect(throws: MergePosition.Failure.self) { try MergePosition(decoding: bytes, by: .flat(.merge, 3)) }
    var random = SeededRandom(seed: 5)
    for _ in 0..<5_000 {
      var broken = bytes
      broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      if let read = try? MergePosition(decoding: broken, by: plan) { #expect(read.encode() == broken) }
    }
  }
}
