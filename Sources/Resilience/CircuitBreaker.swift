/// Keeps requests from a server that answers badly most of the time, so that it can recover and clients need not wait.
///
/// It judges faults only: whether the server can be reached at all is ``Reachability``'s business, and an attempt that
/// did not reach it says nothing here.
package struct CircuitBreaker: Sendable {
  package struct Settings: Sendable, Hashable {
    /// The part of faulty answers that opens it, above 0, up to 1.
    package var faults: Double
    /// Answers in the window below which no part of them means anything.
    package var volume: Int
    package var window: Duration
    /// How long it stays open before a trial.
    package var pause: Duration
    /// How long a trial is waited for before another one is let through.
    package var trialTimeout: Duration

    package init(faults: Double, volume: Int, window: Duration, pause: Duration, trialTimeout: Duration) {
      self.faults = faults
      self.volume = volume
      self.window = window
      self.pause = pause
      self.trialTimeout = trialTimeout
    }
  }

  package enum Phase: String, Sendable, Hashable, CaseIterable {
    case closed
    case open
    case halfOpen = "half_open"
  }

  /// Says, with the outcome, which question it answers. One from before a change is an answer to nothing.
  package struct Pass: Sendable, Hashable {
    package let epoch: UInt64

    package init(epoch: UInt64) { self.epoch = epoch }
  }

  package enum Verdict: Sendable, Hashable {
    case pass(Pass)
    case reject(retryAfter: Duration)
  }

  package enum Outcome: Sendable, Hashable {
    case good
    case faulty
    /// Cancelled, or it never reached the server.
    case none
  }

  /// Since the start.
  package struct Counts: Sendable, Hashable {
    package var opened = 0
    package var closed = 0
    package var trials = 0
    package var rejected = 0

    package init() {}
  }

  private enum State: Sendable {
    case closed  // to: open
    case open(until: Instant)  // to: halfOpen
    case halfOpen(trialExpires: Instant)  // to: closed, open, halfOpen (another trial)
  }

  private static let steps = 10

  package let settings: Settings
  private var state = State.closed
  private var epoch: UInt64 = 0
  private var window: RollingWindow
  package private(set) var counts = Counts()

  package init(_ settings: Settings) {
    precondition(settings.faults > 0 && settings.faults <= 1 && settings.volume >= 1)
    self.settings = settings
    window = RollingWindow(length: settings.window, steps: Self.steps)
  }

  package var phase: Phase {
    switch state {
    case .closed: .closed
    case .open: .open
    case .halfOpen: .halfOpen
    }
  }

  /// Whether it is closed, and one more good answer would change nothing that matters: then neither admission nor a good
  /// answer need be told. The part of faulty answers is so counted from the first of them in the window.
  package var isCalm: Bool {
    guard case .closed = state else { return false }
    return window.marked == 0
  }

  /// What ``admit(at:)`` would hand out while it is closed.
  package var pass: Pass { Pass(epoch: epoch) }

  /// Whether a request may go to the server now.
  package mutating func admit(at now: Instant) -> Verdict {
    switch state {
    case .closed: return .pass(Pass(epoch: epoch))
    case .open(let until):
      if now >= until { return startTrial(at: now) }
      counts.rejected += 1
      return .reject(retryAfter: now.duration(to: until))
    case .halfOpen(let trialExpires):
      // A trial that nobody heard of again must not hold everybody up.
      if now >= trialExpires { return startTrial(at: now) }
      counts.rejected += 1
      return .reject(retryAfter: now.duration(to: trialExpires))
    }
  }

  private mutating func startTrial(at now: Instant) -> Verdict {
    epoch += 1
    counts.trials += 1
    state = .halfOpen(trialExpires: now + settings.trialTimeout)
    return .pass(Pass(epoch: epoch))
  }

  /// How a request ended that was let through with `pass`.
  ///
  /// - Returns: the new phase when it changed.
  package mutating func record(_ outcome: Outcome, of pass: Pass, at now: Instant) -> Phase? {
    guard pass.epoch == epoch else { return nil }
    switch (state, outcome) {
    case (.closed, .none), (.open, _): return nil
    case (.closed, _):
      window.record(events: 1, marked: outcome == .faulty ? 1 : 0, at: now)
      guard outcome == .faulty, window.events >= settings.volume,
        Double(window.marked) >= settings.faults * Double(window.events)
      else { return nil }
      return open(at: now)
    case (.halfOpen, .good):
      epoch += 1
      counts.closed += 1
      window.clear()
      state = .closed
      return .closed
    case (.halfOpen, .faulty): return open(at: now)
    case (.halfOpen, .none):
      // The trial told nothing: the next request is another one.
      state = .halfOpen(trialExpires: now)
      return nil
    }
  }

  private mutating func open(at now: Instant) -> Phase {
    epoch += 1
    counts.opened += 1
    state = .open(until: now + settings.pause)
    return .open
  }
}
