/// Waits that grow exponentially, each drawn evenly from zero up to its ceiling ("full jitter"), so that many who failed
/// together do not come back together.
///
/// - SeeAlso: Brooker, "Exponential Backoff and Jitter" (2015).
package struct Backoff: Sendable, Hashable {
  /// The first ceiling; above zero.
  package let base: Duration
  /// No ceiling is higher.
  package let cap: Duration

  package init(base: Duration, cap: Duration) {
    precondition(base > .zero && cap >= base, "a backoff starts above zero and does not shrink")
    self.base = base
    self.cap = cap
  }

  /// The longest wait after `failures` failures in a row, 1 or more: `base × 2^(failures - 1)`, at most ``cap``.
  package func ceiling(after failures: Int) -> Duration {
    var ceiling = base
    var left = failures - 1
    while left > 0 && ceiling < cap {
      ceiling *= 2
      left -= 1
    }
    return min(ceiling, cap)
  }

  /// A wait, from zero to ``ceiling(after:)``, both included; in whole nanoseconds.
  package func delay(after failures: Int, using random: inout some RandomNumberGenerator) -> Duration {
    .nanoseconds(Int64.random(in: 0...ceiling(after: failures).nanoseconds, using: &random))
  }
}
