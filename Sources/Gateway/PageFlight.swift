import Caching
import Configuration
import HTTPSemantics
import Paging
import Resilience
import Telemetry

/// Who wants a page, as far as that decides which page it is and how it is asked for.
struct PageReader {
  let arguments: Arguments
  /// ``Request/scope``.
  let scope: [UInt8]
  let requestID: String
  let trace: TraceContext?

  init(_ request: Request, _ arguments: Arguments) {
    self.arguments = arguments
    scope = request.scope
    requestID = request.id
    trace = request.trace
  }
}

/// What a flight asks for, so that it can go on without whoever wanted it first.
struct AskedPage {
  let page: PageRequest
  let key: PageKey
  let reader: PageReader
  /// What the walk goes by where the list's paging is recognised; nil before its first answer.
  let learned: RecognisedPlan.Learned?
  let deadline: Instant
  /// Whether whoever wanted it first wants the upstream asked.
  let wantsRenewal: Bool
}

/// One request to an upstream for a page, on the loop where somebody wanted it first; on any loop others may wait for it.
///
/// It lands once: with a page, with a failure, or with nothing to tell when it is ended since nobody waits.
final class PageFlight {
  private let source: PageSource
  private let asked: AskedPage
  private let departure: KnownPages.Departure
  private var call: UpstreamCall?
  /// Its part in the store; nil where it has none.
  private var stored: StoredFlight?
  private var isEnded = false
  /// Told of the landing, where the flight was started for the cache itself.
  private let whenLanded: ((Landing) -> Void)?

  init(
    _ asked: AskedPage, of source: PageSource, _ departure: KnownPages.Departure,
    whenLanded: ((Landing) -> Void)?
  ) {
    self.whenLanded = whenLanded
    self.asked = asked
    self.source = source
    self.departure = departure
  }

  func start(_ priority: Gate.Priority) {
    switch source.prepare(asked, checking: departure.held?.value.terms) {
    case .failure(let error):
      land(.failure(error), lifetime: nil, isRenewed: false, sentCount: 0)
    case .success(let (outgoing, rendered)):
      let request = Outgoing(request: outgoing, rendered: rendered, priority: priority)
      guard let store = source.store, departure.isKept else { return ask(request) }
      stored = StoredFlight(store, key: store.key(of: asked, rendered))
      if departure.held == nil { look(in: store, request) } else { claim(in: store, request) }
    }
  }

  private struct Outgoing {
    let request: TransportRequest
    let rendered: RenderedRequest
    let priority: Gate.Priority
  }

  private func ask(_ outgoing: Outgoing) {
    if isEnded {
      stored?.release()
      land(Landing.left.result, lifetime: nil, isRenewed: false, sentCount: 0)
      return
    }
    let start = source.pages.now
    // Reading a list twice does no harm, whatever the method it is read by: pages are asked for again all the time.
    call = source.upstream.start(outgoing.request, outgoing.priority, isRepeatable: true) {
      [self] result, sentCount in
      call = nil
      return finish(result, outgoing.rendered, sentCount: sentCount, start: start)
    }
  }

  /// Nobody waits for it.
  func end() {
    isEnded = true
    call?.cancel()
  }

  // MARK: The store

  /// Whether known pages are good only where the upstream cannot be asked.
  private var wantsUpstream: Bool { asked.wantsRenewal || asked.page.isFresh }

  /// Looks for what is stored of a page of which nothing is known.
  private func look(in store: ListStore, _ outgoing: Outgoing) {
    guard let stored else { return ask(outgoing) }
    store.pages.find(stored.key) { [self] page in
      let now = source.pages.now
      guard !isEnded, let page, let found = read(page, outgoing, at: now) else {
        return claim(in: store, outgoing)
      }
      stored.fallback = found
      // A page of another edition than the walk's is good only where nothing else is to be had.
      let isOfEdition = departure.edition == 0 || !asked.page.follows || found.edition == departure.edition
      if isOfEdition, !wantsUpstream {
        if found.lifetime.isFresh(at: now) { return land(found, .fresh) }
        if now < found.lifetime.staleUntil, !found.lifetime.mustRevalidate { return land(found, .stale) }
      }
      if source.upstream.control.isDown, landInstead(of: .unreachable, at: now) { return }
      claim(in: store, outgoing)
    }
  }

