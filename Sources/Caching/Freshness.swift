package import HTTPSemantics

/// What to do with a request for a page, by what is held of it, what its client asks for, and how its upstream fares.
package enum Freshness {
  /// Why a page that is not fresh may be served.
  package enum Reason: Sendable, Hashable {
    /// It is within its stale time; one request is to renew it in the background.
    case revalidating
    /// Its edition is over, and the walk goes on reading that.
    case superseded
    /// The client takes it as it is (`max-stale`, `only-if-cached`).
    case accepted
    /// The upstream cannot be reached, or has just failed.
    case unavailable
  }

  package enum Verdict: Sendable, Hashable {
    case fresh
    case stale(Reason)
    /// Ask the upstream; `because` is what `Cache-Status` says of it.
    case fetch(because: CacheStatus.Forward)
    /// The last attempt failed a moment ago, and nothing else is known: its failure is this request's too.
    case shareFailure
    /// The client asked for what is known only, and nothing is (504, RFC 9111 §5.2.1.7).
    case nothingKnown
  }

  /// How an attempt to fetch a page ended, as far as a stale page may stand in for it.
  package enum Failing: Sendable, Hashable {
    /// Nothing came, or not in time.
    case unreachable
    /// 5xx, or a body that cannot be read (RFC 5861 §4).
    case faulty
    /// The upstream has an answer, if not a page: nothing stands in for that.
    case answered
  }

  /// What is known when a request comes.
  package struct Situation: Sendable {
    /// Of the page that was found; nil when none was.
    package var lifetime: Lifetime?
    package var standing: Editions.Standing
    /// Whether a failure of a moment ago is held.
    package var hasFailure: Bool
    /// Whether the upstream is known to be down, so that asking is in vain.
    package var isUnreachable: Bool

    package init(
      lifetime: Lifetime?, standing: Editions.Standing, hasFailure: Bool, isUnreachable: Bool
    ) {
      self.lifetime = lifetime
      self.standing = standing
      self.hasFailure = hasFailure
      self.isUnreachable = isUnreachable
    }
  }

  /// - Parameter client: the request's directives; nil when it has none.
  package static func judge(
    _ situation: Situation, client: CacheControl?, at now: ContinuousClock.Instant
  ) -> Verdict {
    let client = client ?? CacheControl()
    if client.isOnlyIfCached { return known(situation, client, at: now) }
    guard let lifetime = situation.lifetime else {
      // Whoever asks to have it fetched again has it fetched again, however it went for others.
      return situation.hasFailure && !client.wantsRenewal ? .shareFailure : .fetch(because: .miss)
    }
    if client.wantsRenewal { return .fetch(because: .request) }
    if let verdict = usable(lifetime, situation.standing, client, at: now) { return verdict }
    let isVain = situation.isUnreachable || situation.hasFailure
    if isVain, mayReplace(lifetime, failing: .unreachable, client: client, at: now) {
      return .stale(.unavailable)
    }
    if situation.hasFailure { return .shareFailure }
    let isRefusedByClient = lifetime.isFresh(at: now) && situation.standing == .current
    return .fetch(because: isRefusedByClient ? .request : .stale)
  }

  /// Whether a held page may stand in for an answer that did not come (RFC 5861 §4).
  package static func mayReplace(
    _ lifetime: Lifetime, failing: Failing, client: CacheControl?, at now: ContinuousClock.Instant
  ) -> Bool {
    if failing == .answered || lifetime.keepUntil <= now { return false }
    if lifetime.mustRevalidate && !lifetime.isFresh(at: now) { return false }
    guard let client else { return true }
    let staleness = max(.zero, lifetime.freshUntil.duration(to: now))
    // Its own word counts: so much and no more.
    if let limit = client.staleIfError { return staleness <= .seconds(limit) }
    return !client.wantsRenewal || client.takes(staleness)
  }

  /// The answer where asking is not needed.
  private static func usable(
    _ lifetime: Lifetime, _ standing: Editions.Standing, _ client: CacheControl,
    at now: ContinuousClock.Instant
  ) -> Verdict? {
    if standing == .outdated || lifetime.keepUntil <= now || !client.takes(age: lifetime.age(at: now)) {
      return nil
    }
    let left = lifetime.timeToLive(at: now)
    if left > .zero {
      return left >= .seconds(client.minFresh ?? 0) ? .fresh : nil
    }
    if lifetime.mustRevalidate || client.minFresh != nil { return nil }
    if now < lifetime.staleUntil { return .stale(standing == .superseded ? .superseded : .revalidating) }
    return client.takes(.zero - left) ? .stale(.accepted) : nil
  }

  /// The answer for a client that asks for what is known only: what is fresh, or may be stale.
  private static func known(
    _ situation: Situation, _ client: CacheControl, at now: ContinuousClock.Instant
  ) -> Verdict {
    guard let lifetime = situation.lifetime, lifetime.keepUntil > now, !client.isNoCache,
      client.takes(age: lifetime.age(at: now))
    else { return .nothingKnown }
    let left = lifetime.timeToLive(at: now)
    if left > .zero {
      if left < .seconds(client.minFresh ?? 0) { return .nothingKnown }
      return situation.standing == .current ? .fresh : .stale(.accepted)
    }
    if lifetime.mustRevalidate || client.minFresh != nil { return .nothingKnown }
    return now < lifetime.staleUntil || client.takes(.zero - left) ? .stale(.accepted) : .nothingKnown
  }
}

extension CacheControl {
  /// Whether the client wants the upstream asked: `no-cache`, and `max-age=0`, which is how browsers reload.
  package var wantsRenewal: Bool { isNoCache || maxAge == 0 }

  fileprivate func takes(age: Duration) -> Bool {
    // A client that takes stale answers takes such as are older than the age it would rather have.
    guard let maxAge, maxStale == nil else { return true }
    return age <= .seconds(maxAge)
  }

  fileprivate func takes(_ staleness: Duration) -> Bool {
    guard let maxStale else { return false }
    return maxStale == Int.max || staleness <= .seconds(maxStale)
  }
}
