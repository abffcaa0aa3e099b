/// What a list grants its stored pages: how long each state lasts.
package struct CacheTerms: Sendable, Hashable {
  /// From its arrival a page is served without asking, this long.
  package let fresh: Duration
  /// After that it is served while one request renews it, this long.
  package let stale: Duration
  /// From its arrival it is held this long in all, for the time that the upstream cannot be reached or is faulty.
  package let keep: Duration
  /// A failure is shared with those who ask within this time, and then forgotten.
  package let failure: Duration

  package init(fresh: Duration, stale: Duration, keep: Duration, failure: Duration) {
    self.fresh = fresh
    self.stale = stale
    self.keep = keep
    self.failure = failure
  }

  package func lifetime(from now: ContinuousClock.Instant) -> Lifetime {
    Lifetime(
      born: now, freshUntil: now + fresh, staleUntil: now + fresh + stale, keepUntil: now + keep,
      mustRevalidate: false)
  }
}

/// Until when a stored page is what.
package struct Lifetime: Sendable, Hashable {
  /// When the upstream made the page, as far as that is known: its age counts from here.
  package let born: ContinuousClock.Instant
  /// The first instant at which it is not fresh any more.
  package let freshUntil: ContinuousClock.Instant
  /// ``freshUntil`` or later: up to here it may be served while it is being renewed.
  package let staleUntil: ContinuousClock.Instant
  /// ``staleUntil`` or later: up to here it is held at all.
  package let keepUntil: ContinuousClock.Instant
  /// Whether it is never served once it is not fresh, whatever happens (RFC 9111 §5.2.2.2).
  package let mustRevalidate: Bool

  package init(
    born: ContinuousClock.Instant, freshUntil: ContinuousClock.Instant, staleUntil: ContinuousClock.Instant,
    keepUntil: ContinuousClock.Instant, mustRevalidate: Bool
  ) {
    self.born = born
    self.freshUntil = freshUntil
    self.staleUntil = max(staleUntil, freshUntil)
    self.keepUntil = max(keepUntil, self.staleUntil)
    self.mustRevalidate = mustRevalidate
  }

  /// The same, fresh until `end` at least.
  package func freshAtLeast(until end: ContinuousClock.Instant) -> Lifetime {
    Lifetime(
      born: born, freshUntil: max(freshUntil, end), staleUntil: staleUntil, keepUntil: keepUntil,
      mustRevalidate: mustRevalidate)
  }

  package func age(at now: ContinuousClock.Instant) -> Duration { max(.zero, born.duration(to: now)) }

  /// What is left of its freshness; negative when that is over.
  package func timeToLive(at now: ContinuousClock.Instant) -> Duration { now.duration(to: freshUntil) }

  package func isFresh(at now: ContinuousClock.Instant) -> Bool { now < freshUntil }
}
