import Resilience
import TestSupport
import Testing

@Suite("CircuitBreaker")
struct CircuitBreakerTests {
  private let start = ContinuousClock.now
  private static let settings = CircuitBreaker.Settings(
    faults: 0.5, volume: 4, window: .seconds(10), pause: .seconds(5), trialTimeout: .seconds(3))

  private func pass(_ breaker: inout CircuitBreaker, at now: Instant) throws -> CircuitBreaker.Pass {
    guard case .pass(let pass) = breaker.admit(at: now) else { throw Refused() }
    return pass
  }

  private struct Refused: Error {}

  /// A breaker that has just opened.
  private func opened() throws -> CircuitBreaker {
    var breaker = CircuitBreaker(Self.settings)
    for _ in 0..<4 { _ = breaker.record(.faulty, of: try pass(&breaker, at: start), at: start) }
    try #require(breaker.phase == .open)
    return breaker
  }

  @Test(
    "opens when enough answers, and enough of them, are faulty",
    arguments: [
      ("fff", .closed), ("ffff", .open), ("gggggfffff", .open), ("gggggffff", .closed),
      ("nnnnnnnfff", .closed),
      ("ggff", .open), ("ggfg", .closed), ("", .closed),
    ] as [(String, CircuitBreaker.Phase)])
  func opens(outcomes: String, phase: CircuitBreaker.Phase) throws {
    var breaker = CircuitBreaker(Self.settings)
    for outcome in outcomes {
      let pass = try pass(&breaker, at: start)
      _ = breaker.record(outcome == "f" ? .faulty : outcome == "g" ? .good : .none, of: pass, at: start)
    }
    #expect(breaker.phase == phase)
  }

  @Test("forgets what has left the window")
  func forgets() throws {
    var breaker = CircuitBreaker(Self.settings)
    for second in [0, 0, 0, 10, 20, 30] {
      let now = start + .seconds(second)
      _ = breaker.record(.faulty, of: try pass(&breaker, at: now), at: now)
    }
    #expect(breaker.phase == .closed)
  }

  @Test("rejects while it is open and says for how long, then lets one trial through")
  func trial() throws {
    var breaker = try opened()
    #expect(breaker.admit(at: start + .seconds(2)) == .reject(retryAfter: .seconds(3)))
    let trial = try pass(&breaker, at: start + .seconds(5))
    #expect(breaker.phase == .halfOpen)
    #expect(breaker.admit(at: start + .seconds(6)) == .reject(retryAfter: .seconds(2)))
    #expect(breaker.record(.good, of: trial, at: start + .seconds(6)) == .closed)
    let counts = breaker.counts
    #expect((counts.opened, counts.closed, counts.trials, counts.rejected) == (1, 1, 1, 2))
    // With a clean slate: three faults are too few again.
    for _ in 0..<3 { _ = breaker.record(.faulty, of: try pass(&breaker, at: start + .seconds(7)), at: start) }
    #expect(breaker.phase == .closed)
  }

  @Test("a trial that fails opens it again, for the whole pause")
  func failedTrial() throws {
    var breaker = try opened()
    let trial = try pass(&breaker, at: start + .seconds(5))
    #expect(breaker.record(.faulty, of: trial, at: start + .seconds(6)) == .open)
    #expect(breaker.admit(at: start + .seconds(6)) == .reject(retryAfter: .seconds(5)))
  }

  @Test("a trial that tells nothing, or never ends, makes room for another")
  func lostTrial() throws {
    var breaker = try opened()
    let first = try pass(&breaker, at: start + .seconds(5))
    _ = breaker.record(.none, of: first, at: start + .seconds(5))
    let second = try pass(&breaker, at: start + .seconds(5))
    #expect(breaker.admit(at: start + .seconds(7)) == .reject(retryAfter: .seconds(1)))
    let third = try pass(&breaker, at: start + .seconds(8))
    // The second trial was given up: what it says now is late.
    #expect(breaker.record(.good, of: second, at: start + .seconds(8)) == nil)
    #expect(breaker.record(.good, of: third, at: start + .seconds(8)) == .closed)
  }

