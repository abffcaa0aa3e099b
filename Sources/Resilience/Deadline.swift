/// By when something must be done: absolute, so that it is passed down as it is and never starts anew.
package struct Deadline: Sendable, Hashable, Comparable {
  package let instant: Instant

  package init(_ instant: Instant) { self.instant = instant }

  /// - Parameter timeout: from `start`; a negative one has passed at once.
  package init(after timeout: Duration, from start: Instant) { instant = start + timeout }

  /// A deadline has passed at its instant, not only after it.
  package func hasPassed(at now: Instant) -> Bool { now >= instant }

  /// What is left at `now`; zero once it has passed.
  package func remaining(at now: Instant) -> Duration {
    hasPassed(at: now) ? .zero : now.duration(to: instant)
  }

  /// Whether something that starts in `delay` would start before the deadline.
  package func allows(_ delay: Duration, from now: Instant) -> Bool { now + delay < instant }

  package static func < (left: Deadline, right: Deadline) -> Bool { left.instant < right.instant }
}
