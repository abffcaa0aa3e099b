import Configuration
import EventLoop
import HTTPSemantics
import Resilience
import Telemetry

/// One upstream as one loop sees it: the way by which requests go there, through the gate, with retries.
final class Upstream {
  let configuration: Configuration.Upstream
  let control: UpstreamControl
  let figures: UpstreamFigures
  let transport: any HTTPTransport
  let loop: EventLoop
  /// Unix seconds.
  let wallClock: () -> Int64
  private let log: Log
  let origin: TransportOrigin
  private let session: UpstreamSession?
  /// Nil where there are no replicas that it could be shared with.
  var sharing: UpstreamSharing?
  /// This loop's part of the budget.
  var budget: RetryBudget
  var random: any RandomNumberGenerator
  private var underWay: [UpstreamCall] = []

  /// - Parameter loops: how many loops share the upstream's connections and its retry budget.
  init(
    control: UpstreamControl, figures: UpstreamFigures, transport: any HTTPTransport, loop: EventLoop,
    loops: Int,
    session: UpstreamSession?, random: any RandomNumberGenerator, log: Log, wallClock: @escaping () -> Int64
  ) {
    self.control = control
    configuration = control.configuration
    self.figures = figures
    self.transport = transport
    self.loop = loop
    self.session = session
    self.random = random
    self.log = log
    self.wallClock = wallClock
    origin = configuration.origin(
      for: .requests, connectTimeout: configuration.timeout.connect,
      connections: max(1, configuration.connections / loops))
    var settings = configuration.protection.retries.budget
    settings.floor = max(1, settings.floor / loops)
    budget = RetryBudget(settings)
  }

  /// Makes it reachable for the other loops: a suspension found on any of them ends what is under way here.
  func attach(monitor: (@Sendable (Instant) -> Void)?) {
    // Sound: it is touched on its loop's thread only.
    nonisolated(unsafe) let upstream = self
    control.attach(
      endAll: { [loop] suspensions in loop.execute { unsafe upstream.endAll(before: suspensions) } },
      monitor: monitor)
  }

  /// Sends `request` as soon as it may go, and again where that helps.
  ///
  /// - Parameters:
  ///   - isRepeatable: whether doing it twice does no harm.
  ///   - completion: called exactly once, and never before this returns.
  func start(
    _ request: TransportRequest, _ priority: Gate.Priority, isRepeatable: Bool,
    completion: @escaping UpstreamCall.Completion
  ) -> UpstreamCall {
    budget.recordRequest(at: loop.now)
    let call = UpstreamCall(
      request, priority, isRepeatable: isRepeatable, upstream: self, session: session, completion: completion)
    call.start()
    return call
  }

  // MARK: The session

  /// What it is logged in to with; empty where it is not.
  var account: [UInt8] { session?.account ?? [] }

  /// What is not to be shown to anybody.
  ///
  /// - Parameter credential: of the client that is shown something.
  func secrets(of credential: [UInt8]?) -> [[UInt8]] {
    [session?.sessions.keeper(of: credential, at: loop.now)?.token, credential].compactMap(\.self)
  }

  /// Logs in, for all who wait for that on any loop: whoever began it may go away meanwhile.
  ///
  /// - Parameters:
  ///   - keeper: of the session.
  ///   - credential: the client's, where each has a session of its own.
  func logIn(_ generation: SessionMachine.Generation, for keeper: SessionKeeper, _ credential: [UInt8]?) {
    guard let session else { return }
    guard let sharing = sharing?.sessions else {
      return logIn(generation, session, keeper, credential, nil)
    }
    sharing.obtain(for: credential, after: keeper.number, within: configuration.timeout.total) {
      [self] outcome in
      switch outcome {
      case .found(let shared):
        log.info("session taken over from a replica") { $0.field("upstream", configuration.name) }
        keeper.loggedIn(generation, shared.opened, number: shared.number, at: loop.now)
      case .logIn(let lease, let newest):
        if let newest { keeper.adopt(renewalOf: newest) }
        let number = max(newest?.number ?? 0, keeper.number) + 1
        logIn(generation, session, keeper, credential, Login(sharing, lease, number, credential))
      }
    }
  }

  /// A login that replicas are told of.
  private struct Login {
    let sharing: SessionSharing
    let lease: SessionSharing.Lease?
    let number: SessionSharing.Number
    let credential: [UInt8]?

    init(
      _ sharing: SessionSharing, _ lease: SessionSharing.Lease?, _ number: SessionSharing.Number,
      _ credential: [UInt8]?
    ) {
      self.sharing = sharing
      self.lease = lease
      self.number = number
      self.credential = credential
    }
  }

  private func logIn(
    _ generation: SessionMachine.Generation, _ session: UpstreamSession, _ keeper: SessionKeeper,
    _ credential: [UInt8]?, _ login: Login?
  ) {
    let deadline = loop.now + configuration.timeout.total
    guard let request = session.loginRequest(for: keeper, credential, deadline: deadline, origin: origin)
    else {
      let failure = TransportFailure(kind: .sessionFailed, detail: "the login request cannot be rendered")
      login?.sharing.release(login?.lease)
      return keeper.loginAbandoned(generation, failure)
    }
    if session.isElsewhere {
      // Another server: neither its queue nor its faults are this one's.
      _ = transport.start(request) { [self] result in
        loginEnded(generation, result, session, keeper, login)
      }
    } else {
      let call = UpstreamCall(request, .client, isRepeatable: false, upstream: self, session: nil) {
        [self] result, _ in
        loginEnded(generation, result, session, keeper, login)
        return .sound
      }
      call.start()
    }
  }

