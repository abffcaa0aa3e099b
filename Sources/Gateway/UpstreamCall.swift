import Configuration
import EventLoop
import HTTPSemantics
import Resilience

/// One request to an upstream on its way: through the gate, over the wire, and again where that helps.
///
///     start ─► joining ─► waiting ─► running ─► ended
///                 ▲                     │
///                 └────── resting ◄─────┘
final class UpstreamCall: Transfer {
  /// What is called with the outcome, and with how often the request was sent; says what it made of an answer.
  typealias Completion = (Result<TransportResponse, TransportFailure>, _ sentCount: Int) -> Judgement

  /// What an answer turned out to be.
  enum Judgement: Sendable {
    case sound
    /// Not what a server in good order answers, whatever its status says: HTML, broken JSON.
    case faulty
  }

  private enum State {
    case idle  // to: joining, waiting, running, resting, ended
    case joining(Timer)  // until there is a session; to: waiting, running, ended
    case waiting(Gate.Ticket)  // at the gate; to: running, ended
    case running((any Transfer)?, UpstreamControl.Ticket, start: Instant)  // to: resting, ended
    case resting(Timer)  // before the next attempt; to: waiting, running, ended
    case ended
  }

  private let request: TransportRequest
  private let priority: Gate.Priority
  private let isRepeatable: Bool
  private let upstream: Upstream
  /// Nil where none is needed, or this is the login.
  private let session: UpstreamSession?
  private var state = State.idle
  private var attempt = 0
  private var sentCount = 0
  /// With the session's token, where there is one.
  private var outgoing: TransportRequest
  /// The session's, and which one of those that it has had.
  private var keeper: SessionKeeper?
  private var generation: SessionMachine.Generation?
  private var hasReplayed = false
  private var completion: Completion?
  /// Whether a suspension has ended what is under way.
  private var isEndedBySuspension = false
  /// Its place among those under way.
  var position = 0

  init(
    _ request: TransportRequest, _ priority: Gate.Priority, isRepeatable: Bool, upstream: Upstream,
    session: UpstreamSession?, completion: @escaping Completion
  ) {
    self.request = request
    self.priority = priority
    self.isRepeatable = isRepeatable
    self.upstream = upstream
    self.session = session
    outgoing = request
    self.completion = completion
  }

  /// Suspensions before it was let in.
  var suspensions: UInt64 {
    if case .running(_, let ticket, _) = state { ticket.suspensions } else { .max }
  }

  func start() {
    attempt += 1
    join()
  }

  /// Sees to it that there is a session.
  private func join() {
    guard let session else { return enter() }
    if session.forwards {
      guard let credential = request.credential else { return completeLater(.credentialMissing) }
      outgoing = session.put(credential, into: request)
      return enter()
    }
    guard let keeper = session.sessions.keeper(of: request.credential, at: upstream.loop.now) else {
      return completeLater(.credentialMissing)
    }
    self.keeper = keeper
    switch keeper.need(at: upstream.loop.now, resume: { joining }) {
    case .use(let token, let generation):
      self.generation = generation
      outgoing = session.put(token, into: request)
      enter()
    case .wait: waitToJoin()
    case .logIn(let generation):
      waitToJoin()
      upstream.logIn(generation, for: keeper, request.credential)
    case .refused(let failure): completeLater(failure)
    }
  }

  private func waitToJoin() {
    state = .joining(
      upstream.loop.schedule(at: request.deadline) { [self] in
        finish(.failure(TransportFailure(kind: .timeout, detail: "the login took too long")))
      })
  }

  /// Brings the login's end to this loop.
  private var joining: @Sendable (TransportFailure?) -> Void {
    // Sound: the call is touched on its loop's thread only.
    nonisolated(unsafe) let call = self
    let loop = upstream.loop
    return { failure in loop.execute { unsafe call.joined(failure) } }
  }

  private func joined(_ failure: TransportFailure?) {
    guard case .joining(let timer) = state else { return }
    timer.cancel()
    if let failure { finish(.failure(failure)) } else { join() }
  }

  /// Goes to the gate.
  private func enter() {
    let (entry, effects) = upstream.control.enter(
      priority, deadline: request.deadline, at: upstream.loop.now, resume: { resumption })
    switch entry {
    case .admitted(let ticket): run(ticket)
    case .queued(let ticket): state = .waiting(ticket)
    case .refused(let refusal): completeLater(failure(of: refusal))
    }
    upstream.carryOut(effects)
  }

  /// Not before whoever started this has returned.
  private func completeLater(_ failure: TransportFailure) {
    state = .resting(upstream.loop.schedule(at: upstream.loop.now) { [self] in finish(.failure(failure)) })
  }

