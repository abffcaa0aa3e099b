import Resilience
import Testing

@Suite("Gate, against its model")
struct GateModelTests {
  @Test("decides as its model does, and keeps every promise", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    for _ in 0..<50 {
      let settings = Gate.Settings(
        concurrent: run.number(1...9), waiting: run.number(0...12),
        wait: .milliseconds(run.number(1...2_000)),
        rate: run.chance(30)
          ? TokenBucket(interval: .milliseconds(run.number(1...100)), burst: run.number(1...4)) : nil)
      var match = Match(settings)
      for step in 0..<ModelRun.steps / 50 { try match.step(&run, step) }
    }
  }

  /// A gate and its model, side by side.
  private struct Match {
    var gate: Gate
    var model: GateModel
    /// What each ticket may still get: every one gets exactly one answer.
    var open: Set<Gate.Ticket> = []
    var word: GateWord

    init(_ settings: Gate.Settings) {
      gate = Gate(settings)
      model = GateModel(settings)
      word = gate.word
    }

    mutating func step(_ run: inout ModelRun, _ step: Int) throws {
      run.pass(0...40, far: 100...3_000)
      // At times exactly when something is due.
      if run.chance(15), let wake = gate.wake(at: run.now) { run.move(to: wake) }
      let now = run.now
      let dice = run.number(0...99)
      // Without the lock, where the word allows it.
      if dice < 30, run.chance(70), let next = word.entering(limit: gate.settings.concurrent) {
        word = next
        model.underWay += 1
        return try check(now, step)
      }
      if (30..<65).contains(dice), run.chance(70), word.isOpen, word.underWay > 0, let next = word.leaving() {
        word = next
        model.leave(.good)
        return try check(now, step)
      }
      gate.adopt(word)
      var actions: [Gate.Action] = []
      var expected: [Gate.Action] = []
      var verdict: Gate.Verdict?
      var expectedVerdict: Gate.Verdict?
      switch dice {
      case 0..<45:
        let priority = Gate.Priority.allCases[run.chance(70) ? 0 : run.number(0...2)]
        let deadline = now + .milliseconds(run.number(0...4_000))
        verdict = gate.enter(priority, deadline: deadline, at: now, &actions)
        expectedVerdict = model.enter(priority, deadline: deadline, at: now, &expected)
      case 45..<80:
        guard gate.underWayCount > 0 else { return }
        let ending: Gate.Ending = run.chance(70) ? .good : run.chance(50) ? .poor : .none
        gate.leave(ending, at: now, &actions)
        model.leave(ending)
        expected += model.settle(at: now)
      case 80..<85:
        let ticket = open.isEmpty || run.chance(10) ? 0 : open.sorted()[run.number(0...open.count - 1)]
        let wasThere = gate.cancel(ticket, at: now, &actions)
        model.waiters.removeAll { $0.ticket == ticket }
        expected += model.settle(at: now)
        guard wasThere == (open.remove(ticket) != nil) else { throw Differs("step \(step): cancelled") }
      case 85..<87:
        gate.suspend(at: now, &actions)
        expected += model.suspend(at: now)
      case 87..<90:
        gate.allowTrial(at: now, &actions)
        if model.isSuspended { model.hasTrial = true }
        expected += model.settle(at: now)
      case 90..<94:
        gate.resume(at: now, &actions)
        model.resume()
        expected += model.settle(at: now)
      case 94..<95:
        let until = now + .milliseconds(run.number(0...3_000))
        gate.pause(until: until, at: now, &actions)
        expected += model.pause(until: until, at: now)
      default:
        gate.tick(at: now, &actions)
        expected += model.settle(at: now)
      }
      guard verdict == expectedVerdict, actions == expected else {
        throw Differs("step \(step): \(verdict as Any) \(actions), not \(expectedVerdict as Any) \(expected)")
      }
      word = gate.word
      if case .queued(let ticket) = verdict { open.insert(ticket) }
      for action in actions {
        switch action {
        case .admit(let ticket), .refuse(let ticket, _):
          guard open.remove(ticket) != nil else { throw Differs("step \(step): \(ticket) answered twice") }
        case .endAll: break
        }
      }
      try check(now, step)
    }

    private func check(_ now: Instant, _ step: Int) throws {
      let underWay = word.isOpen ? word.underWay : gate.underWayCount
      let isSound =
        underWay == model.underWay && underWay <= gate.settings.concurrent
        && gate.waitingCount == model.waiters.count && gate.waitingCount == open.count
        && gate.waitingCount <= gate.settings.waiting && gate.width == model.width
        && gate.isSuspended == model.isSuspended
        // Whoever waits is woken, later than now: what was due has been done.
        && (gate.waitingCount == 0 || gate.wake(at: now).map { $0 > now } ?? false)
        // An open word leaves nothing out.
        && (!word.isOpen || gate.waitingCount == 0 && !gate.isSuspended && gate.settings.rate == nil)
      if !isSound { throw Differs("step \(step): broken at \(now)") }
    }
  }
}
