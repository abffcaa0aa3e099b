import Configuration
import Dispatch
import Resilience
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("UpstreamControl", .timeLimit(.minutes(10)))
struct UpstreamControlTests {
  private static let limit = 5

  private func control() -> UpstreamControl {
    let url = BaseURL(scheme: .http, host: "127.0.0.1", port: 1, path: "")
    let usual = Configuration.Upstream.defaults(name: "shop", url: url)
    let protection = Configuration.Protection(
      queue: Gate.Settings(concurrent: Self.limit, waiting: 1_000, wait: .seconds(30), rate: nil),
      monitoring: .defaults, breaker: Configuration.Protection.defaults.breaker, retries: .defaults)
    let upstream = Configuration.Upstream(
      name: usual.name, url: url, timeout: usual.timeout, bodyLimit: usual.bodyLimit, charset: nil,
      headers: [],
      tls: usual.tls,
      http: usual.http, dnsAge: usual.dnsAge, connections: usual.connections, protection: protection)
    return UpstreamControl(upstream, firstProbe: .seconds(3_600), at: .now)
  }

  /// What the threads count together.
  private final class Tally: Sendable {
    let underWay = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let done = Atomic<Int>(0)

    func enter() {
      let now = underWay.add(1, ordering: .sequentiallyConsistent).newValue
      most.max(now, ordering: .sequentiallyConsistent)
    }

    func leave() {
      underWay.subtract(1, ordering: .sequentiallyConsistent)
      done.add(1, ordering: .sequentiallyConsistent)
    }
  }

  private static let good = UpstreamControl.Ending(
    evidence: .answered, gate: .good, breaker: .good, limit: nil, pause: nil)
  private static let bad = UpstreamControl.Ending(
    evidence: .answered, gate: .poor, breaker: .faulty, limit: nil, pause: nil)

  @Test("the limit is exact and everybody gets through, with many threads, with and without the lock")
  func exact() {
    let control = control()
    let tally = Tally()
    let threads = 8
    let rounds = 3_000
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var random = SeededRandom(seed: UInt64(thread))
      for _ in 0..<rounds {
        let answered = DispatchSemaphore(value: 0)
        let given = Mutex<UpstreamControl.Ticket?>(nil)
        let (entry, effects) = control.enter(.client, deadline: .now + .seconds(60), at: .now) {
          { admission in
            if case .admitted(let ticket) = admission { given.withLock { $0 = ticket } }
            answered.signal()
          }
        }
        for (resume, admission) in effects?.admissions ?? [] { resume(admission) }
        var ticket: UpstreamControl.Ticket?
        switch entry {
        case .admitted(let admitted): ticket = admitted
        case .queued:
          answered.wait()
          ticket = given.withLock(\.self)
        case .refused: break
        }
        guard let ticket else { continue }
        tally.enter()
        // Faults are rare enough for the breaker, and often enough to keep the lock in use.
        let ending = UInt8.random(in: 0..<100, using: &random) < 5 ? Self.bad : Self.good
        tally.leave()
        let after = control.leave(ticket, ending, start: .now, at: .now)
        for (resume, admission) in after?.admissions ?? [] { resume(admission) }
      }
    }
    #expect(tally.done.load(ordering: .relaxed) == threads * rounds)
    #expect(tally.most.load(ordering: .relaxed) <= Self.limit)
    let snapshot = control.snapshot(at: .now)
    #expect(snapshot.underWay == 0 && snapshot.waiting == 0 && snapshot.phase == .up)
    #expect(snapshot.width == Self.limit)
  }

  @Test("a request that passed before a suspension is known to be older than it")
  func suspensions() throws {
    let control = control()
    let now = ContinuousClock.now
    guard
      case (.admitted(let ticket), _) = control.enter(
        .client, deadline: now + .seconds(9), at: now, resume: { { _ in } })
    else { throw TestFailure("not admitted") }
    let effects = control.take(.lost(.link), at: now)
    #expect(effects.endsBefore.map { ticket.suspensions < $0 } == true)
    #expect(effects.changes == [.init(phase: .down, reason: .link)])
    #expect(control.isDown)
    // While it is down, something is due.
    #expect(effects.wake.map { $0 <= now + .seconds(1) } == true)
    _ = control.leave(ticket, .nothing, start: now, at: now)
    #expect(control.snapshot(at: now).underWay == 0)
  }

  @Test("a timer that was lost is asked for again by the next request")
  func overdue() {
    let control = control()
    let now = ContinuousClock.now
    _ = control.take(.lost(.route), at: now)
    let (_, effects) = control.enter(
      .client, deadline: now + .seconds(60), at: now + .seconds(30), resume: { { _ in } })
    #expect(effects?.wasOverdue == true)
    #expect(effects?.wake != nil)
  }
}
