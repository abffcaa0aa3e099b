import Caching
import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging
import Resilience
import Telemetry

/// Has a list's pages: from what is known, or from its upstream.
final class PageSource {
  /// How deep an upstream's JSON may be nested.
  static let maximumDepth = 256

  private let list: Configuration.List
  /// The list's number in the configuration.
  private let index: UInt32
  let upstream: Upstream
  private let renderer: RequestRenderer
  /// For later pages than the first.
  private let followingRenderer: RequestRenderer
  private let reader: AnswerReader
  private let process: ProcessState
  private let terms: CacheTerms
  private let prefetch: PrefetchDecision
  /// Where pages outlive the process; nil where they do not.
  var store: ListStore?

  /// - Parameter index: the list's number in the configuration.
  init(
    list: Configuration.List, index: Int, upstream: Upstream, parser: Parser, process: ProcessState
  ) {
    self.list = list
    self.index = UInt32(index)
    self.upstream = upstream
    self.process = process
    renderer = RequestRenderer(
      template: list.request, url: upstream.configuration.url, holdsPaging: list.recognition != nil)
    followingRenderer = RequestRenderer(
      template: list.following ?? list.request, url: upstream.configuration.url,
      holdsPaging: list.recognition != nil)
    reader = AnswerReader(
      plan: list.plan, charset: upstream.configuration.charset, bodyLimit: upstream.configuration.bodyLimit,
      parser: parser, process: process)
    let keeping = list.keeping
    terms = CacheTerms(
      fresh: keeping.fresh, stale: keeping.stale, keep: keeping.keep, failure: keeping.failure)
    prefetch = PrefetchDecision(threshold: list.prefetch.threshold, pages: list.prefetch.pages)
  }

  var upstreamName: String { upstream.configuration.name }
  var pages: KnownPages { process.pages }
  var unixSeconds: Int64 { process.unixSeconds() }

  var unixMilliseconds: Int64 { process.unixSeconds() * 1_000 }

  /// Whether a page may be served without asking: only then one replica's is another's.
  var isShareable: Bool { terms.fresh > .zero || list.keeping.obeysUpstream }

  // MARK: Pages

  /// What is not to be shown to the client of `request`.
  func secrets(for request: Request) -> [[UInt8]] {
    upstream.secrets(of: request.scope.isEmpty ? nil : request.scope)
  }

  /// Finds the client's credential, where the upstream wants to know it.
  ///
  /// - Throws: ``GatewayError/Code/unauthorized`` where there is none.
  func identify(_ request: Request, with arguments: Arguments) throws(GatewayError) {
    try upstream.identify(request, list.parameters, arguments)
  }

  /// The page that a walk begins with whose plan is to be recognised: the answer to the list's own request, unless that asks
  /// for a later page, or the walk has its plan.
  func firstPage(
    with arguments: Arguments, for request: Request, by recognised: RecognisedPlan?
  ) async -> Result<Page?, GatewayError> {
    guard let recognised, recognised.plan == nil else { return .success(nil) }
    return await page(.own, with: arguments, for: request, by: recognised).map { page in
      recognised.startsHere ? page : nil
    }
  }

  /// One page: as it is known, as another's request brings it, or as the upstream has it now.
  ///
  /// - Parameter recognised: what the walk goes by, where that is not the list's own plan. Before the first answer it has
  ///   nothing, and learns from it.
  func page(
    _ page: PageRequest, with arguments: Arguments, for request: Request, by recognised: RecognisedPlan?
  ) async -> Result<Page, GatewayError> {
    switch look(for: page, with: arguments, for: request, by: recognised) {
    case .known(let result): return result
    case .underWay(let seat):
      let landing = await seat.wait.wait()
      return take(landing, seat, for: request, by: recognised)
    }
  }

  enum Sight {
    case known(Result<Page, GatewayError>)
    case underWay(Seat)
  }