  /// Brings the gate's word to this loop.
  private var resumption: UpstreamControl.Resume {
    // Sound: the call is touched on its loop's thread only.
    nonisolated(unsafe) let call = self
    let loop = upstream.loop
    return { admission in loop.execute { unsafe call.resumed(admission) } }
  }

  private func resumed(_ admission: UpstreamControl.Admission) {
    switch (state, admission) {
    case (.waiting, .admitted(let ticket)): run(ticket)
    case (.waiting, .refused(let refusal)): finish(.failure(failure(of: refusal)))
    case (_, .admitted(let ticket)):
      // It was given up while the word was on its way.
      let now = upstream.loop.now
      upstream.carryOut(upstream.control.leave(ticket, .nothing, start: now, at: now))
    case (_, .refused): break
    }
  }

  private func run(_ ticket: UpstreamControl.Ticket) {
    let start = upstream.loop.now
    state = .running(nil, ticket, start: start)
    upstream.add(self)
    sentCount += 1
    // What is connected already may lead nowhere any more; a trial is to find out what is so now.
    outgoing.needsNewConnection = upstream.control.isDown
    let transfer = upstream.transport.start(outgoing) { [self] result in finished(result) }
    if case .running = state { state = .running(transfer, ticket, start: start) }
  }

  private func finished(_ result: Result<TransportResponse, TransportFailure>) {
    guard case .running(_, let ticket, let sent) = state else { return }
    upstream.remove(self)
    state = .idle
    let now = upstream.loop.now
    if case .success(let response) = result {
      let isExpired = session?.isExpired(response) == true
      if !isExpired, let generation, response.status < 500 { keeper?.accepted(generation) }
      if isExpired || (200...299).contains(response.status) {
        // Whoever asked knows best whether it is a good answer; one without a session is not for them to see.
        let judgement = isExpired ? .sound : complete(result)
        leave(ticket, result, judgement, sent, at: now)
        if isExpired { expired() }
        return
      }
    }
    leave(ticket, result, .sound, sent, at: now)
    if isEndedBySuspension {
      let wait = upstream.control.untilNextCheck(at: now)
      return finish(.failure(failure(of: .suspended(retryAfter: wait))))
    }
    // Given up, or found out by others meanwhile: not to be tried again.
    guard completion != nil, let outcome = outcome(of: result), !upstream.control.isDown else {
      return finish(result.mapError { timed($0, at: now) })
    }
    let verdict = upstream.configuration.protection.retries.policy.decide(
      outcome, attempt: attempt, isRepeatable: isRepeatable, deadline: Deadline(request.deadline), at: now,
      budget: &upstream.budget, using: &upstream.random)
    switch verdict {
    case .giveUp: finish(result.mapError { timed($0, at: now) })
    case .retry(let delay):
      upstream.recordRetry(request, attempt: attempt, after: delay, because: reason(of: result))
      state = .resting(upstream.loop.schedule(at: now + delay) { [self] in start() })
    }
  }

  /// The attempt's place is free again.
  private func leave(
    _ ticket: UpstreamControl.Ticket, _ result: Result<TransportResponse, TransportFailure>,
    _ judgement: Judgement, _ sent: Instant, at now: Instant
  ) {
    let ending = UpstreamControl.Ending(
      result, judgement, wallClock: upstream.wallClock,
      longestPause: upstream.configuration.protection.retries.policy.longestWait)
    if let pause = ending.pause { upstream.sharing?.tellPause(pause) }
    upstream.carryOut(upstream.control.leave(ticket, ending, start: sent, at: now))
  }

  /// The upstream did not do what was asked, for it does not know the session: once more, with another.
  private func expired() {
    guard let keeper, let generation else {
      // The credential is the client's own, and nobody else can renew it.
      return finish(
        .failure(TransportFailure(kind: .credentialRefused, detail: "the upstream refused the credential")))
    }
    let mayReplay = keeper.rejected(
      generation, hasReplayed: hasReplayed, at: upstream.loop.now, using: &upstream.random)
    guard mayReplay, completion != nil else {
      return finish(
        .failure(TransportFailure(kind: .sessionFailed, detail: "the upstream does not accept the session")))
    }
    hasReplayed = true
    join()
  }

  /// Once it is known when the upstream is looked for again, that is when trying again may help.
  private func timed(_ failure: TransportFailure, at now: Instant) -> TransportFailure {
    guard failure.kind.isOfNetwork, upstream.control.isDown else { return failure }
    var failure = failure
    failure.retryAfter = upstream.control.untilNextCheck(at: now)
    return failure
  }

  /// What the retry policy has to know; nil where nothing is to be decided.
  private func outcome(of result: Result<TransportResponse, TransportFailure>) -> RetryPolicy.Outcome? {
    switch result {
    case .success(let response):
      RetryPolicy.isTransient(response.status)
        ? .status(response.status, retryAfter: response.retryAfter(now: upstream.wallClock())) : nil
    case .failure(let failure): failure.kind.isOfNetwork ? .unreachable : nil
    }
  }

