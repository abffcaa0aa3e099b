import Resilience
import Testing

@Suite("Deadline")
struct DeadlineTests {
  private let start = ContinuousClock.now

  @Test("has passed at its instant, and nothing is left then")
  func passes() {
    let deadline = Deadline(after: .seconds(2), from: start)
    #expect(deadline.remaining(at: start) == .seconds(2))
    #expect(!deadline.hasPassed(at: start + .milliseconds(1_999)))
    #expect(deadline.hasPassed(at: start + .seconds(2)))
    #expect(deadline.remaining(at: start + .seconds(2)) == .zero)
    #expect(deadline.remaining(at: start + .seconds(9)) == .zero)
  }

  @Test("allows what starts before it")
  func allows() {
    let deadline = Deadline(after: .seconds(2), from: start)
    #expect(deadline.allows(.milliseconds(1_999), from: start))
    #expect(!deadline.allows(.seconds(2), from: start))
    #expect(Deadline(start) < deadline)
  }
}