  /// A walk's place in a flight, and what it may have where that fails.
  final class Seat {
    let wait: PageWait
    let isJoined: Bool
    /// Whether the page is to prove something.
    let isProof: Bool
    let because: CacheStatus.Forward
    let held: KnownPages.Held?
    let start: Instant

    init(
      _ wait: PageWait, isJoined: Bool, isProof: Bool, because: CacheStatus.Forward, held: KnownPages.Held?,
      start: Instant
    ) {
      self.wait = wait
      self.isJoined = isJoined
      self.isProof = isProof
      self.because = because
      self.held = held
      self.start = start
    }
  }

  /// Looks a page up, and finds a seat in a flight where it has to be waited for.
  @inline(never)
  func look(
    for page: PageRequest, with arguments: Arguments, for request: Request, by recognised: RecognisedPlan?
  ) -> Sight {
    if request.work.isStopped { return .known(Landing.left.result.map(\.page)) }
    let reader = PageReader(request, arguments)
    let key = key(of: page, for: reader, by: recognised)
    let now = pages.now
    let mark = pages.mark(key)
    let question = KnownPages.Question(
      key: key, edition: page.edition == 0 ? nil : page.edition, isFresh: page.isFresh,
      client: request.cacheControl, isUnreachable: upstream.control.isDown)
    var wait: PageWait?
    var flight: PageFlight?
    let finding = pages.ask(
      question, at: now,
      waiter: {
        let made = PageWait(pages)
        wait = made
        return landing(made)
      },
      end: { departure in
        let made = PageFlight(
          asked(
            page, key, for: reader, since: request.patienceStart, by: recognised,
            wantsRenewal: request.cacheControl?.wantsRenewal ?? false), of: self, departure,
          whenLanded: nil)
        flight = made
        return ending(made)
      })
    switch finding {
    case .page(let held, let reason, _):
      flight?.start(.revalidation)
      request.work.account.add(held: held.lifetime, isStale: reason)
      if reason == nil { request.work.marks.append(mark) }
      let known = self.page(held.value, by: recognised)
      return .known(.success(page.isFresh && reason != nil ? Page(standIn: known) : known))
    case .failure(let error): return .known(.failure(error))
    case .nothing:
      return .known(
        .failure(GatewayError(.notCached, .notCached, detail: "nothing is known, and only that was wanted")))
    case .flight(let boarding, let because, let held, _):
      guard let wait else { preconditionFailure("nobody waits for a flight that was boarded") }
      wait.ticket = boarding.ticket
      request.work.add(wait)
      flight?.start(.client)
      return .underWay(
        Seat(
          wait, isJoined: flight == nil, isProof: page.isFresh, because: because, held: held, start: now))
    }
  }

  /// Brings a landing to this loop.
  private func landing(_ wait: PageWait) -> KnownPages.Waiter {
    // Sound: it is touched on its loop's thread only.
    nonisolated(unsafe) let wait = wait
    let loop = upstream.loop
    return { landing in
      if loop.isCurrent { unsafe wait.land(landing) } else { loop.execute { unsafe wait.land(landing) } }
    }
  }

  private func ending(_ flight: PageFlight) -> @Sendable () -> Void {
    // Sound: it is touched on its loop's thread only.
    nonisolated(unsafe) let flight = flight
    let loop = upstream.loop
    return { if loop.isCurrent { unsafe flight.end() } else { loop.execute { unsafe flight.end() } } }
  }

  /// What a flight brought to a seat: its page, or in its place what is held.
  func take(
    _ landing: Landing, _ seat: Seat, for request: Request, by recognised: RecognisedPlan?
  ) -> Result<Page, GatewayError> {
    let now = pages.now
    request.work.remove(seat.wait)
    request.work.upstreamDuration += seat.start.duration(to: now)
    if !seat.isJoined { request.work.upstreamRequests += landing.sentCount }
    switch landing.result {
    case .success(let known):
      if let stored = landing.stored, let lifetime = landing.lifetime {
        request.work.account.add(stored: lifetime, as: stored, because: seat.because)
      } else {
        request.work.account.add(landing, because: seat.because, isJoined: seat.isJoined)
      }
      return .success(page(known, by: recognised))
    case .failure(let error):
      guard let held = seat.held,
        Freshness.mayReplace(
          held.lifetime, failing: error.failing, client: request.cacheControl, at: now)
      else { return .failure(error) }
      request.work.account.add(held: held.lifetime, after: seat.because)
      let known = page(held.value, by: recognised)
      return .success(seat.isProof ? Page(standIn: known) : known)
    }
  }

