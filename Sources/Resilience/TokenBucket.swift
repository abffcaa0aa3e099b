/// How often something may be done: a number of times a period, a burst of them at once.
///
/// It keeps one instant (the generic cell rate algorithm, which admits exactly what a bucket of `burst` tokens admits that
/// gets one every `interval`), so that nothing drifts and nothing is rounded.
package struct TokenBucket: Sendable, Hashable {
  /// Between two tokens; above zero.
  package let interval: Duration
  /// Tokens of a full bucket; 1 or more.
  package let burst: Int
  /// When the bucket will be full again; nil, or in the past, when it is.
  private var full: Instant?

  /// A full bucket.
  package init(interval: Duration, burst: Int) {
    precondition(interval > .zero && burst >= 1, "a bucket gets tokens and holds one at least")
    self.interval = interval
    self.burst = burst
  }

  /// `count` a `period`, and as many at once.
  package init(count: Int, per period: Duration, burst: Int) {
    self.init(interval: max(period / count, .nanoseconds(1)), burst: burst)
  }

  /// Takes a token, if there is one.
  package mutating func take(at now: Instant) -> Bool {
    guard available(at: now) <= now else { return false }
    full = max(full ?? now, now) + interval
    return true
  }

  /// Gives back a token that was taken and not used.
  package mutating func giveBack() { full = full.map { $0 - interval } }

  /// Tokens that can be taken at once.
  package func remaining(at now: Instant) -> Int {
    guard let full, full > now else { return burst }
    let missing = ((full - now).nanoseconds + interval.nanoseconds - 1) / interval.nanoseconds
    return max(0, burst - Int(missing))
  }

  /// Until it is full.
  package func refill(at now: Instant) -> Duration { max(.zero, (full ?? now) - now) }

  /// The earliest instant, `now` or later, at which there is a token.
  package func available(at now: Instant) -> Instant {
    guard let full else { return now }
    return max(now, full - interval * (burst - 1))
  }
}
