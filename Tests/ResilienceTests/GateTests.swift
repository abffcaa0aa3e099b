import Resilience
import Testing

@Suite("Gate")
struct GateTests {
  private let start = ContinuousClock.now

  private func gate(
    concurrent: Int = 2, waiting: Int = 4, wait: Duration = .seconds(2), rate: TokenBucket? = nil
  ) -> Gate {
    Gate(Gate.Settings(concurrent: concurrent, waiting: waiting, wait: wait, rate: rate))
  }

  /// What `event` has done.
  private func acting(_ event: (inout [Gate.Action]) -> Void) -> [Gate.Action] {
    var actions: [Gate.Action] = []
    event(&actions)
    return actions
  }

  private func enter(
    _ gate: inout Gate, _ priority: Gate.Priority = .client, within: Duration = .seconds(10), at now: Instant
  ) -> Gate.Verdict {
    var actions: [Gate.Action] = []
    let verdict = gate.enter(priority, deadline: now + within, at: now, &actions)
    #expect(actions == [])
    return verdict
  }

  @Test("admits up to the limit, has the next wait in turn, and refuses when the line is full")
  func limit() {
    var gate = gate(waiting: 2)
    let verdicts = (0..<5).map { _ in enter(&gate, at: start) }
    #expect(verdicts == [.admitted, .admitted, .queued(1), .queued(2), .refused(.full)])
    #expect(acting { gate.leave(.good, at: start, &$0) } == [.admit(1)])
    #expect(acting { gate.leave(.good, at: start, &$0) } == [.admit(2)])
    #expect(gate.underWayCount == 2 && gate.waitingCount == 0)
  }

  @Test("lets clients go before revalidations, and those before prefetches")
  func priorities() {
    var gate = gate(concurrent: 1)
    for priority in [.client, .prefetch, .revalidation, .client] as [Gate.Priority] {
      _ = enter(&gate, priority, at: start)
    }
    let turns = (0..<3).map { _ in acting { gate.leave(.good, at: start, &$0) } }
    #expect(turns == [[.admit(3)], [.admit(2)], [.admit(1)]])
  }

  @Test("makes room for a client in a full line by the youngest of the least urgent")
  func sheds() {
    var gate = gate(concurrent: 1, waiting: 3)
    for priority in [.client, .prefetch, .prefetch, .revalidation] as [Gate.Priority] {
      _ = enter(&gate, priority, at: start)
    }
    #expect(enter(&gate, .prefetch, at: start) == .refused(.full))
    let shed = acting {
      #expect(gate.enter(.client, deadline: start + .seconds(1), at: start, &$0) == .queued(4))
    }
    #expect(shed == [.refuse(2, .full)])
  }

  @Test("ends a wait at the request's deadline")
  func deadline() {
    var gate = gate(concurrent: 1)
    _ = enter(&gate, at: start)
    _ = enter(&gate, within: .seconds(3), at: start)
    _ = enter(&gate, within: .seconds(1), at: start)
    #expect(gate.wake(at: start) == start + .seconds(1))
    #expect(acting { gate.tick(at: start + .seconds(1), &$0) } == [.refuse(2, .deadline)])
    #expect(gate.wake(at: start) == start + .seconds(3))
  }

  @Test("a request that is no longer wanted leaves the line, and the others keep their turns")
  func cancels() {
    var gate = gate(concurrent: 1)
    for _ in 0..<4 { _ = enter(&gate, at: start) }
    var actions: [Gate.Action] = []
    let cancelled = [2, 2, 9].map { gate.cancel($0, at: start, &actions) }
    #expect(cancelled == [true, false, false])
    #expect((0..<2).map { _ in acting { gate.leave(.good, at: start, &$0) } } == [[.admit(1)], [.admit(3)]])
  }