  private func page(_ known: KnownPage, by recognised: RecognisedPlan?) -> Page {
    if let recognised, recognised.plan == nil, let learned = known.learned { recognised.learn(learned) }
    return known.page
  }

  // MARK: Keys

  private func key(of page: PageRequest, for reader: PageReader, by recognised: RecognisedPlan?) -> PageKey {
    var series: [UInt8] = []
    series.reserveCapacity(64)
    reader.arguments.appendKey(to: &series)
    series += reader.scope
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    page.appendKey(to: &bytes)
    if let recognised {
      // What is read by another plan is another page; what the plan is still to be made of may not be the list's first.
      series.append(recognised.plan == nil ? 1 : 0)
      if let learned = recognised.learned { bytes += learned.bytes }
    }
    return PageKey(list: index, series: series, page: bytes)
  }

  private func asked(
    _ page: PageRequest, _ key: PageKey, for reader: PageReader, since start: Instant,
    by recognised: RecognisedPlan?, wantsRenewal: Bool
  ) -> AskedPage {
    AskedPage(
      page: page, key: key, reader: reader, learned: recognised?.learned,
      deadline: start + upstream.configuration.timeout.total, wantsRenewal: wantsRenewal)
  }

  // MARK: Fetching ahead

  /// Whether the page behind the one that a reader is in is to be looked for.
  func mayFetchAhead(at place: PrefetchDecision.Place) -> Bool {
    // Most slices end too early in their page: the upstream need not be looked at.
    guard prefetch.pagesToFetch(at: place, room: .free, isAllowed: true) > 0 else { return false }
    return prefetch.pagesToFetch(
      at: place, room: upstream.control.room(at: upstream.loop.now), isAllowed: true)
      > 0
  }

  enum StepAhead {
    case held(Page)
    case started(KnownPages.FlightID)
    /// It is under way already, or is not to be fetched.
    case nothing
  }

  /// The page that a reader would want next: as it is held, or fetched for the cache.
  ///
  /// - Parameters:
  ///   - isExpected: whether something said that it is there.
  ///   - hasChance: whether the list's throttle was asked, and had nothing against it.
  func fetchAhead(
    _ page: PageRequest, for reader: PageReader, by recognised: RecognisedPlan?, isExpected: Bool,
    hasChance: inout Bool, whenLanded: @escaping (Landing) -> Void
  ) -> StepAhead {
    let key = key(of: page, for: reader, by: recognised)
    var flight: PageFlight?
    let step = pages.lookAhead(
      key, edition: page.edition == 0 ? nil : page.edition, mayStart: isExpected, hasChance: &hasChance,
      at: pages.now
    ) { departure in
      let made = PageFlight(
        asked(page, key, for: reader, since: upstream.loop.now, by: recognised, wantsRenewal: false),
        of: self, departure,
        whenLanded: whenLanded)
      flight = made
      return ending(made)
    }
    switch step {
    case .held(let held): return .held(held.value.page)
    case .started(let departure):
      flight?.start(.prefetch)
      return .started(departure.id)
    case .nothing: return .nothing
    }
  }

  // MARK: Requests

  /// The request for a page, ready to be sent, and as it was made.
  ///
  /// - Parameter terms: of what is held of the page, where the upstream may find it unchanged.
  func prepare(
    _ asked: AskedPage, checking terms: UpstreamTerms?
  ) -> Result<(TransportRequest, RenderedRequest), GatewayError> {
    do throws(GatewayError) {
      let rendered = try render(asked.page, with: asked.reader.arguments)
      var outgoing = outgoing(rendered, for: asked)
      terms?.appendConditions(to: &outgoing.fields)
      return .success((outgoing, rendered))
    } catch {
      return .failure(error)
    }
  }

