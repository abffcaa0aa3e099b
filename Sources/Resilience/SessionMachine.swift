/// One session with an upstream: who logs in, who waits, who uses what, and when it is renewed.
///
/// One value a scope (the upstream, or one client's credential at it). It holds no token: the rim keeps that under the
/// generation that it is told here.
package struct SessionMachine: Sendable {
  package struct Settings: Sendable, Hashable {
    /// How long a session is used when the upstream does not say; nil for as long as it is accepted.
    package var age: Duration?
    /// Between logins that failed.
    package var backoff: Backoff
    /// How long a login is waited for; one that is not heard of again does not hold everybody up.
    package var loginTimeout: Duration

    package init(age: Duration?, backoff: Backoff, loginTimeout: Duration) {
      self.age = age
      self.backoff = backoff
      self.loginTimeout = loginTimeout
    }
  }

  /// A login, and the session that comes of it; larger is newer.
  package typealias Generation = UInt64

  package enum Verdict: Sendable, Hashable {
    /// There is a session: use it.
    case use(Generation)
    /// Log in, and tell how that went; then ask again.
    case logIn(Generation)
    /// A login is under way: wait for its end, then ask again.
    case wait(Generation)
    /// The last login was refused, and it is too early for another.
    case refused(retryAfter: Duration)
  }

  /// Why a login gave no session.
  package enum LoginFailure: Sendable, Hashable {
    /// It was answered, without one.
    ///
    /// - Parameter retryAfter: how long the answer wants to be waited at least.
    case refused(retryAfter: Duration?)
    /// It was not answered.
    case unanswered
  }

  private enum State: Sendable {
    case none  // to: loggingIn
    case loggingIn(Generation, expires: Instant)  // to: valid, failed, loggingIn (given up)
    /// `isProven`: whether the upstream has accepted it once. To: none or failed (rejected), loggingIn (aged).
    case valid(Generation, until: Instant?, isProven: Bool)
    case failed(until: Instant)  // to: loggingIn
  }

  package let settings: Settings
  private var state = State.none
  private var newest: Generation = 0
  /// Logins in a row that gave no session, or one that was never accepted.
  private var failures = 0
  /// Until then nobody's word against the session counts: it was renewed for somebody who then fared no better.
  private var trustedUntil: Instant?
  package private(set) var loginCount = 0
  package private(set) var refusedCount = 0

  package init(_ settings: Settings) { self.settings = settings }

  package var isValid: Bool {
    if case .valid = state { true } else { false }
  }

  /// A request needs the session.
  package mutating func need(at now: Instant) -> Verdict {
    switch state {
    case .valid(let generation, let until, _):
      if let until, now >= until { return startLogin(at: now) }
      return .use(generation)
    case .none: return startLogin(at: now)
    case .loggingIn(let generation, let expires):
      return now >= expires ? startLogin(at: now) : .wait(generation)
    case .failed(let until):
      return now >= until ? startLogin(at: now) : .refused(retryAfter: now.duration(to: until))
    }
  }

  private mutating func startLogin(at now: Instant) -> Verdict {
    newest += 1
    loginCount += 1
    state = .loggingIn(newest, expires: now + settings.loginTimeout)
    return .logIn(newest)
  }

  /// The login gave a session.
  ///
  /// - Parameter lifetime: as the upstream says (`expires_in`), if it does; the shorter one counts.
  /// - Returns: false when a newer login has taken its place, so that its token is not to be kept.
  package mutating func loggedIn(_ generation: Generation, lifetime: Duration?, at now: Instant) -> Bool {
    guard isUnderWay(generation) else { return false }
    let age = [lifetime, settings.age].compactMap(\.self).min()
    state = .valid(generation, until: age.map { now + $0 }, isProven: false)
    return true
  }

  /// The login gave none.
  ///
  /// - Returns: false when a newer login has taken its place.
  package mutating func loginFailed(
    _ generation: Generation, _ failure: LoginFailure, at now: Instant,
    using random: inout some RandomNumberGenerator
  ) -> Bool {
    guard isUnderWay(generation) else { return false }
    switch failure {
    case .refused(let wait): rest(atLeast: min(wait ?? .zero, settings.backoff.cap), at: now, using: &random)
    case .unanswered: state = .failed(until: now + settings.backoff.base)
    }
    return true
  }

  /// After a refusal: no login for a while, and longer with each.
  private mutating func rest(
    atLeast wait: Duration, at now: Instant, using random: inout some RandomNumberGenerator
  ) {
    failures += 1
    refusedCount += 1
    // Half the ceiling is waited in any case: full jitter might come back at once, and a refused login is not to be
    // hammered.
    let least = max(wait, settings.backoff.ceiling(after: failures) / 2)
    state = .failed(until: now + max(least, settings.backoff.delay(after: failures, using: &random)))
  }

  /// The login ended before it could tell: its client went away, or the process did not get to it.
  ///
  /// - Returns: false when a newer login has taken its place.
  package mutating func loginAbandoned(_ generation: Generation) -> Bool {
    guard isUnderWay(generation) else { return false }
    state = .none
    return true
  }

  /// A request was served with the session.
  package mutating func accepted(_ generation: Generation) {
    guard case .valid(generation, let until, false) = state else { return }
    failures = 0
    state = .valid(generation, until: until, isProven: true)
  }

  /// The upstream does not accept the session that a request used.
  ///
  /// However many requests tell this of the same session, it is renewed once. Where a new one does no better, a login that
  /// gives what nobody accepts counts as refused; and where others are served with it, it is the request that is not
  /// allowed, and does not cost them the session.
  /// - Parameter hasReplayed: whether the request was made a second time already.
  /// - Returns: whether the request may be made again, with what ``need(at:)`` says now.
  package mutating func rejected(
    _ generation: Generation, hasReplayed: Bool, at now: Instant,
    using random: inout some RandomNumberGenerator
  ) -> Bool {
    guard case .valid(generation, _, let isProven) = state else { return !hasReplayed }
    switch (hasReplayed, isProven) {
    case (true, true): trustedUntil = now + settings.backoff.base
    case (true, false): rest(atLeast: .zero, at: now, using: &random)
    case (false, _):
      if let trustedUntil, now < trustedUntil { return false }
      state = .none
    }
    return !hasReplayed
  }

  private func isUnderWay(_ generation: Generation) -> Bool {
    if case .loggingIn(generation, _) = state { true } else { false }
  }
}
