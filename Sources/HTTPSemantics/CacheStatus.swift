/// What the cache did with a request: the `Cache-Status` field (RFC 9211).
package struct CacheStatus: Sendable, Hashable {
  /// Why the request went on to the upstream (RFC 9211 §2.2).
  package enum Forward: Sendable, Hashable {
    case bypass, method, uriMiss, varyMiss, miss, request, stale, partial

    fileprivate var token: StaticString {
      switch self {
      case .bypass: "bypass"
      case .method: "method"
      case .uriMiss: "uri-miss"
      case .varyMiss: "vary-miss"
      case .miss: "miss"
      case .request: "request"
      case .stale: "stale"
      case .partial: "partial"
      }
    }
  }

  package enum Outcome: Sendable, Hashable {
    case hit
    case forward(Forward)
  }

  package var outcome: Outcome
  /// What the upstream answered, where that is not what the client gets.
  package var forwardStatus: Int?
  /// Seconds of freshness that are left; negative for a stale answer.
  package var timeToLive: Int?
  package var isStored = false
  /// Whether the answer came from a request that another client had started.
  package var isCollapsed = false
  /// For people, printable ASCII.
  package var detail: String?

  package init(_ outcome: Outcome) { self.outcome = outcome }

  /// Appends the field value.
  package func append(to output: inout [UInt8]) {
    output.append(constant: "listway")
    switch outcome {
    case .hit: output.append(parameter: "hit")
    case .forward(let reason): output.append(parameter: "fwd", token: reason.token)
    }
    if let forwardStatus { output.append(parameter: "fwd-status", integer: forwardStatus) }
    if let timeToLive { output.append(parameter: "ttl", integer: timeToLive) }
    if isStored { output.append(parameter: "stored") }
    if isCollapsed { output.append(parameter: "collapsed") }
    if let detail { output.append(parameter: "detail", string: detail) }
  }
}