  private func render(
    _ page: PageRequest, with arguments: Arguments
  ) throws(GatewayError) -> RenderedRequest {
    do throws(TemplateFailure) {
      return try (page.follows ? followingRenderer : renderer).render(page, with: arguments)
    } catch {
      let parameter = list.parameters[error.parameter]
      let failure = GatewayError(
        .invalidRequest,
        .invalidParameter(
          parameter.name, found: arguments.values[error.parameter]?.description ?? "", expected: error.message
        ),
        detail: "parameter \(parameter.name)")
      failure.parameter = parameter.name
      throw failure
    }
  }

  private func outgoing(_ rendered: RenderedRequest, for asked: AskedPage) -> TransportRequest {
    var fields = rendered.fields
    fields.append(.xRequestID, asked.reader.requestID)
    if let trace = asked.reader.trace {
      var value: [UInt8] = []
      trace.appendTraceparent(to: &value)
      fields.append(.traceparent, value)
      if let state = trace.state { fields.append(.tracestate, state.bytes) }
    }
    var outgoing = TransportRequest(
      method: rendered.method, url: String(decoding: rendered.url, as: UTF8.self), fields: fields,
      content: rendered.content, deadline: asked.deadline, origin: upstream.origin)
    outgoing.credential = asked.reader.scope.isEmpty ? nil : asked.reader.scope
    return outgoing
  }

  // MARK: Answers

  /// The page that an answer is, or why it is none.
  func judge(
    _ response: TransportResponse, to sent: RenderedRequest, by learned: RecognisedPlan.Learned?
  ) -> Result<KnownPage, GatewayError> {
    let recognised = RecognisedPlan(list)
    if let learned { recognised?.learn(learned) }
    return reader.page(of: response, to: sent, by: recognised).map { page in
      KnownPage(
        page, terms: list.keeping.obeysUpstream ? UpstreamTerms(response.fields, now: unixSeconds) : nil,
        learned: recognised?.learned)
    }
  }

  func record(_ judged: Result<KnownPage, GatewayError>, duration: Duration) {
    let outcome: UpstreamOutcome =
      switch judged {
      case .success: .ok
      case .failure(let error): UpstreamOutcome(error.code)
      }
    upstream.figures.record(outcome, duration: duration)
  }

  /// Until when a page that came is what; nil where the upstream does not allow it to be kept.
  ///
  /// - Parameter isAhead: whether nobody had asked for it yet: then it is to last until somebody may.
  func lifetime(of known: KnownPage, requested: Instant, received: Instant, isAhead: Bool) -> Lifetime? {
    var lifetime = terms.lifetime(from: received)
    if let said = known.terms {
      // A credential of ours is everybody's, and one of the client's is in the key: neither makes the page private.
      let allowed = said.lifetime(
        isAuthorized: false, keep: terms.keep, requested: requested, received: received, now: unixSeconds)
      guard let allowed else { return nil }
      lifetime = allowed
    }
    return isAhead ? lifetime.freshAtLeast(until: received + list.prefetch.holds) : lifetime
  }

  /// Until when a failure is everybody's; nil of what is no failure of the upstream's.
  func failureEnd(of result: Result<KnownPage, GatewayError>, at now: Instant) -> Instant? {
    guard terms.failure > .zero, case .failure(let error) = result, error.code != .internal,
      error.code != .invalidRequest
    else { return nil }
    return now + terms.failure
  }
}

extension GatewayError {
  /// Whether what is held may stand in for what failed.
  var failing: Freshness.Failing {
    switch code {
    case .upstreamUnreachable, .upstreamTimeout: .unreachable
    case .upstreamFault, .upstreamShape, .sessionFailed, .rateLimited, .overloaded: .faulty
    default: .answered
    }
  }
}
