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
}

/// One request to an upstream for a page, on the loop where somebody wanted it first; on any loop others may wait for it.
///
/// It lands once: with a page, with a failure, or with nothing to tell when it is ended since nobody waits.
final class PageFlight {
  private let source: PageSource
  private let asked: AskedPage
  private let departure: KnownPages.Departure
  private var call: UpstreamCall?
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
      let start = source.pages.now
      // Reading a list twice does no harm, whatever the method it is read by: pages are asked for again all the time.
      call = source.upstream.start(outgoing, priority, isRepeatable: true) { [self] result, sentCount in
        call = nil
        return finish(result, rendered, sentCount: sentCount, start: start)
      }
    }
  }

  /// Nobody waits for it.
  func end() { call?.cancel() }

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
    land(judged, lifetime: lifetime, isRenewed: isRenewed, sentCount: sentCount)
    return judged.judgement
  }

  /// What is held, when the answer says that it is still good (RFC 9111 §4.3.3).
  private func renewed(by response: TransportResponse) -> KnownPage? {
    guard response.status == 304, let held = departure.held?.value, let terms = held.terms, terms.canBeChecked
    else { return nil }
    let answered = UpstreamTerms(response.fields, now: source.unixSeconds)
    return KnownPage(held.page, terms: terms.updated(by: answered), learned: held.learned)
  }

  private func land(
    _ result: Result<KnownPage, GatewayError>, lifetime: Lifetime?, isRenewed: Bool, sentCount: Int
  ) {
    let now = source.pages.now
    let landing = source.pages.land(
      departure,
      KnownPages.Arrival(
        key: asked.key, result: result, lifetime: lifetime, isFirst: !asked.page.follows,
        isRenewed: isRenewed,
        // That there was no room for what nobody waits for is no failure of the page's.
        failureEnd: departure.isAhead ? nil : source.failureEnd(of: result, at: now), sentCount: sentCount,
        seconds: source.unixSeconds),
      at: now)
    whenLanded?(landing)
  }
}
