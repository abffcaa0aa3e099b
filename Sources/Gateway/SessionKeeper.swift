import Resilience
import Synchronization

/// One session with an upstream, shared by all loops: the token, and who waits for one.
///
/// It is the only place where a token is kept, and all that is known of a session: a store that replicas share would give
/// its state, and take it, here.
final class SessionKeeper: Sendable {
  enum Answer: Sendable {
    case use([UInt8], SessionMachine.Generation)
    /// Log in, and tell how that went; whoever asked waits like the others.
    case logIn(SessionMachine.Generation)
    case wait
    /// It is too early for another login.
    case refused(TransportFailure)
  }

  /// How waiting ended: with why there is no session, or nil when there is one to ask for.
  typealias Resume = @Sendable (TransportFailure?) -> Void

  private struct State: Sendable {
    var machine: SessionMachine
    var token: [UInt8] = []
    /// The token's, among those that replicas share; 0 where it is none of theirs.
    var number: SessionSharing.Number = 0
    /// What the next login is made with, where that changes.
    var renewal: [UInt8]?
    /// Why the last login gave none.
    var failure: TransportFailure?
    /// Called once each, when the login under way has ended.
    var waiting: [Resume] = []

    mutating func takeWaiting() -> [Resume] {
      defer { waiting = [] }
      return waiting
    }
  }

  private let state: Mutex<State>
  /// The session that is known to be accepted; not told again for every answer.
  private let proven = Atomic<SessionMachine.Generation>(0)

  init(_ settings: SessionMachine.Settings) { state = Mutex(State(machine: SessionMachine(settings))) }

  /// A request needs the session.
  ///
  /// - Parameter resume: called once, from any thread, when the answer is ``Answer/wait`` or ``Answer/logIn(_:)`` and the
  ///   login has ended.
  func need(at now: Instant, resume: () -> Resume) -> Answer {
    state.withLock { state in
      switch state.machine.need(at: now) {
      case .use(let generation): return .use(state.token, generation)
      case .logIn(let generation):
        state.waiting.append(resume())
        return .logIn(generation)
      case .wait:
        state.waiting.append(resume())
        return .wait
      case .refused(let wait):
        var failure = state.failure ?? TransportFailure(kind: .sessionFailed, detail: "the login was refused")
        failure.retryAfter = wait
        return .refused(failure)
      }
    }
  }

  /// The token that requests are made with; nil before the first login. For hiding it in what is shown.
  var token: [UInt8]? { state.withLock { $0.token.isEmpty ? nil : $0.token } }

  // MARK: The login

  /// What the next login is to be made with, if an answer has said so.
  var renewal: [UInt8]? { state.withLock { $0.renewal } }

  /// Of the session that there is, or was, among those that replicas share.
  var number: SessionSharing.Number { state.withLock { $0.number } }

  /// Another replica has logged in meanwhile, and what it was given for the next login is the only thing that is good for it.
  func adopt(renewalOf session: SessionSharing.Session) {
    state.withLock { state in
      if session.number >= state.number, let renewal = session.opened.renewal { state.renewal = renewal }
    }
  }

  func loggedIn(
    _ generation: SessionMachine.Generation, _ opened: UpstreamSession.Opened,
    number: SessionSharing.Number, at now: Instant
  ) {
    let waiting = state.withLock { state -> [Resume] in
      guard state.machine.loggedIn(generation, lifetime: opened.lifetime, at: now) else { return [] }
      state.token = opened.token
      state.number = number
      state.renewal = opened.renewal ?? state.renewal
      state.failure = nil
      return state.takeWaiting()
    }
    for resume in waiting { resume(nil) }
  }

  func loginFailed(
    _ generation: SessionMachine.Generation, _ reason: SessionMachine.LoginFailure,
    _ failure: TransportFailure,
    at now: Instant, using random: inout any RandomNumberGenerator
  ) {
    let waiting = state.withLock { state -> [Resume] in
      guard state.machine.loginFailed(generation, reason, at: now, using: &random) else { return [] }
      state.failure = failure
      // It may be of no use any more: the next login is made as the first one was.
      if case .refused = reason { state.renewal = nil }
      return state.takeWaiting()
    }
    for resume in waiting { resume(failure) }
  }

  /// The login was not even sent, or nobody was there; whoever asks next may try at once.
  func loginAbandoned(_ generation: SessionMachine.Generation, _ failure: TransportFailure) {
    let waiting = state.withLock { state -> [Resume] in
      guard state.machine.loginAbandoned(generation) else { return [] }
      return state.takeWaiting()
    }
    for resume in waiting { resume(failure) }
  }

  // MARK: The upstream's word

  /// A request was served with the session.
  func accepted(_ generation: SessionMachine.Generation) {
    if proven.load(ordering: .relaxed) == generation { return }
    state.withLock { $0.machine.accepted(generation) }
    proven.store(generation, ordering: .relaxed)
  }

  /// The upstream does not accept the session that a request used.
  ///
  /// - Returns: whether the request may be made again, with a new session.
  func rejected(
    _ generation: SessionMachine.Generation, hasReplayed: Bool, at now: Instant,
    using random: inout any RandomNumberGenerator
  ) -> Bool {
    state.withLock { state in
      state.machine.rejected(generation, hasReplayed: hasReplayed, at: now, using: &random)
    }
  }
}
