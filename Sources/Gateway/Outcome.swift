import Telemetry

/// How a request was answered, for figures and the log.
enum Outcome {
  case slice
  /// What one upstream request was answered with.
  case call
  /// Sections, of which one at least did not fail.
  case screen
  /// Listway's own pages: health, figures, the catalogue.
  case own
  case failure(GatewayError)

  var code: GatewayError.Code? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }

  func cache(of request: Request) -> CacheOutcome {
    switch self {
    case .slice, .call: request.work.account.outcome
    case .screen, .own, .failure: .none
    }
  }

  /// Probes would drown everything else.
  var level: LogLevel {
    guard case .own = self else { return .info }
    return .debug
  }
}
