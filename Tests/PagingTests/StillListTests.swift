import TestSupport
import Testing

@testable import Paging

/// Lists that stand still: every item once, in order, whatever page size, limit and upstream.
@Suite struct StillListTests {
  static let talks: [ModelUpstream.Talk] = [
    .init(), .init(total: .right), .init(pageCount: true), .init(hasMore: true), .init(next: true),
    .init(total: .right, pageCount: true, page: true), .init(total: .right, hasMore: true),
    .init(total: .right, pageCount: true, page: true, hasMore: true, next: true),
  ]

  private func countedUpstream(_ random: inout SeededRandom) -> ModelUpstream {
    let size = Int.random(in: 1...25, using: &random)
    let style: Style =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .pages(first: Int.random(in: 0...1, using: &random), size: size)
      case 1: .pages(size: Bool.random(using: &random) ? size : nil, isAsked: false)
      case 2: .offsets(first: Int.random(in: 0...1, using: &random), size: size)
      default: .ranges(size: size)
      }
    var upstream = ModelUpstream(
      Array(0..<Int.random(in: 0...90, using: &random)), style, random: SeededRandom(seed: random.next()))
    upstream.defaultSize = size
    upstream.talk = Self.talks.randomElement(using: &random)!
    upstream.pastTheEnd = .allCases.randomElement(using: &random)!
    upstream.hasIDs = Int.random(in: 0..<4, using: &random) > 0
    return upstream
  }

  private func limits(_ random: inout SeededRandom) -> [Int] {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 1...60, using: &random) }
  }

  @Test(
    "counted pages give every item once, in order, with every limit and page size", arguments: Shifts.allCases
  )
  func countedPages(shifts: Shifts) {
    var random = SeededRandom(seed: 11)
    for round in 0..<walkCount {
      var reader = Reader(countedUpstream(&random), limits: limits(&random), shifts: shifts)
      reader.upstream.failureRate = round % 3 == 0 ? 0.2 : 0
      reader.readAll()
      #expect(reader.ids == reader.upstream.list, "\(round) \(reader.upstream.style) \(reader.upstream.talk)")
    }
  }
}

/// Seeded walks of a test: many in a release build, fewer in a debug build.
var walkCount: Int {
  #if DEBUG
    300
  #else
    10_000
  #endif
}
