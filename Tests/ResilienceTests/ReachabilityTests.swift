import Resilience
import Testing

@Suite("Reachability")
struct ReachabilityTests {
  private let start = ContinuousClock.now

  private func monitor(probes: Bool = true, fall: Int = 2, rise: Int = 1) -> Reachability {
    Reachability(
      .init(probes: probes, every: .seconds(5), timeout: .seconds(1), fall: fall, rise: rise), offset: .zero,
      at: start)
  }

  private func acting(_ event: (inout [Reachability.Action]) -> Void) -> [Reachability.Action] {
    var actions: [Reachability.Action] = []
    event(&actions)
    return actions
  }

  private func changed(_ phase: Reachability.Phase, _ reason: Reachability.Reason) -> Reachability.Action {
    .changed(.init(phase: phase, reason: reason))
  }

  /// Lets a probe that is due begin at `second` and end at once.
  private func probe(_ monitor: inout Reachability, _ isGood: Bool, at second: Int) -> [Reachability.Action] {
    acting { actions in
      let now = start + .seconds(second)
      monitor.tick(at: now, &actions)
      if isGood { monitor.probeSucceeded(at: now, &actions) } else { monitor.probeFailed(at: now, &actions) }
    }
  }

  @Test("is taken for up until something shows the opposite")
  func unknown() {
    var monitor = monitor()
    #expect(monitor.phase == .unknown && !monitor.isDown)
    #expect(probe(&monitor, true, at: 0) == [.startProbe, changed(.up, .probe)])
    #expect(monitor.wake == start + .seconds(5))
  }

  @Test("falls after so many failed probes in a row, and rises after so many good ones")
  func fallAndRise() {
    var monitor = monitor(fall: 3, rise: 2)
    let outcomes = [false, false, true, false, false, false]
    let actions = outcomes.indices.map { probe(&monitor, outcomes[$0], at: $0 * 5) }
    #expect(actions.map(\.count) == [1, 1, 2, 1, 1, 2])
    #expect(actions.last?.last == changed(.down, .probe))
    #expect(probe(&monitor, true, at: 30).contains(changed(.up, .probe)) == false)
    #expect(probe(&monitor, false, at: 35).contains(changed(.up, .probe)) == false)
    #expect(probe(&monitor, true, at: 40).contains(changed(.up, .probe)) == false)
    #expect(probe(&monitor, true, at: 45).contains(changed(.up, .probe)) == true)
  }

  @Test("a failed probe does not bring down what answers real requests")
  func trafficOutranksProbes() {
    var monitor = monitor(fall: 1)
    var actions: [Reachability.Action] = []
    monitor.tick(at: start, &actions)
    monitor.answered(start: start, at: start + .milliseconds(500), &actions)
    monitor.probeFailed(at: start + .seconds(1), &actions)
    #expect(actions == [.startProbe, changed(.up, .traffic)])
    // The next time nobody was answered.
    #expect(probe(&monitor, false, at: 6) == [.startProbe, changed(.down, .probe)])
  }

  @Test("real requests that find nobody bring it down, unless one between them was answered")
  func traffic() {
    var monitor = monitor()
    var actions: [Reachability.Action] = []
    monitor.unreachable(start: start, at: start, &actions)
    monitor.answered(start: start, at: start, &actions)
    let later = start + .seconds(1)
    monitor.unreachable(start: later, at: later, &actions)
    #expect(actions == [changed(.up, .traffic)])
    monitor.unreachable(start: later, at: later, &actions)
    #expect(actions.last == changed(.down, .traffic))
  }

  @Test("what was sent before a change tells nothing about the time after it")
  func past() {
    var monitor = monitor(fall: 1)
    var actions: [Reachability.Action] = []
    monitor.lost(.link, at: start + .seconds(1), &actions)
    monitor.answered(start: start, at: start + .seconds(2), &actions)
    #expect(monitor.isDown)
    monitor.answered(start: start + .seconds(2), at: start + .seconds(3), &actions)
    #expect(monitor.phase == .up && monitor.reason == .traffic)
    monitor.unreachable(start: start + .seconds(2), at: start + .seconds(4), &actions)
    #expect(monitor.phase == .up)
  }

