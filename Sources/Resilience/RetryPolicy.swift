/// Whether a request that failed is made again, and when.
package struct RetryPolicy: Sendable, Hashable {
  /// How one attempt ended.
  package enum Outcome: Sendable, Hashable {
    /// No connection, or it ended before the first byte.
    case unreachable
    /// An answer, and how long it asks to be left alone (`Retry-After`).
    case status(Int, retryAfter: Duration?)
    /// Anything else: half an answer, a deadline that passed, nonsense.
    case other
  }

  package enum Verdict: Sendable, Hashable {
    case retry(after: Duration)
    case giveUp(Reason)
  }

  package enum Reason: String, Sendable, Hashable, CaseIterable {
    /// Repeating does not help with this.
    case hopeless
    /// It might be done twice.
    case notRepeatable = "not_repeatable"
    case attempts
    /// The upstream asks for more patience than we have: the cap or the deadline.
    case patience
    case budget
  }

  /// Attempts altogether; 1 never repeats.
  package var attempts: Int
  package var backoff: Backoff
  /// The longest `Retry-After` that is waited for.
  package var longestWait: Duration

  package init(attempts: Int, backoff: Backoff, longestWait: Duration) {
    self.attempts = attempts
    self.backoff = backoff
    self.longestWait = longestWait
  }

  /// The answers that promise something else to the same request later (RFC 9110 §15.6, RFC 6585 §4).
  package static func isTransient(_ status: Int) -> Bool {
    status == 429 || status == 502 || status == 503 || status == 504
  }

  /// - Parameters:
  ///   - attempt: how many were made, this one included: 1 or more.
  ///   - isRepeatable: idempotent by its method, a plain reading, or with an `Idempotency-Key`.
  ///   - budget: asked last, so that nothing is taken from it for a retry that does not happen.
  package func decide(
    _ outcome: Outcome, attempt: Int, isRepeatable: Bool, deadline: Deadline, at now: Instant,
    budget: inout RetryBudget, using random: inout some RandomNumberGenerator
  ) -> Verdict {
    var asked = Duration.zero
    switch outcome {
    case .unreachable: break
    case .status(let status, let retryAfter):
      guard Self.isTransient(status) else { return .giveUp(.hopeless) }
      asked = retryAfter ?? .zero
    case .other: return .giveUp(.hopeless)
    }
    guard isRepeatable else { return .giveUp(.notRepeatable) }
    guard attempt < attempts else { return .giveUp(.attempts) }
    guard asked <= longestWait else { return .giveUp(.patience) }
    // What the upstream asks for is the least; the jitter comes on top, or all would come back at that instant.
    let delay = asked + backoff.delay(after: attempt, using: &random)
    guard deadline.allows(delay, from: now) else { return .giveUp(.patience) }
    guard budget.take(at: now) else { return .giveUp(.budget) }
    return .retry(after: delay)
  }
}
