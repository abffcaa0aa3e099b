/// Whether an upstream can be reached: what probes, real requests and the kernel's routes say, weighed against each other.
///
/// It is about the network only. Any answer, however faulty, shows that the upstream is reachable.
///
/// It cannot stick: while it is down, something is always due that may show the opposite (a probe, or, where probes are
/// off or proven wrong by nothing better, a trial with a real request), and ``wake`` says when. Where the rim loses that
/// timer, ``isOverdue(at:)`` shows it to the next request that comes.
package struct Reachability: Sendable {
  package struct Settings: Sendable, Hashable {
    /// Whether probes are made; without them only real requests tell.
    package var probes: Bool
    /// Between the end of a probe and the next; between two trials.
    package var every: Duration
    package var timeout: Duration
    /// Failures in a row that show it is down.
    package var fall: Int
    /// Probes in a row that must succeed to show it is up again.
    package var rise: Int

    package init(probes: Bool, every: Duration, timeout: Duration, fall: Int, rise: Int) {
      precondition(every > .zero && timeout > .zero && fall >= 1 && rise >= 1)
      self.probes = probes
      self.every = every
      self.timeout = timeout
      self.fall = fall
      self.rise = rise
    }
  }

  /// What showed it.
  package enum Reason: String, Sendable, Hashable, CaseIterable {
    case probe
    case traffic
    /// The kernel has no route to it any more, or has one again.
    case route
    /// The link that leads to it.
    case link
  }

  package enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been asked of it yet: taken for up.
    case unknown
    case up
    case down
  }

  package struct Change: Sendable, Hashable {
    package let phase: Phase
    package let reason: Reason

    package init(phase: Phase, reason: Reason) {
      self.phase = phase
      self.reason = reason
    }
  }

  package enum Action: Sendable, Hashable {
    case startProbe
    /// Let one real request through: its outcome decides.
    case allowTrial
    case changed(Change)
  }

  private enum Probe: Sendable {
    case due(Instant)  // to: underWay
    case underWay(since: Instant)  // to: due
    case never
  }

  package let settings: Settings
  package private(set) var phase = Phase.unknown
  package private(set) var reason: Reason?
  /// Since when it is what it is.
  package private(set) var since: Instant
  private var probe: Probe
  /// The next trial, while it is down.
  private var trial: Instant?
  /// Probes in a row that failed while it was not down, or succeeded while it was.
  private var probesInRow = 0
  /// Real requests in a row that failed.
  private var failuresInRow = 0
  /// When a real request was last answered.
  private var lastAnswer: Instant?
  /// How often real requests found nobody where probes find somebody, without an answer in between: by so much are probes
  /// believed less. One that fails, as the requests do, shows that they can tell after all.
  private var doubts = 0

  /// - Parameter offset: until the first probe, so that those of many upstreams do not come together.
  package init(_ settings: Settings, offset: Duration, at now: Instant) {
    self.settings = settings
    since = now
    probe = settings.probes ? .due(now + offset) : .never
  }

  package var isDown: Bool { phase == .down }

  /// Whether one more answered request would change nothing here, so that it need not be told.
  package var isCalm: Bool {
    guard phase == .up, probesInRow == 0, failuresInRow == 0, doubts == 0 else { return false }
    if case .underWay = probe { return false }
    return true
  }

  /// By when ``tick(at:_:)`` is due; never nil while it is down.
  package var wake: Instant? {
    let probing: Instant? =
      switch probe {
      case .due(let instant): instant
      case .underWay(let since): since + settings.timeout
      case .never: nil
      }
    guard let trial else { return probing }
    return min(trial, probing ?? trial)
  }

  /// What is left until something may show that it is up again: what a client is told to wait.
  package func untilNextCheck(at now: Instant) -> Duration {
    max(.zero, now.duration(to: wake ?? now + settings.every))
  }

  /// Whether ``tick(at:_:)`` was due long ago and did not come.
  package func isOverdue(at now: Instant) -> Bool {
    guard let wake else { return isDown }
    return wake + settings.every < now
  }

  // MARK: Probes

  package mutating func tick(at now: Instant, _ actions: inout [Action]) {
    switch probe {
    case .due(let instant) where instant <= now:
      probe = .underWay(since: now)
      actions.append(.startProbe)
    case .underWay(let since) where since + settings.timeout <= now:
      // The rim ends its probes itself; this one was lost.
      probeFailed(at: now, &actions)
    default: break
    }
    if let trial, trial <= now {
      self.trial = now + settings.every
      actions.append(.allowTrial)
    }
  }

  package mutating func probeSucceeded(at now: Instant, _ actions: inout [Action]) {
    guard case .underWay = probe else { return }
    probe = .due(now + settings.every)
    guard isDown else {
      probesInRow = 0
      if phase == .unknown { change(to: .up, .probe, at: now, &actions) }
      return
    }
    probesInRow += 1
    if probesInRow >= rise {
      change(to: .up, .probe, at: now, &actions)
    } else if doubts > 0 {
      // A real request would know.
      trial = now + settings.every
      actions.append(.allowTrial)
    }
  }

  /// Probes in a row that must succeed to show that it is up: more each time that they were wrong, so that it does not go
  /// up and down with every probe; and never so many that it stays down for good.
  private var rise: Int { settings.rise + (1 << min(doubts, Self.mostDoubts)) - 1 }
  private static let mostDoubts = 6

  package mutating func probeFailed(at now: Instant, _ actions: inout [Action]) {
    guard case .underWay(let start) = probe else { return }
    probe = .due(now + settings.every)
    if isDown {
      probesInRow = 0
      doubts = 0
      return
    }
    // An upstream that has answered meanwhile is there, whatever the probe says.
    if let lastAnswer, lastAnswer >= start {
      probesInRow = 0
      return
    }
    probesInRow += 1
    if probesInRow >= settings.fall { change(to: .down, .probe, at: now, &actions) }
  }

  // MARK: Real requests

  /// A request was answered, well or badly.
  ///
  /// - Parameter start: when it was sent. One from before the last change tells of the past.
  package mutating func answered(start: Instant, at now: Instant, _ actions: inout [Action]) {
    guard phase == .unknown || start >= since else { return }
    lastAnswer = now
    failuresInRow = 0
    doubts = 0
    if phase == .up {
      probesInRow = 0
    } else {
      change(to: .up, .traffic, at: now, &actions)
    }
  }

  /// A request found nobody: no route, no name, no connection, no handshake, no first byte.
  package mutating func unreachable(start: Instant, at now: Instant, _ actions: inout [Action]) {
    guard phase == .unknown || start >= since, !isDown else { return }
    failuresInRow += 1
    if failuresInRow >= (doubts > 0 ? 1 : settings.fall) { change(to: .down, .traffic, at: now, &actions) }
  }

  // MARK: The kernel

  /// The way to the upstream is gone.
  package mutating func lost(_ reason: Reason, at now: Instant, _ actions: inout [Action]) {
    if !isDown { change(to: .down, reason, at: now, &actions) }
  }

  /// There is a way again. Whether anybody is at its end is asked at once.
  package mutating func found(at now: Instant, _ actions: inout [Action]) {
    guard isDown else { return }
    if case .due = probe { probe = .due(now) }
    trial = trial.map { _ in now }
    tick(at: now, &actions)
  }

  /// The way to the upstream is another one than before. What that means is asked at once.
  package mutating func shifted(at now: Instant, _ actions: inout [Action]) {
    if case .due = probe { probe = .due(now) }
    tick(at: now, &actions)
  }

  // MARK: Changes

  private mutating func change(
    to phase: Phase, _ reason: Reason, at now: Instant, _ actions: inout [Action]
  ) {
    self.phase = phase
    self.reason = reason
    since = now
    probesInRow = 0
    failuresInRow = 0
    if phase == .down { doubts = reason == .traffic ? min(doubts + 1, Self.mostDoubts) : 0 }
    // Probes that look elsewhere, or are kept out where requests are not, must not hold the upstream down for good; and
    // what the kernel's routes say is not the last word either. So there are trials beside the probes.
    trial = phase == .down ? now + settings.every : nil
    if phase == .down, case .due = probe { probe = .due(now + min(settings.every, Self.firstLook)) }
    actions.append(.changed(Change(phase: phase, reason: reason)))
  }

  /// After the fall the first probe comes early: most outages are short.
  private static let firstLook = Duration.seconds(1)
}
