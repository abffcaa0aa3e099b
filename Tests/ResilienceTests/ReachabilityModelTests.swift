import Resilience
import Testing

@Suite("Reachability, against its model")
struct ReachabilityModelTests {
  /// All evidence since the last change, in order; the phase follows from looking through it.
  private struct Model {
    enum Evidence { case probe(Bool), answer, noAnswer }
    let settings: Reachability.Settings
    var phase = Reachability.Phase.unknown
    var evidence: [Evidence] = []
    /// How often traffic contradicted the probes that brought it up, or might have.
    var doubts = 0

    mutating func add(_ item: Evidence) {
      evidence.append(item)
      switch item {
      case .answer: doubts = 0
      case .probe(false): if phase == .down { doubts = 0 }
      case .probe(true), .noAnswer: break
      }
      let next = judged
      if next == phase { return }
      if next == .down, case .noAnswer = item {
        doubts = min(6, doubts + 1)
      } else if next == .down {
        doubts = 0
      }
      set(next)
    }

    mutating func set(_ phase: Reachability.Phase) {
      self.phase = phase
      evidence = []
    }

    private var judged: Reachability.Phase {
      if phase == .down {
        if evidence.contains(where: { if case .answer = $0 { true } else { false } }) { return .up }
        return trailing {
          if case .probe(true) = $0 { true } else { false }
        } among: {
          if case .probe = $0 { true } else { false }
        } >= settings.rise + (1 << doubts) - 1 ? .up : .down
      }
      let probes = trailing {
        if case .probe(false) = $0 { true } else { false }
      } among: {
        if case .noAnswer = $0 { false } else { true }
      }
      let requests = trailing {
        if case .noAnswer = $0 { true } else { false }
      } among: {
        if case .probe = $0 { false } else { true }
      }
      if probes >= settings.fall || requests >= (doubts > 0 ? 1 : settings.fall) { return .down }
      switch evidence.last {
      case .answer, .probe(true): return .up
      default: return phase
      }
    }

    /// How many of the last ones among those that matter are `isMatch`.
    private func trailing(_ isMatch: (Evidence) -> Bool, among matters: (Evidence) -> Bool) -> Int {
      var count = 0
      for item in evidence.reversed() where matters(item) {
        guard isMatch(item) else { break }
        count += 1
      }
      return count
    }
  }

  @Test("weighs as its model does, and can never stick", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    var changes = 0
    for _ in 0..<50 {
      let settings = Reachability.Settings(
        probes: run.chance(70), every: .milliseconds(run.number(100...5_000)),
        timeout: .milliseconds(run.number(10...1_000)), fall: run.number(1...3), rise: run.number(1...3))
      var monitor = Reachability(settings, offset: .milliseconds(run.number(0...1_000)), at: run.now)
      var model = Model(settings: settings)
      var since = run.now
      var probeStart: Instant?
      var lastAnswer: Instant?
      for step in 0..<ModelRun.steps / 50 {
        run.pass(0...200, far: 500...6_000)
        if run.chance(30), let wake = monitor.wake { run.move(to: wake) }
        let now = run.now
        var actions: [Reachability.Action] = []
        let before = model.phase

        func probeEnded(_ isGood: Bool) {
          guard let start = probeStart else { return }
          probeStart = nil
          let isOutranked = before != .down && !isGood && lastAnswer.map { $0 >= start } ?? false
          model.add(isOutranked ? .probe(true) : .probe(isGood))
          // An outranked probe clears the count, and proves nothing.
          if isOutranked && before == .unknown { model.set(.unknown) }
        }

        func expireProbe() {
          if let start = probeStart, start + settings.timeout <= now { probeEnded(false) }
        }

        switch run.number(0...9) {
        case 0...2:
          expireProbe()
          monitor.tick(at: now, &actions)
        case 3:
          if probeStart != nil { monitor.probeSucceeded(at: now, &actions) }
          probeEnded(true)
        case 4:
          if probeStart != nil { monitor.probeFailed(at: now, &actions) }
          probeEnded(false)
        case 5, 6:
          let start = now - .milliseconds(run.number(0...300))
          monitor.answered(start: start, at: now, &actions)
          if before == .unknown || start >= since {
            lastAnswer = now
            model.add(.answer)
          }
        case 7, 8:
          let start = now - .milliseconds(run.number(0...300))
          monitor.unreachable(start: start, at: now, &actions)
          if before == .unknown || start >= since && before == .up { model.add(.noAnswer) }
        default:
          if run.chance(20) {
            expireProbe()
            monitor.shifted(at: now, &actions)
          } else if run.chance(50) {
            monitor.lost(.link, at: now, &actions)
            if before != .down {
              model.doubts = 0
              model.set(.down)
            }
          } else {
            if before == .down { expireProbe() }
            monitor.found(at: now, &actions)
          }
        }
        if actions.contains(.startProbe) { probeStart = now }
        if before != model.phase {
          since = now
          changes += 1
        }
        let announced = actions.compactMap { action in
          if case .changed(let change) = action { change.phase } else { nil }
        }
        let isSound =
          monitor.phase == model.phase && announced == (before == model.phase ? [] : [model.phase])
          // Something is always due while it is down, and no later than an interval and a probe away.
          && (!monitor.isDown || monitor.wake.map { $0 <= now + settings.every + settings.timeout } ?? false)
          && (!settings.probes || monitor.wake != nil) && monitor.untilNextCheck(at: now) >= .zero
          && (!monitor.isCalm || monitor.phase == .up && probeStart == nil)
        if !isSound { throw Differs("step \(step): \(monitor.phase), not \(model.phase), \(actions)") }
      }
      // Whatever happened: once everything works, it is up within so many checks.
      var checks = 0
      while monitor.isDown {
        checks += 1
        guard checks <= 2 * (settings.rise + 63) + 4, let wake = monitor.wake else { throw Differs("stuck") }
        run.move(to: wake)
        var actions: [Reachability.Action] = []
        monitor.tick(at: run.now, &actions)
        if actions.contains(.startProbe) { monitor.probeSucceeded(at: run.now, &actions) }
        if !settings.probes, actions.contains(.allowTrial) {
          monitor.answered(start: run.now, at: run.now, &actions)
        }
      }
    }
    #expect(changes > 1_000)
  }
}