  /// Has one of all replicas fetch the page.
  private func claim(in store: ListStore, _ outgoing: Outgoing) {
    guard let stored, store.pages.isShared, source.isShareable, !isEnded, !wantsUpstream else {
      return ask(outgoing)
    }
    let now = source.pages.now
    let known = departure.held?.lifetime ?? stored.fallback?.lifetime
    let born = known.map { StoredLifetime($0, at: now, unixMilliseconds: source.unixMilliseconds).born }
    // Half of the time is left to whoever has to fetch it after all.
    let wait = min(now.duration(to: asked.deadline) / 2, StoredFlight.longestWait)
    store.pages.claim(stored.key, after: born, wait: wait) { [self] claim in
      switch claim {
      case .fetch(let lease):
        stored.lease = lease
        ask(outgoing)
      case .found(let page):
        let now = source.pages.now
        guard let found = read(page, outgoing, at: now), found.lifetime.isFresh(at: now) else {
          return ask(outgoing)
        }
        land(found, .fresh)
      }
    }
  }

  private func read(_ page: StoredPage, _ outgoing: Outgoing, at now: Instant) -> StoredFlight.Found? {
    let lifetime = page.lifetime.lifetime(at: now, unixMilliseconds: source.unixMilliseconds)
    guard lifetime.keepUntil > now,
      case .success(let known) = source.judge(page.response, to: outgoing.rendered, by: asked.learned)
    else { return nil }
    return StoredFlight.Found(page: known, edition: page.edition, lifetime: lifetime)
  }

  private func land(_ found: StoredFlight.Found, _ standing: StoredStanding) {
    land(
      .success(found.page), lifetime: found.lifetime, isRenewed: false, sentCount: 0,
      stored: (found.edition, standing))
  }

  /// - Returns: whether a stored page stands in for what the upstream did not send.
  private func landInstead(of failing: Freshness.Failing, at now: Instant) -> Bool {
    guard let found = stored?.fallback, !isEnded,
      Freshness.mayReplace(found.lifetime, failing: failing, client: nil, at: now)
    else { return false }
    land(found, .instead)
    return true
  }

  /// Has written down what came.
  private func store(_ landing: Landing, _ response: TransportResponse?) {
    guard let stored, let store = source.store else { return }
    guard case .success(let known) = landing.result, let lifetime = landing.lifetime, let response else {
      return stored.release()
    }
    let storedLifetime = StoredLifetime(
      lifetime, at: source.pages.now, unixMilliseconds: source.unixMilliseconds)
    stored.lease = nil
    if landing.isRenewed {
      store.pages.renew(stored.key, edition: known.page.edition, storedLifetime)
    } else {
      store.pages.store(StoredPage(response, edition: known.page.edition, storedLifetime), as: stored.key)
    }
  }

  // MARK: The answer

  private func finish(
    _ result: Result<TransportResponse, TransportFailure>, _ rendered: RenderedRequest, sentCount: Int,
    start: Instant
  ) -> UpstreamCall.Judgement {
    let now = source.pages.now
    let judged: Result<KnownPage, GatewayError>
    var isRenewed = false
    switch result {
    case .failure(let failure): judged = .failure(GatewayError(failure))
    case .success(let response):
      if let renewed = renewed(by: response) {
        judged = .success(renewed)
        isRenewed = true
      } else {
        judged = source.judge(response, to: rendered, by: asked.learned)
      }
    }
    source.record(judged, duration: start.duration(to: now))
    let lifetime: Lifetime? =
      if case .success(let known) = judged {
        source.lifetime(of: known, requested: start, received: now, isAhead: departure.isAhead)
      } else { nil }
    if case .failure(let error) = judged, landInstead(of: error.failing, at: now) {
      stored?.release()
      return judged.judgement
    }
    let response: TransportResponse? = if case .success(let response) = result { response } else { nil }
    store(
      land(judged, lifetime: lifetime, isRenewed: isRenewed, sentCount: sentCount), response)
    return judged.judgement
  }

  /// What is held, when the answer says that it is still good (RFC 9111 §4.3.3).
  private func renewed(by response: TransportResponse) -> KnownPage? {
    guard response.status == 304, let held = departure.held?.value, let terms = held.terms, terms.canBeChecked
    else { return nil }
    let answered = UpstreamTerms(response.fields, now: source.unixSeconds)
    return KnownPage(held.page, terms: terms.updated(by: answered), learned: held.learned)
  }

  @discardableResult
  private func land(
    _ result: Result<KnownPage, GatewayError>, lifetime: Lifetime?, isRenewed: Bool, sentCount: Int,
    stored: (edition: UInt32, standing: StoredStanding)? = nil
  ) -> Landing {
    let now = source.pages.now
    let landing = source.pages.land(
      departure,
      KnownPages.Arrival(
        key: asked.key, result: result, lifetime: lifetime, isFirst: !asked.page.follows,
        isRenewed: isRenewed,
        // That there was no room for what nobody waits for is no failure of the page's.
        failureEnd: departure.isAhead ? nil : source.failureEnd(of: result, at: now), sentCount: sentCount,
        seconds: source.unixSeconds, stored: stored),
      at: now)
    whenLanded?(landing)
    return landing
  }
}
