import TestSupport
import Testing

@testable import Paging

/// What `watch` loses of a list that moves, and when.
///
/// It looks closer only where something shows that the list moved. A row is lost unseen where, between two pages, as many
/// items leave above the reader as arrive below: the total stays what it was, and the next page begins one row too late.
@Suite struct WatchedListTests {
  /// A page as the upstream gave it.
  private struct Answer {
    var total: Int
    var ids: [Int]
  }

  /// What was lost in a number of walks.
  struct Losses: Equatable {
    var steadyItems = 0
    /// Steady items that never came, lost between two pages whose totals differ.
    var inSight = 0
    /// The same, lost between two pages with the same total.
    var unseen = 0
  }

  @Test(
    "watch loses nothing between two pages whose totals differ", arguments: ShiftingListTests.Motion.all,
    [Style.pages(size: 20), .offsets(size: 20)])
  func losses(motion: ShiftingListTests.Motion, style: Style) {
    var losses = Losses()
    for seed in 1...UInt64(ShiftingListTests.walks(of: 32)) {
      Self.walk(style, motion, SeededRandom(seed: seed), &losses)
    }
    print(losses, motion.testDescription)
    #expect(losses.steadyItems > 0 && losses.inSight == 0)
    // Nothing is lost where nothing leaves.
    if motion.deletes == 0 { #expect(losses.unseen == 0) }
  }

  private static func walk(
    _ style: Style, _ motion: ShiftingListTests.Motion, _ random: SeededRandom, _ losses: inout Losses
  ) {
    var random = random
    let length = Int.random(in: 0...200, using: &random)
    var upstream = ModelUpstream(
      (0..<length).map { (length - $0) * 400 }, style, random: SeededRandom(seed: random.next()))
    upstream.talk = .init(total: .right)
    upstream.defaultSize = 20
    nonisolated(unsafe) var steady = Set(upstream.list)
    upstream.shift = { list, random in motion.move(&list, &steady, &random) }
    var answers: [Answer] = []
    let limit = Int.random(in: 1...50, using: &random)
    let script = Script(.model(style), limit: limit, attempts: 3_000) { request in
      let total = upstream.list.count
      let answer = upstream.answer(request)
      if case .success(let page) = answer {
        answers.append(Answer(total: total, ids: page.items.map(\.modelID)))
      }
      return answer
    }
    losses.steadyItems += steady.count
    for lost in steady.subtracting(script.ids) {
      // The ids of the list fall: the seam is where a page first lies behind the item as a whole.
      let seam = answers.indices.dropFirst().first { index in
        answers[index].ids.allSatisfy { $0 < lost } && answers[index - 1].ids.contains { $0 > lost }
      }
      let isSeen = seam.map { answers[$0].total != answers[$0 - 1].total } ?? true
      if isSeen { losses.inSight += 1 } else { losses.unseen += 1 }
    }
  }
}