  @Test("suspended, it ends what is under way, and has clients wait so long and no longer")
  func suspended() {
    var gate = gate()
    for priority in [.client, .client, .client, .prefetch] as [Gate.Priority] {
      _ = enter(&gate, priority, at: start)
    }
    #expect(acting { gate.suspend(at: start + .seconds(1), &$0) } == [.endAll, .refuse(2, .suspended)])
    #expect(acting { gate.suspend(at: start + .seconds(1), &$0) } == [])
    for _ in 0..<2 { #expect(acting { gate.leave(.none, at: start + .seconds(1), &$0) } == []) }
    #expect(enter(&gate, at: start + .seconds(2)) == .queued(3))
    #expect(enter(&gate, .revalidation, at: start + .seconds(2)) == .refused(.suspended))
    #expect(gate.wake(at: start + .seconds(2)) == start + .seconds(3))
    #expect(acting { gate.tick(at: start + .seconds(3), &$0) } == [.refuse(1, .suspended)])
    #expect(acting { gate.tick(at: start + .seconds(4), &$0) } == [.refuse(3, .suspended)])
    #expect(gate.wake(at: start + .seconds(4)) == nil)
  }

  @Test("resumes by one, two, four … and then freely; bad answers do not widen it")
  func ramp() {
    var gate = gate(concurrent: 8, waiting: 100)
    var actions: [Gate.Action] = []
    gate.suspend(at: start, &actions)
    for _ in 0..<40 { _ = enter(&gate, at: start) }
    gate.resume(at: start, &actions)
    #expect(gate.underWayCount == 1)
    var widths: [Int] = []
    while gate.waitingCount > 0 {
      gate.leave(.poor, at: start, &actions)
      let underWay = gate.underWayCount
      widths.append(underWay)
      for _ in 0..<underWay { gate.leave(.good, at: start, &actions) }
    }
    #expect(widths.prefix(5) == [1, 2, 4, 8, 8])
    #expect(gate.width == 8)
    // All of those that waited while it was suspended were let in, however long the ramp took.
    #expect(actions == (1...40).map { .admit($0) })
  }

  @Test("a suspended gate lets one request through as a trial, and only one at a time")
  func trial() {
    var gate = gate()
    var actions: [Gate.Action] = []
    gate.suspend(at: start, &actions)
    gate.allowTrial(at: start, &actions)
    gate.allowTrial(at: start, &actions)
    #expect((0..<2).map { _ in enter(&gate, at: start) } == [.admitted, .queued(1)])
    gate.allowTrial(at: start, &actions)
    #expect(actions == [])
    gate.leave(.none, at: start, &actions)
    #expect(actions == [.admit(1)])
  }

  @Test("paused, it has those wait who can, and tells the others until when")
  func paused() {
    var gate = gate()
    #expect(acting { gate.pause(until: start + .seconds(5), at: start, &$0) } == [])
    #expect(enter(&gate, within: .seconds(6), at: start) == .queued(1))
    #expect(enter(&gate, within: .seconds(5), at: start) == .refused(.paused(until: start + .seconds(5))))
    // A longer pause counts, a shorter one does not.
    #expect(acting { gate.pause(until: start + .seconds(1), at: start, &$0) } == [])
    let longer = acting { gate.pause(until: start + .seconds(9), at: start, &$0) }
    #expect(longer == [.refuse(1, .paused(until: start + .seconds(9)))])
    #expect(enter(&gate, at: start) == .queued(2))
    #expect(gate.wake(at: start) == start + .seconds(9))
    #expect(acting { gate.tick(at: start + .seconds(9), &$0) } == [.admit(2)])
  }

  @Test("keeps to the rate, and says so when that took too long")
  func rate() {
    var gate = gate(rate: TokenBucket(count: 10, per: .seconds(1), burst: 1))
    #expect(enter(&gate, at: start) == .admitted)
    #expect(enter(&gate, at: start) == .queued(1))
    #expect(enter(&gate, within: .milliseconds(150), at: start) == .queued(2))
    #expect(gate.wake(at: start) == start + .milliseconds(100))
    #expect(acting { gate.tick(at: start + .milliseconds(100), &$0) } == [.admit(1)])
    var actions: [Gate.Action] = []
    gate.leave(.good, at: start + .milliseconds(100), &actions)
    gate.tick(at: start + .milliseconds(150), &actions)
    #expect(actions == [.refuse(2, .paused(until: start + .milliseconds(200)))])
  }

  @Test("a turn that comes too late is no matter of the rate")
  func late() {
    var gate = gate(concurrent: 1)
    #expect(enter(&gate, at: start) == .admitted)
    #expect(enter(&gate, within: .milliseconds(50), at: start) == .queued(1))
    let left = acting { gate.leave(.good, at: start + .milliseconds(60), &$0) }
    #expect(left == [.refuse(1, .deadline)])
  }

  @Test("an announced limit pauses when nothing is left, spreads what is scarce, and leaves plenty alone")
  func announced() {
    var gate = gate(concurrent: 4)
    func heed(_ remaining: Int, _ limit: Int?, at now: Instant) -> [Gate.Action] {
      acting {
        gate.heed(
          remaining: remaining, limit: limit, reset: .seconds(10), longestPause: .seconds(5), at: now, &$0)
      }
    }
    #expect(heed(80, 100, at: start) == [])
    #expect(gate.word == .open(underWay: 0))
    #expect(heed(20, 100, at: start) == [])
    #expect((0..<2).map { _ in enter(&gate, at: start) } == [.admitted, .queued(1)])
    #expect(gate.wake(at: start) == start + .milliseconds(500))
    // What was let in a moment ago still counts when the same is announced again.
    #expect(heed(20, 100, at: start + .milliseconds(1)) == [])
    #expect(gate.wake(at: start) == start + .milliseconds(501))
    #expect(heed(90, 100, at: start + .milliseconds(2)) == [.admit(1)])
    #expect(heed(5, nil, at: start + .milliseconds(3)) == [] && gate.word == .open(underWay: 2))
    #expect(heed(0, nil, at: start + .milliseconds(4)) == [])
    #expect(gate.pauseEnd == start + .milliseconds(5_004))
  }

  @Test("its word is open only while there is nothing to decide")
  func word() {
    var gate = gate()
    var actions: [Gate.Action] = []
    #expect(gate.word == .open(underWay: 0))
    gate.adopt(.open(underWay: 1))
    #expect(gate.word == .open(underWay: 1))
    #expect((0..<2).map { _ in enter(&gate, at: start) } == [.admitted, .queued(1)])
    #expect(gate.word == .closed)
    gate.leave(.good, at: start, &actions)
    #expect(gate.word == .open(underWay: 2))
    gate.suspend(at: start, &actions)
    #expect(gate.word == .closed)
    #expect(GateWord.open(underWay: 1).entering(limit: 2) == .open(underWay: 2))
    #expect(GateWord.open(underWay: 2).entering(limit: 2) == nil)
    #expect(GateWord.open(underWay: 2).leaving() == .open(underWay: 1))
    #expect(GateWord.closed.entering(limit: 2) == nil && GateWord.closed.leaving() == nil)
  }
}
