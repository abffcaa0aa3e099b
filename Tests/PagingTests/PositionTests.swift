import TestSupport
import Testing

@testable import Paging

@Suite struct PositionTests {
  private static func random(_ random: inout SeededRandom) -> Position {
    let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let places: [Place] = [
      .beginning,
      .page(
        number: Int.random(in: -5...100_000, using: &random), size: Int.random(in: 0...500, using: &random)),
      .offset(Int.random(in: 0...1 << 40, using: &random)), .text(text), .json(text), .target(text),
    ]
    var position = Position(place: places.randomElement(using: &random)!)
    position.consumed = Int.random(in: 0...1000, using: &random)
    position.pageSize = Int.random(in: 0...1000, using: &random)
    position.served = Int.random(in: 0...1 << 30, using: &random)
    position.traits = Position.Traits(rawValue: UInt8.random(in: 0...63, using: &random))
    position.distrusted = Sources(rawValue: UInt8.random(in: 0...31, using: &random))
    position.emptyRun = Int.random(in: 0...100, using: &random)
    position.total = Bool.random(using: &random) ? Int.random(in: 0...1 << 40, using: &random) : nil
    position.pageCount = Bool.random(using: &random) ? Int.random(in: 0...1 << 20, using: &random) : nil
    position.echo = Bool.random(using: &random) ? 0 : nil
    position.previousPage = random.next() >> 16
    position.firstPage = random.next() >> 16
    let ids = (0..<Int.random(in: 0...30, using: &random)).map {
      Page.Item(modelID: $0, isNamed: Bool.random(using: &random))
    }
    position.anchors.append(ids[...])
    position.recentPlaces = (0..<Int.random(in: 0...8, using: &random)).map { _ in random.next() >> 16 }
    return position
  }

  @Test("what was encoded is decoded to the same")
  func roundTrip() throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<2_000 {
      let position = Self.random(&random)
      #expect(try Position(decoding: position.encode()) == position)
    }
  }

  @Test(
    "a position cut short, made longer or altered is refused, or is another position that encodes to those bytes"
  )
  func damage() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<300 {
      let bytes = Self.random(&random).encode()
      for count in 0..<bytes.count {
        #expect(throws: Position.Failure.self) { try Position(decoding: Array(bytes.prefix(count))) }
      }
      #expect(throws: Position.Failure.self) { try Position(decoding: bytes + [0]) }
      var altered = bytes
      altered[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
      if let other = try? Position(decoding: altered) { #expect(other.encode() == altered) }
    }
  }

  @Test("any bytes are refused or are a position that a walk can start from")
  func noise() {
    var random = SeededRandom(seed: 5)
    let plans = [
      Style.pages(size: 20), .offsets(size: 20), .tokens(size: 20), .keys(size: 20), .ranges(size: 20),
      .whole(Whole()),
    ].map { WalkPlan.model($0, shifts: .exact) }
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if !bytes.isEmpty, Bool.random(using: &random) { bytes[0] = 1 }
      guard let position = try? Position(decoding: bytes) else { continue }
      for plan in plans { walkOn(plan, position, &random) }
    }
    for _ in 0..<200 {
      let position = Self.random(&random)
      for plan in plans { walkOn(plan, position, &random) }
    }
  }

  /// Lets a walk of any style go on from any position, with random pages.
  private func walkOn(_ plan: WalkPlan, _ position: Position, _ random: inout SeededRandom) {
    var walk = Walk(plan: plan, from: position, limit: 30)
    for _ in 0..<300 {
      guard case .fetch = walk.next() else { return }
      let start = Int.random(in: 0...1_000, using: &random)
      let count = Int.random(in: 0...20, using: &random)
      walk.receive(.of(start..<start + count, .total(Int.random(in: 0...1_000, using: &random))))
    }
    Issue.record("no end")
  }

  @Test("a position of a page-numbered list takes about a hundred and thirty bytes")
  func size() {
    var walk = Walk(plan: .model(.pages(size: 20)), from: nil, limit: 27)
    walk.receive(.of(0..<20, .total(1037)))
    walk.receive(.of(20..<40, .total(1037)))
    guard case .finish(let slice) = walk.next() else { return #expect(Bool(false)) }
    #expect((110...140).contains(slice.next!.encode().count))
  }
}
