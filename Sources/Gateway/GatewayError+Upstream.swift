import HTTPSemantics
import Paging

extension GatewayError {
  /// No answer came. An unreachable network is not a faulty server: they read differently.
  convenience init(_ failure: TransportFailure) {
    switch failure.kind {
    case .noRoute, .nameResolution, .connect, .tls, .resetBeforeResponse:
      self.init(.upstreamUnreachable, .unreachable, detail: failure.detail)
      retryAfter = Self.usualRetry
    case .timeout:
      self.init(.upstreamTimeout, .serverTimeout, detail: failure.detail)
    case .resetWithinResponse, .tooLarge, .protocol:
      self.init(.upstreamFault, .serverFault, detail: failure.detail)
    case .cancelled:
      self.init(.internal, .internalFault, detail: "the client went away")
    case .suspended:
      self.init(.upstreamUnreachable, .unreachable, detail: failure.detail)
      retryAfter = Self.usualRetry
    case .circuitOpen:
      self.init(.upstreamFault, .serverFault, detail: failure.detail)
    case .limited:
      self.init(.rateLimited, .busy, detail: failure.detail)
    case .sessionFailed:
      self.init(.sessionFailed, .sessionFailed, detail: failure.detail)
    case .credentialRefused:
      self.init(.unauthorized, .credentialRefused, detail: failure.detail)
    case .overloaded:
      self.init(.overloaded, .busy, detail: failure.detail)
      retryAfter = 1
    }
    if let wait = failure.retryAfter { retryAfter = Self.wholeSeconds(wait) }
    proxyError = failure.kind.proxyError
  }

  /// An answer came, and is no page.
  convenience init(_ fault: PageFault) {
    switch fault {
    case .shape(let detail):
      self.init(.upstreamShape, .unreadableAnswer, detail: detail)
    case .fault(let detail):
      self.init(.upstreamFault, .serverFault, detail: detail)
    case .refused(let code, let message, let meaning):
      let words = message.map { Message.verbatim(String($0.prefix(Self.longestWords))) }
      self.init(
        meaning.code, words ?? (meaning == .rateLimited ? .busy : .refusedWithoutReason),
        detail: "the upstream refused")
      if meaning == .cursorExpired { self.message = .cursorExpired }
      upstreamCode = code.map { String($0.prefix(Self.longestCode)) }
      self.meaning = meaning
    }
  }

  /// An answer came whose status, of the 4xx class, is a refusal.
  convenience init(_ reason: StatedReason, status: Int) {
    let code = reason.meaning?.code ?? (status == 429 ? .rateLimited : .upstreamRefused)
    let words = reason.message.map { Message.verbatim(String($0.prefix(Self.longestWords))) }
    self.init(
      code, words ?? (code == .rateLimited ? .busy : .refusedWithoutReason),
      detail: "the upstream answered with status \(status)")
    if code == .cursorExpired { message = .cursorExpired }
    upstreamCode = String((reason.code ?? String(status)).prefix(Self.longestCode))
    meaning = reason.meaning
  }

  /// Rounded up, at least one: what `Retry-After` can say.
  private static func wholeSeconds(_ wait: Duration) -> Int {
    let (seconds, attoseconds) = wait.components
    return max(1, Int(clamping: seconds) + (attoseconds > 0 ? 1 : 0))
  }

  /// A request's parameter that is wrong, missing or too many.
  static func invalidParameter(_ name: String, _ message: Message) -> GatewayError {
    let error = GatewayError(.invalidRequest, message, detail: "a parameter")
    error.parameter = name
    return error
  }

  static func invalidCursor(detail: String) -> GatewayError {
    let error = GatewayError(.invalidCursor, .invalidCursor, detail: detail)
    error.parameter = "cursor"
    return error
  }

  /// As the walk needs to know it.
  var pageFailure: PageFailure { PageFailure(status: receivedStatus, code: code.rawValue, meaning: meaning) }

  /// Seconds after which an upstream that could not be reached, or that asked for rest, is worth another try where nobody
  /// says otherwise.
  static let usualRetry = 5
  /// Characters of an upstream's own message and code that are passed on.
  static let longestWords = 1_000
  static let longestCode = 200
}

extension TransportFailure.Kind {
  /// RFC 9209 §2.3.
  var proxyError: ProxyStatus.ErrorType? {
    switch self {
    case .noRoute: .destinationIPUnroutable
    case .nameResolution: .dnsError
    case .connect: .connectionRefused
    case .tls: .tlsProtocolError
    case .resetBeforeResponse, .resetWithinResponse: .connectionTerminated
    case .timeout: .httpResponseTimeout
    case .tooLarge: .httpResponseBodySize
    case .protocol: .httpProtocolError
    case .suspended, .circuitOpen: .destinationUnavailable
    case .limited, .overloaded, .sessionFailed, .credentialRefused, .cancelled: nil
    }
  }

  /// The outcome label of an upstream request's figures.
  var outcome: String { rawValue }
}

extension Refusal.Meaning {
  /// What a client is told.
  fileprivate var code: GatewayError.Code {
    switch self {
    case .refused, .endOfList: .upstreamRefused
    case .sessionExpired: .sessionFailed
    case .rateLimited: .rateLimited
    case .notFound: .notFound
    case .cursorExpired: .cursorExpired
    }
  }
}
