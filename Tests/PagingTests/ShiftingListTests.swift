import Foundation
import TestSupport
import Testing

@testable import Paging

/// Lists that gain and lose items between any two requests.
///
/// A steady item is one that is there from the first request to the last. `exact` gives each of them once and in order, and
/// nothing twice, whatever moves; `watch` does where the list tells that it moved. Half of all walks meet failures at random
/// points. LISTWAY_WALKS says how many walks there are in all; a debug build makes 8,000 otherwise.
@Suite struct ShiftingListTests {
  /// How a list moves between two requests: up to so many items arrive and leave.
  struct Motion: Sendable, CustomTestStringConvertible {
    var inserts: Int
    var deletes: Int
    var isAnywhere: Bool
    var testDescription: String {
      "up to \(inserts) in and \(deletes) out, \(isAnywhere ? "anywhere" : "at the top")"
    }

    /// Moves a list whose ids fall from item to item; what leaves is steady no more.
    func move(_ list: inout [Int], _ steady: inout Set<Int>, _ random: inout SeededRandom) {
      for _ in 0..<Int.random(in: 0...inserts, using: &random) {
        let place = isAnywhere ? Int.random(in: 0...list.count, using: &random) : 0
        let above = place == 0 ? (list.first ?? 0) + 200 : list[place - 1]
        let below = place == list.count ? 0 : list[place]
        let id = place == 0 ? above : (above + below) / 2
        if id != above || place == 0, id != below, id < 100_000 { list.insert(id, at: place) }
      }
      for _ in 0..<min(list.count, Int.random(in: 0...deletes, using: &random)) {
        steady.remove(list.remove(at: Int.random(in: 0..<list.count, using: &random)))
      }
    }

    static let all = [
      Motion(inserts: 2, deletes: 2, isAnywhere: false), Motion(inserts: 2, deletes: 2, isAnywhere: true),
      Motion(inserts: 0, deletes: 3, isAnywhere: true), Motion(inserts: 3, deletes: 0, isAnywhere: true),
    ]
  }

  /// How many walks fell short, and how.
  struct Outcome: Equatable {
    var walks = 0
    /// A steady item never came.
    var missing = 0
    /// An item came twice.
    var doubled = 0
    /// Steady items came in another order.
    var disordered = 0

    static func flawless(_ walks: Int) -> Outcome { Outcome(walks: walks) }
  }

  static func walk(
    _ style: Style, _ shifts: Shifts, _ motion: Motion, talk: ModelUpstream.Talk, walks: Int,
    seed: UInt64 = 1, tokensAreKeys: Bool = true
  ) -> Outcome {
    var random = SeededRandom(seed: seed)
    var outcome = Outcome()
    for _ in 0..<walks {
      // Where keys are compared, ids fall from item to item, and leave room for those that come in between.
      let length = Int.random(in: 0...200, using: &random)
      var upstream = ModelUpstream(
        (0..<length).map { (length - $0) * 400 }, style, random: SeededRandom(seed: random.next()))
      upstream.talk = talk
      upstream.defaultSize = 20
      upstream.tokensAreKeys = tokensAreKeys
      nonisolated(unsafe) var steady = Set(upstream.list)
      upstream.shift = { list, random in motion.move(&list, &steady, &random) }
      var reader = Reader(upstream, limits: [Int.random(in: 1...50, using: &random)], shifts: shifts)
      reader.upstream.failureRate = Bool.random(using: &random) ? 0.1 : 0
      reader.readAll()
      outcome.walks += 1
      let want = reader.upstream.list.filter(steady.contains)
      let got = reader.ids.filter(steady.contains)
      if Set(reader.ids).count != reader.ids.count { outcome.doubled += 1 }
      if !Set(want).isSubset(of: got) { outcome.missing += 1 } else if got != want { outcome.disordered += 1 }
    }
    return outcome
  }

  static let talks = [ModelUpstream.Talk(), .init(total: .right, pageCount: true)]

  @Test(
    "exact gives every steady item once, in order, and nothing twice", arguments: Motion.all,
    [Style.pages(size: 20), .offsets(size: 20), .ranges(size: 12), .keys(size: 20)])
  func exact(motion: Motion, style: Style) {
    for talk in Self.talks {
      #expect(Self.walk(style, .exact, motion, talk: talk, walks: walks) == .flawless(walks))
    }
  }

  @Test("exact holds with small pages too, as long as the list does not move faster than it is read")
  func smallPages() {
    let motion = Motion(inserts: 1, deletes: 1, isAnywhere: true)
    for style in [Style.pages(size: 7), .offsets(size: 5), .ranges(size: 6)] {
      #expect(Self.walk(style, .exact, motion, talk: .init(), walks: walks) == .flawless(walks))
    }
  }

  @Test(
    "exact gives nothing twice, and next to nothing is lost, where pages have places of their own",
    arguments: Motion.all)
  func exactOnFixedPages(motion: Motion) {
    for talk in Self.talks {
      let outcome = Self.walk(.pages(size: 20, isAsked: false), .exact, motion, talk: talk, walks: walks)
      #expect(outcome.doubled == 0 && outcome.disordered == 0)
      #expect(outcome.missing * 100 <= walks)
    }
  }

  @Test(
    "watch gives nothing twice", arguments: Motion.all,
    [Style.pages(size: 20), .pages(size: 20, isAsked: false), .offsets(size: 20), .keys(size: 20)])
  func watch(motion: Motion, style: Style) {
    for talk in Self.talks {
      #expect(Self.walk(style, .watch, motion, talk: talk, walks: walks).doubled == 0)
    }
  }

  @Test(
    "a token that stands for an item gives every steady item once, in order", arguments: Motion.all,
    Shifts.proving)
  func keyedTokens(motion: Motion, shifts: Shifts) {
    #expect(Self.walk(.tokens(size: 20), shifts, motion, talk: .init(), walks: walks) == .flawless(walks))
  }

  @Test(
    "a token that stands for a number of items gives nothing twice", arguments: Motion.all, Shifts.proving)
  func countingTokens(motion: Motion, shifts: Shifts) {
    let outcome = Self.walk(
      .tokens(size: 20), shifts, motion, talk: .init(), walks: walks, tokensAreKeys: false)
    #expect(outcome.doubled == 0 && outcome.disordered == 0)
  }

  /// The walks of each case: there are 91 cases.
  private var walks: Int { Self.walks(of: 91) }

  /// The walks of one of so many cases.
  static func walks(of cases: Int) -> Int { max(1, allWalks / cases) }

  private static let allWalks: Int = {
    if let text = ProcessInfo.processInfo.environment["LISTWAY_WALKS"], let count = Int(text) {
      return count
    }
    #if DEBUG
      return 8_000
    #else
      return 100_000
    #endif
  }()
}

extension Shifts {
  fileprivate static let proving = [Shifts.watch, .exact]
}
