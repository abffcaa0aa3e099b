/// Why there is no answer, told apart as an app has to tell its user.
public enum ListwayError: Error, Sendable, Hashable {
  /// The gateway itself could not be reached: most likely the device is offline.
  case offline(String)
  /// The gateway answered with a failure.
  case failed(Failure)
  /// A newer request took this one's slot.
  case superseded
  /// The task was cancelled.
  case cancelled
  /// Something that is not Listway answered.
  case notAnEnvelope(httpStatus: Int, detail: String)
  /// An item, or a call's payload, is not of the type that was asked for.
  case undecodable(String)

  /// A failure in the gateway's own words.
  public struct Failure: Sendable, Hashable {
    public let code: Code
    /// `status` of the envelope: below zero.
    public let status: Int
    public let httpStatus: Int
    /// For people, in the language that was asked for (`Accept-Language`).
    public let message: String
    /// Seconds after which trying again may help.
    public let retryAfter: Int?
    /// The upstream's own code, where it refused.
    public let upstreamCode: String?
    /// The parameter that is wrong.
    public let parameter: String?
    public let requestID: String
  }

  /// `header.error`: what happened. A code of a later gateway is ``unknown``.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The network between the gateway and the upstream; waiting helps.
    case upstreamUnreachable = "upstream_unreachable"
    /// The upstream is there, and broken.
    case upstreamFault = "upstream_fault"
    case upstreamShape = "upstream_shape"
    /// The upstream's own "no": ``Failure/message`` is its word.
    case upstreamRefused = "upstream_refused"
    case upstreamTimeout = "upstream_timeout"
    case invalidRequest = "invalid_request"
    /// Begin at the first slice again.
    case invalidCursor = "invalid_cursor"
    case cursorExpired = "cursor_expired"
    case notFound = "not_found"
    case unauthorized
    case forbidden
    case sessionFailed = "session_failed"
    case rateLimited = "rate_limited"
    case overloaded
    case superseded
    /// Only what the gateway knows was asked for, and it knows nothing.
    case notCached = "not_cached"
    case `internal`
    case unknown
  }

  /// Whether trying the same again may help.
  public var isTransient: Bool {
    switch self {
    case .offline: true
    case .failed(let failure):
      switch failure.code {
      case .upstreamUnreachable, .upstreamFault, .upstreamTimeout, .rateLimited, .overloaded, .sessionFailed,
        .internal:
        true
      default: false
      }
    case .superseded, .cancelled, .notAnEnvelope, .undecodable: false
    }
  }

  /// Whether the walk is over and has to begin at the first slice again.
  public var endsWalk: Bool {
    if case .failed(let failure) = self {
      failure.code == .invalidCursor || failure.code == .cursorExpired
    } else {
      false
    }
  }
}