  @Test("a lost link brings it down at once, and a new one has it probed at once", arguments: [true, false])
  func link(probes: Bool) {
    var monitor = monitor(probes: probes)
    if probes { _ = probe(&monitor, true, at: 0) }
    #expect(acting { monitor.lost(.link, at: start + .seconds(1), &$0) } == [changed(.down, .link)])
    #expect(acting { monitor.lost(.route, at: start + .seconds(1), &$0) } == [])
    let found = acting { monitor.found(at: start + .milliseconds(1_200), &$0) }
    #expect(found == (probes ? [.startProbe, .allowTrial] : [.allowTrial]))
    #expect(monitor.isDown)
  }

  @Test("another way to it has it probed at once, whatever it is")
  func shifted() {
    var monitor = monitor()
    _ = probe(&monitor, true, at: 0)
    #expect(acting { monitor.shifted(at: start + .seconds(1), &$0) } == [.startProbe])
    #expect(monitor.phase == .up)
    // One that is under way already will do.
    #expect(acting { monitor.shifted(at: start + .milliseconds(1_500), &$0) } == [])
  }

  @Test("without probes a real request is let through at every interval")
  func trials() {
    var monitor = monitor(probes: false, fall: 1)
    var actions: [Reachability.Action] = []
    #expect(monitor.wake == nil)
    monitor.unreachable(start: start, at: start, &actions)
    #expect(monitor.wake == start + .seconds(5))
    #expect(monitor.untilNextCheck(at: start + .seconds(2)) == .seconds(3))
    monitor.tick(at: start + .seconds(5), &actions)
    #expect(actions == [changed(.down, .traffic), .allowTrial])
    #expect(monitor.wake == start + .seconds(10))
  }

  @Test("a probe that is never heard of again counts as failed")
  func lostProbe() {
    var monitor = monitor(fall: 1)
    var actions: [Reachability.Action] = []
    monitor.tick(at: start, &actions)
    monitor.tick(at: start + .seconds(1), &actions)
    #expect(actions == [.startProbe, changed(.down, .probe)])
    // What it says later is an answer to nothing.
    monitor.probeSucceeded(at: start + .seconds(1), &actions)
    #expect(monitor.isDown)
  }

  @Test("probes that find somebody where requests find nobody do not bring it up and down with each of them")
  func contradiction() {
    var monitor = monitor(fall: 2)
    var ups: [Int] = []
    var downs: [Int] = []
    var trials = 0
    for second in 0..<1_000 {
      let now = start + .seconds(second)
      let actions = acting { actions in
        monitor.tick(at: now, &actions)
        if actions.contains(.startProbe) { monitor.probeSucceeded(at: now, &actions) }
        // There are requests all the time, or a single one where no more are let in.
        if !monitor.isDown || actions.contains(.allowTrial) {
          for _ in 0..<2 { monitor.unreachable(start: now, at: now, &actions) }
        }
      }
      for action in actions {
        if action == .allowTrial { trials += 1 }
        guard case .changed(let change) = action else { continue }
        if change.phase == .up { ups.append(second) } else { downs.append(second) }
      }
    }
    // After 2, 4, 8 … good probes; meanwhile one request at each finds out what is so.
    #expect(ups.count <= 8 && downs.count <= 8 && ups.count >= 4, "\(ups), \(downs)")
    let gaps = zip(ups.dropFirst(2), ups.dropFirst()).map { $0 - $1 }
    #expect(zip(gaps.dropFirst(), gaps).allSatisfy { $0 >= $1 } && gaps[0] < 30, "\(gaps)")
    #expect(trials > 150)
    // One that is answered ends all doubts.
    var actions: [Reachability.Action] = []
    let late = start + .seconds(2_000)
    monitor.answered(start: late, at: late, &actions)
    #expect(monitor.phase == .up)
    monitor.unreachable(start: late, at: late, &actions)
    #expect(monitor.phase == .up)
  }

  @Test("after an outage that probes have seen too, the first good probe brings it up")
  func agreement() {
    var monitor = monitor(fall: 1)
    var actions: [Reachability.Action] = []
    _ = probe(&monitor, true, at: 0)
    let now = start + .seconds(1)
    monitor.unreachable(start: now, at: now, &actions)
    #expect(actions.last == changed(.down, .traffic))
    _ = probe(&monitor, false, at: 2)
    #expect(probe(&monitor, true, at: 7).contains(changed(.up, .probe)))
  }

  @Test("says when it was forgotten")
  func overdue() {
    let monitor = monitor()
    #expect(!monitor.isOverdue(at: start + .seconds(5)))
    #expect(monitor.isOverdue(at: start + .seconds(6)))
  }
}