  private func reason(of result: Result<TransportResponse, TransportFailure>) -> String {
    switch result {
    case .success(let response): String(response.status)
    case .failure(let failure): failure.kind.rawValue
    }
  }

  private func failure(of refusal: UpstreamControl.Refusal) -> TransportFailure {
    upstream.figures.record(refusal)
    switch refusal {
    case .full: return TransportFailure(kind: .overloaded, detail: "the queue is full")
    case .deadline:
      return TransportFailure(kind: .timeout, detail: "its turn did not come before the deadline")
    case .suspended(let wait):
      var failure = TransportFailure(kind: .suspended, detail: "the upstream is known to be unreachable")
      failure.retryAfter = wait
      return failure
    case .limited(let wait):
      var failure = TransportFailure(kind: .limited, detail: "the upstream's limit is used up")
      failure.retryAfter = wait
      return failure
    case .open(let wait):
      var failure = TransportFailure(kind: .circuitOpen, detail: "the circuit breaker is open")
      failure.retryAfter = wait
      return failure
    }
  }

  // MARK: The end

  /// Ends it since nobody wants it any more.
  func cancel() {
    switch state {
    case .idle, .ended: break
    case .waiting(let ticket):
      let (_, effects) = upstream.control.cancel(ticket, at: upstream.loop.now)
      finish(.failure(TransportFailure(kind: .cancelled, detail: "cancelled")))
      upstream.carryOut(effects)
    case .running(let transfer, _, _):
      // Its completion comes back here, and completes this.
      transfer?.cancel()
    case .resting(let timer), .joining(let timer):
      timer.cancel()
      finish(.failure(TransportFailure(kind: .cancelled, detail: "cancelled")))
    }
  }

  /// Ends it since there is nobody at the other end any more.
  func end() {
    guard case .running(let transfer?, _, _) = state else { return }
    isEndedBySuspension = true
    transfer.cancel()
  }

  /// - Returns: what whoever asked makes of an answer.
  private func complete(_ result: Result<TransportResponse, TransportFailure>) -> Judgement {
    state = .ended
    let completion = self.completion
    self.completion = nil
    return completion?(result, sentCount) ?? .sound
  }

  /// Where it is known already what to make of it.
  private func finish(_ result: Result<TransportResponse, TransportFailure>) { _ = complete(result) }
}

extension UpstreamControl.Ending {
  /// Of a request that was never sent.
  static let nothing = UpstreamControl.Ending(
    evidence: .none, gate: .none, breaker: .none, limit: nil, pause: nil)

  init(
    _ result: Result<TransportResponse, TransportFailure>, _ judgement: UpstreamCall.Judgement,
    wallClock: () -> Int64, longestPause: Duration
  ) {
    self = .nothing
    switch result {
    case .success(let response):
      evidence = .answered
      // 429 is no fault of the server's.
      let isFaulty = response.status >= 500 || judgement == .faulty
      breaker = isFaulty ? .faulty : .good
      gate = isFaulty || response.status == 429 ? .poor : .good
      if RateLimit.isAnnounced(in: response.fields) {
        limit = RateLimit(response.fields, now: wallClock())
      }
      if response.status == 429, let wait = response.retryAfter(now: wallClock()) {
        pause = min(wait, longestPause)
      }
    case .failure(let failure):
      if failure.kind.isOfNetwork {
        evidence = .unreachable
      } else if failure.kind == .timeout {
        breaker = .faulty
      } else if failure.kind != .cancelled {
        evidence = .answered
        gate = .poor
        breaker = .faulty
      }
    }
  }
}

extension Result where Failure == GatewayError {
  /// What the server is to be thought of, whose answer this was made of.
  var judgement: UpstreamCall.Judgement {
    if case .failure(let error) = self, error.code == .upstreamFault { .faulty } else { .sound }
  }
}

extension TransportFailure.Kind {
  /// Whether nobody was found at the other end: the network's fault, and not the server's.
  var isOfNetwork: Bool {
    switch self {
    case .noRoute, .nameResolution, .connect, .tls, .resetBeforeResponse, .suspended: true
    case .resetWithinResponse, .timeout, .tooLarge, .protocol, .cancelled, .circuitOpen, .limited,
      .overloaded, .sessionFailed, .credentialRefused:
      false
    }
  }
}

extension TransportFailure {
  static var credentialMissing: TransportFailure {
    TransportFailure(kind: .credentialRefused, detail: "the request has no credential for the upstream")
  }
}

extension TransportResponse {
  /// - Parameter now: Unix seconds.
  func retryAfter(now: Int64) -> Duration? {
    guard let field = fields.first(.retryAfter), let wait = RetryAfter(parsing: field.span, now: now) else {
      return nil
    }
    return wait.delay(at: now)
  }
}
