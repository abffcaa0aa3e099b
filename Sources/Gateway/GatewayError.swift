package import HTTPSemantics
package import JSON
package import Paging

/// Why a client gets something other than what it asked for.
///
/// Made where the failure is understood, turned into an answer in one place (`Envelope`). An object, so that what may fail
/// costs no more than a pointer while it does not.
/// - Note: `@unchecked Sendable` is sound since it is written only while it is made, by the loop that throws it.
package final class GatewayError: Error, @unchecked Sendable {
  /// The closed set of reasons: `header.error`, the metric label, the problem type.
  package enum Code: String, Sendable, CaseIterable {
    case upstreamUnreachable = "upstream_unreachable"
    case upstreamFault = "upstream_fault"
    case upstreamShape = "upstream_shape"
    case upstreamRefused = "upstream_refused"
    case upstreamTimeout = "upstream_timeout"
    case invalidRequest = "invalid_request"
    case invalidCursor = "invalid_cursor"
    case cursorExpired = "cursor_expired"
    case notFound = "not_found"
    case unauthorized
    case forbidden
    case sessionFailed = "session_failed"
    case rateLimited = "rate_limited"
    case overloaded
    case superseded
    case notCached = "not_cached"
    case `internal`
  }

  package enum Origin: String, Sendable { case downstream, upstream, gateway }

  package var code: Code
  /// What a person is told.
  package var message: Message
  /// The HTTP status, where it is not the code's usual one (405, 413, 414, 431).
  package var httpStatus: Int
  /// The parameter that is at fault, or the upstream's own code.
  package var parameter: String?
  package var upstreamCode: String?
  /// Seconds after which trying again may help.
  package var retryAfter: Int?
  /// What happened, for the log and for `?debug=1`. Never a secret.
  package var detail: String
  /// The upstream's answer that could not be used, for `?debug=1`.
  package var answer: Bytes?
  /// What went wrong between Listway and the upstream (RFC 9209); nil where the upstream has no part in it.
  package var proxyError: ProxyStatus.ErrorType?
  /// The status of the upstream's answer, if there was one.
  package var receivedStatus: Int?
  /// What the upstream's own code means to the walk.
  package var meaning: Refusal.Meaning?
  /// The methods that would do, for 405.
  package var allow: String?
  /// How a client may show who it is, for 401 and 403: the `WWW-Authenticate` field.
  package var challenge: String?

  package init(_ code: Code, _ message: Message, detail: String, httpStatus: Int? = nil) {
    self.code = code
    self.message = message
    self.detail = detail
    self.httpStatus = httpStatus ?? code.httpStatus
  }

  package var origin: Origin { code.origin }
}

extension GatewayError.Code {
  /// `status` of the envelope.
  package var envelopeStatus: Int {
    switch self {
    case .upstreamUnreachable: -1
    case .upstreamFault: -2
    case .upstreamShape: -3
    case .upstreamRefused: -4
    case .upstreamTimeout: -5
    case .invalidRequest: -6
    case .invalidCursor, .cursorExpired: -7
    case .notFound: -8
    case .unauthorized, .forbidden: -9
    case .sessionFailed: -10
    case .rateLimited: -11
    case .overloaded: -12
    case .superseded: -13
    case .notCached: -14
    case .internal: -20
    }
  }

  /// RFC 9110 §15.
  package var httpStatus: Int {
    switch self {
    case .invalidRequest, .invalidCursor: 400
    case .unauthorized: 401
    case .forbidden: 403
    case .notFound: 404
    case .superseded: 409
    case .cursorExpired: 410
    case .upstreamRefused: 422
    case .rateLimited: 429
    case .internal: 500
    case .upstreamFault, .upstreamShape, .sessionFailed: 502
    case .upstreamUnreachable, .overloaded: 503
    case .upstreamTimeout, .notCached: 504
    }
  }

  package var origin: GatewayError.Origin {
    switch self {
    case .upstreamUnreachable, .upstreamFault, .upstreamShape, .upstreamRefused, .upstreamTimeout,
      .sessionFailed:
      .upstream
    case .invalidRequest, .invalidCursor, .cursorExpired, .notFound, .unauthorized, .forbidden, .rateLimited,
      .superseded, .notCached:
      .downstream
    case .overloaded, .internal: .gateway
    }
  }
}
