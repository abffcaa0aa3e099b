/// When an issuer's published keys are fetched: at first need, again when they have aged, and when a token names a key that
/// is not among them, which happens when the issuer changes keys. How often that happens is not the clients' choice.
package struct KeySetSchedule: Sendable {
  package typealias Instant = ContinuousClock.Instant

  package enum Verdict: Sendable, Hashable {
    /// Go on with the keys that there are.
    case proceed
    /// Go on, and fetch meanwhile.
    case refresh
    /// Fetch, and go on when that has ended.
    case fetch
    /// Go on when the fetch that is under way has ended.
    case wait
    /// There are no keys, and it is too early to try again.
    case unavailable(retryAfter: Duration)
  }

  /// The age from which keys are fetched again.
  private let refresh: Duration
  /// Between the start of two fetches at least.
  private let pause: Duration
  private var isFetching = false
  /// Whether a fetch has ever succeeded.
  package private(set) var hasKeys = false
  private var lastStart: Instant?
  private var lastSuccess: Instant?

  package init(refresh: Duration, pause: Duration) {
    self.refresh = refresh
    self.pause = pause
  }

  /// A token is to be checked.
  package mutating func need(at now: Instant) -> Verdict {
    if !hasKeys {
      if isFetching { return .wait }
      if let wait = waitBeforeFetch(at: now) { return .unavailable(retryAfter: wait) }
      start(at: now)
      return .fetch
    }
    guard let lastSuccess, now - lastSuccess >= refresh, !isFetching, waitBeforeFetch(at: now) == nil else {
      return .proceed
    }
    start(at: now)
    return .refresh
  }

  /// A token names a key that is not among those that there are.
  package mutating func missKey(at now: Instant) -> Verdict {
    if isFetching { return .wait }
    if waitBeforeFetch(at: now) != nil { return .proceed }
    start(at: now)
    return .fetch
  }

  /// The fetch has ended; keys that there were before stay where it failed.
  package mutating func end(isSuccess: Bool, at now: Instant) {
    isFetching = false
    if isSuccess {
      hasKeys = true
      lastSuccess = now
    }
  }

  private mutating func start(at now: Instant) {
    isFetching = true
    lastStart = now
  }

  /// Nil where one may begin.
  private func waitBeforeFetch(at now: Instant) -> Duration? {
    guard let lastStart, now - lastStart < pause else { return nil }
    return pause - (now - lastStart)
  }
}
