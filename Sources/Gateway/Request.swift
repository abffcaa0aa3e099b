import Access
import HTTPSemantics
import Telemetry

/// One client's request on its way through the gateway: what is needed to answer it and to write down that it was.
final class Request {
  let exchange: any Exchange
  /// `X-Request-Id`: the client's own where it is sane, else made.
  let id: String
  let arrival: ContinuousClock.Instant
  /// From when the upstream's total time counts: the arrival, or for each page of a whole list the asking for it.
  var patienceStart: ContinuousClock.Instant
  /// The route's pattern, for figures and logs: never what the client wrote.
  var route = Route.unknown
  var list: ServedList?
  var call: CallRoute?
  var screen: ScreenRoute?
  /// Of a part of a screen: what its header says of that.
  var section: SectionFacts?
  /// The target, decoded; nil where it could not be.
  var target: Target?
  /// Whether answers are compressed for clients that take that.
  var isForCompression = false
  /// Whether the upstream's raw answer is to be shown.
  var isDebug = false
  /// The client's trace with a span of our own; nil when it sent none.
  var trace: TraceContext?
  /// Who the client is, as far as it has shown, and what is wrong with what it has shown.
  var principal = Principal.anonymous
  var refusal: GatewayError?
  /// What every answer to it says beside what it would say anyway: of limits, and to pages of other origins.
  var extraFields = Fields()
  let work = Work()
  /// What of the client's own goes to the upstream and decides what it gets, such as its credential: pages are known apart
  /// by it. Empty where nothing does.
  var scope: [UInt8] = []
  /// What the client wants of caches; nil where it says nothing.
  private(set) lazy var cacheControl: CacheControl? = {
    if let field = exchange.field(.cacheControl) { return CacheControl(parsing: field.utf8Span.span) }
    // RFC 9111 §5.4
    guard let pragma = exchange.field(.pragma) else { return nil }
    let control = CacheControl(parsing: pragma.utf8Span.span)
    return control.isNoCache ? control : nil
  }()
  /// The slot that it holds, which a newer request of the same client may take (`Listway-Slot`).
  var slot: SlotTable.Hold?
  /// What is being fetched for the slices to come; nil where nothing is.
  var forerun: Forerun?
  /// Whether it has been answered, or need not be any more.
  var isFinished = false

  init(exchange: any Exchange, id: String, arrival: ContinuousClock.Instant) {
    self.exchange = exchange
    self.id = id
    self.arrival = arrival
    patienceStart = arrival
  }

  /// The language of messages, by `Accept-Language`.
  var language: Message.Language {
    guard let field = exchange.field(.acceptLanguage) else { return .english }
    return AcceptLanguage.choose(field.utf8Span.span, among: ["en", "zh"]) == 1 ? .chinese : .english
  }

  /// Whether failures are wanted as problem details (RFC 9457).
  var prefersProblem: Bool {
    guard let field = exchange.field(.accept) else { return false }
    return Accept.prefersProblemJSON(field.utf8Span.span)
  }
}

/// The paths that there are.
enum Route: String, CaseIterable {
  case lists = "/v1/lists"
  case list = "/v1/lists/{list}"
  case whole = "/v1/lists/{list}/all"
  case explorer = "/"
  case client = "/listway.js"
  case openAPI = "/openapi.json"
  case calls = "/v1/calls"
  case call = "/v1/calls/{call}"
  case screens = "/v1/screens"
  case screen = "/v1/screens/{screen}"
  case livez = "/livez"
  case readyz = "/readyz"
  case healthz = "/healthz"
  case metrics = "/metrics"
  case status = "/status"
  case purge = "/purge"
  case unknown = ""
}
