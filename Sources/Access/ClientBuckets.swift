package import Resilience

/// How often each client may ask.
package struct ClientRate: Sendable, Hashable {
  package let count: Int
  package let period: Duration
  /// At once, after a silence.
  package let burst: Int

  package init(count: Int, period: Duration, burst: Int) {
    self.count = count
    self.period = period
    self.burst = burst
  }

  /// `"client";q=100;w=60`, as `RateLimit-Policy` says it: so many requests in so many whole seconds. Where a burst allows more
  /// at once than the period, the burst and the time that it takes to come back are told.
  package var policy: String {
    let window = burst > count ? period * burst / count : period
    let seconds = max(1, Int((window / .seconds(1)).rounded(.up)))
    let quota =
      window < .seconds(1)
      ? Int((Double(max(burst, count)) * (.seconds(1) / window)).rounded()) : max(burst, count)
    return #""client";q=\#(quota);w=\#(seconds)"#
  }
}

/// The buckets of the clients that asked lately.
///
/// Bounded: where there are more clients than room, those that have not asked for longest start anew, with a full bucket.
package struct ClientBuckets: Sendable {
  package struct Verdict: Sendable, Hashable {
    package let isAllowed: Bool
    /// Requests that may follow at once.
    package let remaining: Int
    /// Until there is one more, where there is none; else until all are back.
    package let reset: Duration
  }

  /// Clients that are known at once at most.
  package let capacity: Int
  /// Those that asked lately, and those before them: when the first holds half of all it becomes the second.
  private var recent: [String: TokenBucket] = [:]
  private var earlier: [String: TokenBucket] = [:]

  package init(capacity: Int) {
    precondition(capacity >= 2)
    self.capacity = capacity
  }

  package var count: Int { recent.count + earlier.count }

  /// One more request of `client`.
  package mutating func take(_ client: String, _ rate: ClientRate, at now: Instant) -> Verdict {
    var bucket =
      recent[client] ?? earlier.removeValue(forKey: client)
      ?? TokenBucket(count: rate.count, per: rate.period, burst: rate.burst)
    let isAllowed = bucket.take(at: now)
    let remaining = bucket.remaining(at: now)
    let reset = remaining == 0 ? bucket.available(at: now) - now : bucket.refill(at: now)
    if recent[client] == nil, recent.count >= capacity / 2 {
      earlier = recent
      recent = [:]
    }
    recent[client] = bucket
    return Verdict(isAllowed: isAllowed, remaining: remaining, reset: reset)
  }
}
