import TestSupport
import Testing

@testable import Paging

/// Lists that are walked whole, a page at a time.
@Suite struct PageByPageTests {
  private enum Answer {
    case page(Page)
    case failure(PageFailure)
  }

  private func upstream(_ random: inout SeededRandom) -> ModelUpstream {
    let size = Int.random(in: 1...25, using: &random)
    let style: Style =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .pages(first: Int.random(in: 0...1, using: &random), size: size)
      case 1: .offsets(size: size)
      case 2: .tokens(size: size)
      case 3: .keys(size: size)
      default: .ranges(size: size)
      }
    let length = Int.random(in: 0...120, using: &random)
    var upstream = ModelUpstream(
      (0..<length).map { length - $0 }, style, random: SeededRandom(seed: random.next()))
    upstream.defaultSize = size
    upstream.talk = StillListTests.talks.randomElement(using: &random)!
    upstream.pastTheEnd = .allCases.randomElement(using: &random)!
    return upstream
  }

  /// One slice, and the answers it was made of; nil when it failed, and is to be made again.
  private func leg(
    _ plan: WalkPlan, from position: Position?, limit: Int, _ upstream: inout ModelUpstream
  ) -> (slice: Slice, answers: [Answer])? {
    var walk = Walk(plan: plan, pageFrom: position, limit: limit)
    var answers: [Answer] = []
    while true {
      switch walk.next() {
      case .finish(let slice): return (slice, answers)
      case .fail: return nil
      case .fetch(let request):
        switch upstream.answer(request) {
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

  private func ids(_ slice: Slice) -> [Int] {
    slice.pieces.flatMap { piece in piece.page.items[piece.items].map(\.modelID) }
  }

  @Test(
    "every item comes once, in order, from one page at a time, or two where the end is in doubt",
    arguments: Shifts.allCases)
  func whole(shifts: Shifts) {
    var random = SeededRandom(seed: 21)
    for round in 0..<walkCount {
      var upstream = upstream(&random)
      upstream.failureRate = round % 3 == 0 ? 0.2 : 0
      let plan = WalkPlan.model(upstream.style, shifts: shifts)
      let limit = round % 2 == 0 ? Int.max : 1 + round % 40
      var seen: [Int] = []
      var position: Position?
      for _ in 0..<3_000 {
        guard let (slice, _) = leg(plan, from: position, limit: limit, &upstream) else { continue }
        #expect(slice.count <= limit && slice.pieces.count <= 2)
        seen += ids(slice)
        position = slice.next
        if position == nil { break }
      }
      #expect(seen == upstream.list, "\(round) \(upstream.style) \(upstream.talk)")
    }
  }

  @Test("of a list that stands still no page is asked for twice")
  func requests() {
    var random = SeededRandom(seed: 22)
    for _ in 0..<walkCount {
      var upstream = upstream(&random)
      let plan = WalkPlan.model(upstream.style)
      var position: Position?
      repeat {
        guard let (slice, _) = leg(plan, from: position, limit: .max, &upstream) else { break }
        position = slice.next
      } while position != nil
      // As many as there are pages, and at most one more to see that there are none, looked at from two legs.
      #expect(
        upstream.requests <= (upstream.list.count + upstream.defaultSize - 1) / upstream.defaultSize + 2)
    }
  }

  @Test("the same answers give any part of a slice, and the place behind it", arguments: Shifts.allCases)
  func parts(shifts: Shifts) {
    var random = SeededRandom(seed: 23)
    for round in 0..<walkCount {
      var upstream = upstream(&random)
      upstream.failureRate = round % 5 == 0 ? 0.2 : 0
      let plan = WalkPlan.model(upstream.style, shifts: shifts)
      var seen: [Int] = []
      var position: Position?
      for _ in 0..<3_000 {
        guard let (slice, answers) = leg(plan, from: position, limit: .max, &upstream) else { continue }
        guard slice.count > 1, round % 2 == 0 || Bool.random(using: &random) else {
          seen += ids(slice)
          position = slice.next
          if position == nil { break }
          continue
        }
        // The reader stops within the page, and another goes on from there.
        let count = Int.random(in: 1..<slice.count, using: &random)
        var walk = Walk(plan: plan, pageFrom: position, limit: count)
        for answer in answers {
          guard case .fetch = walk.next() else { break }
          switch answer {
          case .page(let page): walk.receive(page)
          case .failure(let failure): walk.receive(failure)
          }
        }
        guard case .finish(let part) = walk.next() else {
          Issue.record("\(round): a part of a slice wants more than the slice")
          return
        }
        #expect(ids(part) == Array(ids(slice).prefix(count)))
        seen += ids(part)
        position = part.next
        #expect(position != nil)
      }
      #expect(seen == upstream.list, "\(round) \(upstream.style) \(upstream.talk)")
    }
  }

  @Test("what bounds a slice is nothing to warn of where the walk goes on at once")
  func limits() {
    let limits = Limits(emptyPages: 5, emptyRun: 100, pages: 1, seamPages: 8, bytes: 1)
    let plan = WalkPlan.model(.pages(size: 10), limits: limits)
    var upstream = ModelUpstream(Array(0..<95), .pages(size: 10), random: SeededRandom(seed: 24))
    upstream.talk = .init(total: .right)
    var seen: [Int] = []
    var position: Position?
    repeat {
      guard let (slice, _) = leg(plan, from: position, limit: .max, &upstream) else { break }
      #expect(slice.warnings.isEmpty, "\(slice.warnings)")
      seen += ids(slice)
      position = slice.next
    } while position != nil
    #expect(seen == upstream.list)
  }

  @Test("pages that bring nothing end the slice when as many bytes have come as it may hold")
  func bytes() throws {
    let body = #"{"list":[],"next":"more","padding":"\#(String(repeating: "x", count: 960))"}"#
    let page = try NormaliserTests.page(body, style: .tokens(size: 20))
    let limits = Limits(emptyPages: 50, emptyRun: 100, pages: 100, seamPages: 8, bytes: 2_500)
    let plan = WalkPlan.model(.tokens(size: 20), limits: limits)
    var walk = Walk(plan: plan, pageFrom: nil, limit: .max)
    var pageCount = 0
    while case .fetch = walk.next(), pageCount < 50 {
      pageCount += 1
      walk.receive(
        Page(
          body: page.body, items: [], rawCount: 0, isContiguous: true, said: .token("t\(pageCount)"),
          keys: [],
          warnings: Warnings()))
    }
    guard case .finish(let slice) = walk.next() else {
      Issue.record("no end")
      return
    }
    #expect(pageCount == 3 && slice.count == 0 && slice.next != nil)
    #expect(!slice.warnings.contains(.bytesLimited))
  }
}
