import Resilience
import TestSupport
import Testing

@Suite("Backoff")
struct BackoffTests {
  private let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5))

  @Test(
    "doubles its ceiling up to the cap",
    arguments: [(1, 100), (2, 200), (3, 400), (6, 3_200), (7, 5_000), (8, 5_000), (1_000_000, 5_000)])
  func ceilings(failures: Int, milliseconds: Int) {
    #expect(backoff.ceiling(after: failures) == .milliseconds(milliseconds))
  }

  @Test("draws evenly between zero and the ceiling", arguments: [1, 4, 40])
  func jitter(failures: Int) {
    var random = SeededRandom(seed: 7)
    let ceiling = backoff.ceiling(after: failures)
    var quarters = [0, 0, 0, 0]
    var outside = 0
    for _ in 0..<20_000 {
      let delay = backoff.delay(after: failures, using: &random)
      if delay < .zero || delay > ceiling { outside += 1 }
      quarters[min(3, Int(delay / ceiling * 4))] += 1
    }
    #expect(outside == 0)
    #expect(quarters.allSatisfy { (4_700...5_300).contains($0) }, "\(quarters)")
  }
}