  private func loginEnded(
    _ generation: SessionMachine.Generation, _ result: Result<TransportResponse, TransportFailure>,
    _ session: UpstreamSession, _ keeper: SessionKeeper, _ login: Login?
  ) {
    let failure: TransportFailure
    switch result {
    case .success(let response):
      if let opened = session.session(in: response)?.lasting(atMost: configuration.session?.settings.age) {
        figures.recordLogin(isGood: true)
        log.info("session opened") { $0.field("upstream", configuration.name) }
        let number = login?.number ?? 0
        login?.sharing.share(
          SessionSharing.Session(opened: opened, number: number), of: login?.credential, login?.lease)
        return keeper.loggedIn(generation, opened, number: number, at: loop.now)
      }
      login?.sharing.release(login?.lease)
      failure = TransportFailure(
        kind: .sessionFailed,
        detail: "the login was answered with status \(response.status) and without a token")
      let wait = response.retryAfter(now: wallClock())
      keeper.loginFailed(
        generation, .refused(retryAfter: wait), failure, at: loop.now, using: &random)
    case .failure(let reason):
      login?.sharing.release(login?.lease)
      failure = reason
      if session.isElsewhere {
        keeper.loginFailed(generation, .unanswered, failure, at: loop.now, using: &random)
      } else {
        // The gate, the breaker and the monitor see to it that nobody is hammered, and know when it may go better.
        keeper.loginAbandoned(generation, failure)
      }
    }
    figures.recordLogin(isGood: false)
    log.warn("login failed") { line in
      line.field("upstream", configuration.name)
      line.field("kind", failure.kind.rawValue)
      line.field("detail", failure.detail)
    }
  }

  // MARK: What is under way

  func add(_ call: UpstreamCall) {
    call.position = underWay.count
    underWay.append(call)
  }

  func remove(_ call: UpstreamCall) {
    let last = underWay.removeLast()
    if last === call { return }
    underWay[call.position] = last
    last.position = call.position
  }

  private func endAll(before suspensions: UInt64) {
    for call in underWay where call.suspensions < suspensions { call.end() }
  }

  // MARK: Effects

  /// Carries out what was decided, outside of the lock.
  func carryOut(_ effects: UpstreamControl.Effects?) {
    guard let effects else { return }
    for (resume, admission) in effects.admissions { resume(admission) }
    for change in effects.changes { record(change) }
    if let phase = effects.breakerPhase { record(phase) }
    if effects.wasOverdue {
      log.error("upstream monitor was late") { $0.field("upstream", configuration.name) }
    }
    if effects.endsBefore != nil || effects.wake != nil {
      let (monitor, loops) = control.members()
      if let suspensions = effects.endsBefore { for end in loops { end(suspensions) } }
      if let wake = effects.wake { monitor?(wake) }
    }
  }

  private func record(_ change: Reachability.Change) {
    figures.record(change)
    let isDown = change.phase == .down
    sharing?.tellChange()
    log.write(isDown ? .warn : .info, isDown ? "upstream unreachable" : "upstream reachable") { line in
      line.field("upstream", configuration.name)
      line.field("reason", change.reason.rawValue)
    }
  }

  private func record(_ phase: CircuitBreaker.Phase) {
    figures.record(phase)
    log.write(phase == .open ? .warn : .info, "circuit breaker") { line in
      line.field("upstream", configuration.name)
      line.field("state", phase.rawValue)
    }
  }

  func recordRetry(_ request: TransportRequest, attempt: Int, after delay: Duration, because reason: String) {
    figures.recordRetry()
    log.debug("retry") { line in
      line.field("upstream", configuration.name)
      if let id = request.fields.first(.xRequestID) { line.field("request_id", text: id) }
      line.field("attempt", attempt)
      line.field("delay", delay)
      line.field("reason", reason)
    }
  }

  func recordProbe(_ failure: TransportFailure?) {
    figures.recordProbe(isGood: failure == nil)
    guard let failure else { return }
    log.debug("probe failed") { line in
      line.field("upstream", configuration.name)
      line.field("kind", failure.kind.rawValue)
      line.field("detail", failure.detail)
    }
  }
}

extension Configuration.Upstream {
  func origin(for use: TransportOrigin.Use, connectTimeout: Duration, connections: Int) -> TransportOrigin {
    let version: TransportOrigin.Version =
      switch http {
      case .auto: .automatic
      case .http1: .http1
      case .http2: .http2
      }
    return TransportOrigin(
      use: use, version: version, connectTimeout: connectTimeout, bodyLimit: bodyLimit,
      trustedCertificates: tls.authorities, clientCertificate: tls.certificate, clientKey: tls.key,
      addressAge: dnsAge, connectionLimit: connections)
  }
}
