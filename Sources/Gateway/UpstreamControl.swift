package import Configuration
import HTTPSemantics
import JSON
import Paging
package import Resilience
import Synchronization

/// One upstream's gate, breaker and reachability, shared by all loops.
///
/// A request that comes while nothing is wrong and nobody waits passes by one exchange of an atomic word and two loads, and
/// leaves by the same (``GateWord`` says why the limit holds all the same). Anything else is decided under a lock, and
/// acted on outside of it: by ``Effects``, which the loop that decided carries out.
package final class UpstreamControl: Sendable {
  /// What a waiting request is told, on its own loop.
  enum Admission: Sendable {
    case admitted(Ticket)
    case refused(Refusal)
  }

  /// What a request that was admitted brings back.
  struct Ticket: Sendable {
    let pass: CircuitBreaker.Pass
    /// Suspensions before it: one that comes later ends it.
    let suspensions: UInt64
  }

  enum Refusal: Sendable {
    case full
    /// The upstream cannot be reached.
    case suspended(retryAfter: Duration)
    /// The upstream's limit, or ours for it.
    case limited(retryAfter: Duration)
    /// The upstream answers badly most of the time.
    case open(retryAfter: Duration)
    /// Its turn did not come in time.
    case deadline
  }

  enum Entry {
    case admitted(Ticket)
    case queued(Gate.Ticket)
    case refused(Refusal)
  }

  /// How an attempt ended, as far as the control is concerned.
  struct Ending: Sendable {
    enum Evidence: Sendable { case answered, unreachable, none }
    var evidence: Evidence
    var gate: Gate.Ending
    var breaker: CircuitBreaker.Outcome
    /// What the upstream announced of its limit.
    var limit: RateLimit?
    /// How long it wants to be left alone by everybody.
    var pause: Duration?
  }

  /// What is to be done after a decision, outside of the lock.
  struct Effects {
    var admissions: [(resume: Resume, admission: Admission)] = []
    var changes: [Reachability.Change] = []
    var breakerPhase: CircuitBreaker.Phase?
    /// Requests under way that began before so many suspensions are to be ended, on every loop.
    var endsBefore: UInt64?
    var startsProbe = false
    /// When the monitor is to look again.
    var wake: Instant?
    /// Whether its timer was found to be lost.
    var wasOverdue = false
  }

  /// Told how waiting ended; does no more than pass it on to its loop.
  typealias Resume = @Sendable (Admission) -> Void

  private struct Core: Sendable {
    var gate: Gate
    var breaker: CircuitBreaker?
    var reachability: Reachability
    var waiters: [Gate.Ticket: Resume] = [:]
    /// When the monitor looks next, as it was told.
    var armed: Instant?
    var monitor: (@Sendable (Instant) -> Void)?
    var loops: [@Sendable (UInt64) -> Void] = []
  }

  package let configuration: Configuration.Upstream
  private let word: Atomic<UInt64>
  /// Whether a good answer changes nothing.
  private let isCalm = Atomic<Bool>(false)
  private let isSuspended = Atomic<Bool>(false)
  private let suspensions = Atomic<UInt64>(0)
  private let epoch = Atomic<UInt64>(0)
  private let core: Mutex<Core>
  /// Nil where no session is needed.
  let sessions: SessionTable?

  /// - Parameter offset: until the first probe.
  package init(
    _ configuration: Configuration.Upstream, firstProbe offset: Duration, at now: ContinuousClock.Instant
  ) {
    self.configuration = configuration
    let protection = configuration.protection
    let gate = Gate(protection.queue)
    sessions = configuration.session.map { SessionTable($0) }
    word = Atomic(gate.word.rawValue)
    core = Mutex(
      Core(
        gate: gate, breaker: protection.breaker.map { CircuitBreaker($0) },
        reachability: Reachability(protection.monitoring.settings, offset: offset, at: now)))
  }

  /// Whether the upstream is known to be out of reach: what is known is to be served at once.
  package var isDown: Bool { isSuspended.load(ordering: .relaxed) }

  /// What is left until something may show that it can be reached again.
  func untilNextCheck(at now: Instant) -> Duration {
    core.withLock { $0.reachability.untilNextCheck(at: now) }
  }

  /// The session as a loop uses it.
  ///
  /// - Parameter refusals: the rules that the upstream's answers are judged by.
  func session(_ parser: Parser, refusals: [Paging.Refusal]) -> UpstreamSession? {
    guard let session = configuration.session, let sessions else { return nil }
    return UpstreamSession(
      session, of: configuration.url, refusals: refusals, sessions: sessions, parser: parser)
  }

  // MARK: Requests

  /// A request wants to go to the upstream.
  ///
  /// - Parameter resume: makes what is called, once, from any thread, if the request is queued, unless
  ///   ``cancel(_:at:)`` says that it will not be.
  func enter(
    _ priority: Gate.Priority, deadline: Instant, at now: Instant, resume: () -> Resume
  ) -> (Entry, Effects?) {
    if let ticket = passFreely() { return (.admitted(ticket), nil) }
    var entry = Entry.refused(.full)
    let effects = decide(at: now) { core, effects in
      // A lost timer must not keep everybody waiting for good.
      if core.reachability.isOverdue(at: now) {
        effects.wasOverdue = true
        core.armed = nil
      }
      var actions: [Gate.Action] = []
      switch core.gate.enter(priority, deadline: deadline, at: now, &actions) {
      case .admitted: entry = Self.admit(&core, &actions, suspensions.load(ordering: .relaxed), at: now)
      case .queued(let ticket):
        core.waiters[ticket] = resume()
        entry = .queued(ticket)
      case .refused(let refusal): entry = .refused(Self.refusal(refusal, core, at: now))
      }
      settle(&core, actions, &effects, at: now)
    }
    return (entry, effects)
  }

  /// The way past the lock.
  private func passFreely() -> Ticket? {
    // Read before the word is moved: a suspension in between ends this request, one before closed the word.
    let suspensions = suspensions.load(ordering: .acquiring)
    guard isCalm.load(ordering: .acquiring) else { return nil }
    let pass = CircuitBreaker.Pass(epoch: epoch.load(ordering: .relaxed))
    let limit = configuration.protection.queue.concurrent
    var seen = word.load(ordering: .relaxed)
    while let next = GateWord(rawValue: seen).entering(limit: limit) {
      let (isExchanged, original) = word.weakCompareExchange(
        expected: seen, desired: next.rawValue, ordering: .acquiringAndReleasing)
      if isExchanged { return Ticket(pass: pass, suspensions: suspensions) }
      seen = original
    }
    return nil
  }

  /// A request that was admitted has ended.
  func leave(_ ticket: Ticket, _ ending: Ending, start: Instant, at now: Instant) -> Effects? {
    let changesNothing =
      switch ending.evidence {
      case .answered:
        ending.breaker == .good && ending.limit == nil && ending.pause == nil
          && isCalm.load(ordering: .acquiring)
      case .none: ending.breaker == .none
      case .unreachable: false
      }
    if changesNothing && leaveFreely() { return nil }
    return decide(at: now) { core, effects in
      var actions: [Gate.Action] = []
      if let phase = core.breaker?.record(ending.breaker, of: ticket.pass, at: now) {
        effects.breakerPhase = phase
      }
      core.gate.leave(ending.gate, at: now, &actions)
      if let pause = ending.pause { core.gate.pause(until: now + pause, at: now, &actions) }
      if let limit = ending.limit {
        core.gate.heed(
          remaining: limit.remaining, limit: limit.limit, reset: limit.reset,
          longestPause: configuration.protection.retries.policy.longestWait, at: now, &actions)
      }
      var changes: [Reachability.Action] = []
      switch ending.evidence {
      case .answered: core.reachability.answered(start: start, at: now, &changes)
      case .unreachable: core.reachability.unreachable(start: start, at: now, &changes)
      case .none: break
      }
      apply(changes, &core, &actions, &effects, at: now)
      settle(&core, actions, &effects, at: now)
    }
  }

  private func leaveFreely() -> Bool {
    var seen = word.load(ordering: .relaxed)
    while let next = GateWord(rawValue: seen).leaving() {
      let (isExchanged, original) = word.weakCompareExchange(
        expected: seen, desired: next.rawValue, ordering: .acquiringAndReleasing)
      if isExchanged { return true }
      seen = original
    }
    return false
  }

  /// A waiting request is no longer wanted.
  ///
  /// - Returns: whether it will not be resumed; if it will be and is admitted, it has to leave.
  func cancel(_ ticket: Gate.Ticket, at now: Instant) -> (Bool, Effects) {
    var wasThere = false
    let effects = decide(at: now) { core, effects in
      var actions: [Gate.Action] = []
      wasThere = core.gate.cancel(ticket, at: now, &actions)
      if wasThere { core.waiters[ticket] = nil }
      settle(&core, actions, &effects, at: now)
    }
    return (wasThere, effects)
  }

  // MARK: The monitor

  /// What the loops offer: each a way to end what it has under way, and one a clock.
  ///
  /// - Parameters:
  ///   - endAll: is given a number of suspensions; from any thread.
  ///   - monitor: is given when to call ``tick(at:)``; from any thread. Nil on all loops but one.
  func attach(endAll: @escaping @Sendable (UInt64) -> Void, monitor: (@Sendable (Instant) -> Void)?) {
    core.withLock { core in
      core.loops.append(endAll)
      if let monitor { core.monitor = monitor }
    }
  }

  func tick(at now: Instant) -> Effects {
    decide(at: now) { core, effects in
      core.armed = nil
      var actions: [Gate.Action] = []
      var changes: [Reachability.Action] = []
      core.reachability.tick(at: now, &changes)
      apply(changes, &core, &actions, &effects, at: now)
      core.gate.tick(at: now, &actions)
      settle(&core, actions, &effects, at: now)
    }
  }

  enum Evidence: Sendable {
    case probe(isGood: Bool)
    case lost(Reachability.Reason)
    case found
    case shifted
    /// The upstream has asked a replica to be left alone.
    case paused(until: Instant)
  }

  func take(_ evidence: Evidence, at now: Instant) -> Effects {
    decide(at: now) { core, effects in
      var actions: [Gate.Action] = []
      var changes: [Reachability.Action] = []
      switch evidence {
      case .probe(true): core.reachability.probeSucceeded(at: now, &changes)
      case .probe(false): core.reachability.probeFailed(at: now, &changes)
      case .lost(let reason): core.reachability.lost(reason, at: now, &changes)
      case .found: core.reachability.found(at: now, &changes)
      case .shifted: core.reachability.shifted(at: now, &changes)
      case .paused(let until):
        let latest = now + configuration.protection.retries.policy.longestWait
        core.gate.pause(until: min(until, latest), at: now, &actions)
      }
      apply(changes, &core, &actions, &effects, at: now)
      settle(&core, actions, &effects, at: now)
    }
  }

  // MARK: Deciding

  private func decide(at now: Instant, _ event: (inout Core, inout Effects) -> Void) -> Effects {
    core.withLock { core in
      var effects = Effects()
      // Closing hands the number of requests under way over: from here on nobody else moves it.
      let open = GateWord(rawValue: word.exchange(GateWord.closed.rawValue, ordering: .acquiringAndReleasing))
      core.gate.adopt(open)
      event(&core, &effects)
      epoch.store(core.breaker?.pass.epoch ?? 0, ordering: .relaxed)
      isSuspended.store(core.reachability.isDown, ordering: .relaxed)
      isCalm.store(core.reachability.isCalm && core.breaker?.isCalm ?? true, ordering: .releasing)
      let wake = [core.gate.wake(at: now), core.reachability.wake].compactMap(\.self).min()
      if let wake, wake < core.armed ?? wake + .seconds(1) {
        core.armed = wake
        effects.wake = wake
      }
      word.store(core.gate.word.rawValue, ordering: .releasing)
      return effects
    }
  }

  /// Carries out what reachability asks of the gate.
  private func apply(
    _ changes: [Reachability.Action], _ core: inout Core, _ actions: inout [Gate.Action],
    _ effects: inout Effects,
    at now: Instant
  ) {
    for action in changes {
      switch action {
      case .startProbe: effects.startsProbe = true
      case .allowTrial: core.gate.allowTrial(at: now, &actions)
      case .changed(let change):
        effects.changes.append(change)
        if change.phase == .down {
          suspensions.add(1, ordering: .releasing)
          core.gate.suspend(at: now, &actions)
        } else {
          core.gate.resume(at: now, &actions)
        }
      }
    }
  }

  /// Turns the gate's actions into what the waiting requests are told. The breaker has its say when a turn has come.
  private func settle(_ core: inout Core, _ actions: [Gate.Action], _ effects: inout Effects, at now: Instant)
  {
    var actions = actions
    var index = 0
    while index < actions.count {
      switch actions[index] {
      case .admit(let ticket):
        guard let resume = core.waiters.removeValue(forKey: ticket) else { break }
        switch Self.admit(&core, &actions, suspensions.load(ordering: .relaxed), at: now) {
        case .admitted(let ticket): effects.admissions.append((resume, .admitted(ticket)))
        case .refused(let refusal): effects.admissions.append((resume, .refused(refusal)))
        case .queued: break
        }
      case .refuse(let ticket, let refusal):
        guard let resume = core.waiters.removeValue(forKey: ticket) else { break }
        effects.admissions.append((resume, .refused(Self.refusal(refusal, core, at: now))))
      case .endAll: effects.endsBefore = suspensions.load(ordering: .relaxed)
      }
      index += 1
    }
  }

  /// What the breaker says to one whom the gate has admitted; who is refused leaves at once.
  private static func admit(
    _ core: inout Core, _ actions: inout [Gate.Action], _ suspensions: UInt64, at now: Instant
  ) -> Entry {
    switch core.breaker?.admit(at: now) {
    case nil: return .admitted(Ticket(pass: CircuitBreaker.Pass(epoch: 0), suspensions: suspensions))
    case .pass(let pass): return .admitted(Ticket(pass: pass, suspensions: suspensions))
    case .reject(let wait):
      core.gate.leave(.none, at: now, &actions)
      return .refused(.open(retryAfter: wait))
    }
  }

  private static func refusal(_ refusal: Gate.Refusal, _ core: Core, at now: Instant) -> Refusal {
    switch refusal {
    case .full: .full
    case .suspended: .suspended(retryAfter: core.reachability.untilNextCheck(at: now))
    case .paused(let until): .limited(retryAfter: now.duration(to: until))
    case .deadline: .deadline
    }
  }

  /// The ways to reach the monitor and all loops.
  func members() -> (monitor: (@Sendable (Instant) -> Void)?, loops: [@Sendable (UInt64) -> Void]) {
    core.withLock { ($0.monitor, $0.loops) }
  }
}

// MARK: What is shown

extension UpstreamControl {
  /// How things stand at a moment, for people and figures.
  package struct Snapshot: Sendable {
    package let phase: Reachability.Phase
    package let reason: Reachability.Reason?
    package let since: ContinuousClock.Instant
    package let underWay: Int
    package let waiting: Int
    package let width: Int
    package let isPaused: Bool
    package let untilNextCheck: Duration
    package let breaker: CircuitBreaker.Phase
    package let breakerCounts: CircuitBreaker.Counts
  }

  package func snapshot(at now: ContinuousClock.Instant) -> Snapshot {
    core.withLock { core in
      let open = GateWord(rawValue: word.load(ordering: .relaxed))
      return Snapshot(
        phase: core.reachability.phase, reason: core.reachability.reason, since: core.reachability.since,
        underWay: open.isOpen ? open.underWay : core.gate.underWayCount, waiting: core.gate.waitingCount,
        width: core.gate.width, isPaused: core.gate.pauseEnd.map { $0 > now } ?? false,
        untilNextCheck: core.reachability.untilNextCheck(at: now), breaker: core.breaker?.phase ?? .closed,
        breakerCounts: core.breaker?.counts ?? CircuitBreaker.Counts())
    }
  }
}