  @Test("answers to requests from before a change do not count")
  func late() throws {
    var breaker = CircuitBreaker(Self.settings)
    let old = try (0..<8).map { _ in try pass(&breaker, at: start) }
    for pass in old[..<4] { _ = breaker.record(.faulty, of: pass, at: start) }
    let trial = try pass(&breaker, at: start + .seconds(5))
    for pass in old[4...] { #expect(breaker.record(.good, of: pass, at: start + .seconds(5)) == nil) }
    #expect(breaker.phase == .halfOpen)
    #expect(breaker.record(.good, of: trial, at: start + .seconds(5)) == .closed)
  }

  /// The same by hand: a list of answers with their seconds, and times in milliseconds.
  private struct Model {
    var answers: [(second: Int, isFaulty: Bool)] = []
    var openUntil: Int?
    var trial: (id: Int, expires: Int)?
    /// The number of changes so far; passes carry it.
    var epoch = 0
  }

  @Test("does as its description says, step by step", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    var breaker = CircuitBreaker(Self.settings)
    var model = Model()
    var origin: Int?
    var underWay: [(pass: CircuitBreaker.Pass, epoch: Int)] = []
    var trials = 0
    var healthy = true
    for step in 0..<ModelRun.steps {
      run.pass(0...200, far: 500...6_000)
      if run.chance(1) { healthy.toggle() }
      let time = run.milliseconds
      if run.chance(50) || underWay.isEmpty {
        let mayPass: Bool
        if let until = model.openUntil {
          mayPass = time >= until
        } else if let trial = model.trial {
          mayPass = time >= trial.expires
        } else {
          mayPass = true
        }
        guard case let verdict = breaker.admit(at: run.now), case .pass(let pass) = verdict else {
          if mayPass { throw Differs("step \(step): rejected") }
          continue
        }
        if !mayPass { throw Differs("step \(step): passed") }
        if model.openUntil != nil || model.trial != nil {
          model.epoch += 1
          trials += 1
          model.openUntil = nil
          model.trial = (model.epoch, time + 3_000)
        }
        underWay.append((pass, model.epoch))
      } else {
        let (pass, epoch) = underWay.remove(at: run.number(0...underWay.count - 1))
        let outcome: CircuitBreaker.Outcome =
          run.chance(10) ? .none : run.chance(healthy ? 5 : 80) ? .faulty : .good
        let before = breaker.phase
        let change = breaker.record(outcome, of: pass, at: run.now)
        if epoch == model.epoch {
          if let trial = model.trial {
            switch outcome {
            case .good:
              model.trial = nil
              model.answers = []
              model.epoch += 1
            case .faulty:
              model.trial = nil
              model.openUntil = time + 5_000
              model.epoch += 1
            case .none: model.trial = (trial.id, time)
            }
          } else if model.openUntil == nil && outcome != .none {
            if origin == nil { origin = time }
            let second = (time - (origin ?? 0)) / 1_000
            model.answers.trimPrefix { $0.second <= second - 10 }
            model.answers.append((second, outcome == .faulty))
            let faulty = model.answers.count(where: \.isFaulty)
            if outcome == .faulty, model.answers.count >= 4, 2 * faulty >= model.answers.count {
              model.openUntil = time + 5_000
              model.epoch += 1
            }
          }
        }
        #expect((change != nil) == (breaker.phase != before))
      }
      let phase: CircuitBreaker.Phase =
        model.openUntil != nil ? .open : model.trial != nil ? .halfOpen : .closed
      guard breaker.phase == phase else {
        throw Differs("step \(step): \(breaker.phase), not \(phase)")
      }
    }
    #expect(breaker.counts.trials == trials && trials > 100)
    #expect(breaker.counts.closed > 50 && breaker.counts.opened > 50)
  }
}
