import Resilience
import TestSupport
import Testing

@Suite("RetryBudget")
struct RetryBudgetTests {
  private let start = ContinuousClock.now

  @Test("grants the floor, then a fifth of what was requested")
  func fifth() {
    var budget = RetryBudget(.init(fraction: 0.2, floor: 2, window: .seconds(10)))
    #expect((0..<3).map { _ in budget.take(at: start) } == [true, true, false])
    for _ in 0..<10 { budget.recordRequest(at: start) }
    #expect((0..<3).map { _ in budget.take(at: start) } == [true, true, false])
    #expect(budget.refusedCount == 2)
    // Once the retries have left the window, so have the requests.
    #expect((0..<3).map { _ in budget.take(at: start + .seconds(11)) } == [true, true, false])
  }

  @Test("never grants more than its part, and never less", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    let settings = RetryBudget.Settings(fraction: 0.2, floor: 3, window: .seconds(10))
    var budget = RetryBudget(settings)
    // The model keeps every event with its second.
    var requests: [Int] = []
    var retries: [Int] = []
    var origin: Int?
    for _ in 0..<ModelRun.steps {
      run.pass(1...20, far: 100...4_000)
      if origin == nil { origin = run.milliseconds }
      let second = (run.milliseconds - (origin ?? 0)) / 1_000
      requests.trimPrefix { $0 <= second - 10 }
      retries.trimPrefix { $0 <= second - 10 }
      if run.chance(60) {
        budget.recordRequest(at: run.now)
        requests.append(second)
      } else {
        let isExpected = retries.count < 3 + requests.count / 5
        if isExpected { retries.append(second) }
        guard budget.take(at: run.now) == isExpected else {
          throw Differs("differs at \(run.milliseconds) ms")
        }
      }
    }
  }
}

@Suite("RetryPolicy")
struct RetryPolicyTests {
  private let start = ContinuousClock.now
  private let policy = RetryPolicy(
    attempts: 3, backoff: Backoff(base: .milliseconds(100), cap: .seconds(1)), longestWait: .seconds(5))

  private func decide(
    _ outcome: RetryPolicy.Outcome, attempt: Int = 1, isRepeatable: Bool = true,
    within: Duration = .seconds(30),
    floor: Int = 10
  ) -> RetryPolicy.Verdict {
    var budget = RetryBudget(.init(fraction: 0, floor: floor, window: .seconds(10)))
    var random = SeededRandom(seed: 3)
    return policy.decide(
      outcome, attempt: attempt, isRepeatable: isRepeatable, deadline: Deadline(after: within, from: start),
      at: start, budget: &budget, using: &random)
  }

  private func isRetry(_ verdict: RetryPolicy.Verdict, within range: ClosedRange<Duration>) -> Bool {
    guard case .retry(let delay) = verdict else { return false }
    return range.contains(delay)
  }

  @Test(
    "repeats what may go better the next time",
    arguments: [
      .unreachable, .status(429, retryAfter: nil), .status(502, retryAfter: nil),
      .status(503, retryAfter: nil),
      .status(504, retryAfter: nil),
    ] as [RetryPolicy.Outcome])
  func transient(_ outcome: RetryPolicy.Outcome) {
    #expect(isRetry(decide(outcome), within: .zero ... .milliseconds(100)))
    #expect(isRetry(decide(outcome, attempt: 2), within: .zero ... .milliseconds(200)))
    #expect(decide(outcome, attempt: 3) == .giveUp(.attempts))
    #expect(decide(outcome, isRepeatable: false) == .giveUp(.notRepeatable))
    #expect(decide(outcome, floor: 0) == .giveUp(.budget))
  }

  @Test(
    "does not repeat what will not",
    arguments: [
      .other, .status(200, retryAfter: nil), .status(400, retryAfter: nil), .status(401, retryAfter: nil),
      .status(404, retryAfter: .zero), .status(500, retryAfter: .zero), .status(501, retryAfter: nil),
    ] as [RetryPolicy.Outcome])
  func hopeless(_ outcome: RetryPolicy.Outcome) { #expect(decide(outcome) == .giveUp(.hopeless)) }

  @Test("waits as long as it is asked to, up to the cap and within the deadline")
  func retryAfter() {
    let two = RetryPolicy.Outcome.status(503, retryAfter: .seconds(2))
    #expect(isRetry(decide(two), within: .seconds(2) ... .milliseconds(2_100)))
    #expect(decide(two, within: .seconds(2)) == .giveUp(.patience))
    #expect(decide(.status(429, retryAfter: .seconds(6))) == .giveUp(.patience))
  }

  @Test("keeps its promises whatever happens", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    var budget = RetryBudget(.init(fraction: 0.2, floor: 5, window: .seconds(10)))
    var (requests, retries) = (0, 0)
    let statuses = [200, 400, 404, 429, 500, 502, 503, 504]
    for _ in 0..<ModelRun.steps {
      run.pass(0...50, far: 100...1_000)
      if run.chance(70) {
        budget.recordRequest(at: run.now)
        requests += 1
        continue
      }
      let asked: Duration? = run.chance(50) ? .milliseconds(run.number(0...8_000)) : nil
      let outcome: RetryPolicy.Outcome =
        run.chance(30)
        ? .unreachable
        : run.chance(10) ? .other : .status(statuses[run.number(0...statuses.count - 1)], retryAfter: asked)
      let attempt = run.number(1...4)
      let isRepeatable = run.chance(80)
      let left = Duration.milliseconds(run.number(0...10_000))
      let refused = budget.refusedCount
      let verdict = policy.decide(
        outcome, attempt: attempt, isRepeatable: isRepeatable, deadline: Deadline(after: left, from: run.now),
        at: run.now, budget: &budget, using: &run.random)
      var isSound = true
      switch verdict {
      case .retry(let delay):
        retries += 1
        isSound = isRepeatable && attempt < 3 && delay < left
        if case .status(let status, let asked) = outcome {
          isSound = isSound && [429, 502, 503, 504].contains(status)
          isSound = isSound && delay >= (asked ?? .zero) && (asked ?? .zero) <= .seconds(5)
        }
        isSound = isSound && outcome != .other
      case .giveUp(let reason): isSound = (reason == .budget) == (budget.refusedCount == refused + 1)
      }
      // Ten seconds hold a floor of five, and the run is cut into windows by time.
      let windows = run.milliseconds / 9_000 + 2
      isSound = isSound && Double(retries) <= 0.25 * Double(requests) + Double(5 * windows)
      guard isSound else {
        throw Differs("\(outcome), attempt \(attempt): \(verdict) at \(run.milliseconds) ms")
      }
    }
    #expect(retries > 1_000)
  }
}
