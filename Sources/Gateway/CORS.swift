import Configuration
import HTTPSemantics

/// What pages of other origins may do (Fetch Standard, CORS protocol). Cookies are none of Listway's credentials, so that there
/// is no `Access-Control-Allow-Credentials`.
struct CORS {
  /// What an answer says that a page cannot read unless it is named.
  private static let exposed =
    "Age, Cache-Status, ETag, Link, Proxy-Status, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id"
  /// What a page may send beside what every page may.
  private static let accepted =
    "Accept, Accept-Language, Authorization, Content-Type, If-None-Match, Listway-Slot, X-API-Key, X-Request-Id, traceparent, "
    + "tracestate"

  private let origins: Set<String>
  private let isOpen: Bool
  private let maxAge: String

  /// - Returns: nil where no other origin is declared.
  init?(_ rules: Configuration.CrossOrigin) {
    if rules.origins.isEmpty { return nil }
    isOpen = rules.origins.contains("*")
    origins = Set(rules.origins)
    maxAge = String(rules.maxAge.components.seconds)
  }

  /// What every answer says.
  func append(to fields: inout Fields, for exchange: any Exchange) {
    if !isOpen { fields.append(.vary, "Origin") }
    guard let allowed = allowed(exchange) else { return }
    fields.append(.accessControlAllowOrigin, allowed)
    fields.append(.accessControlExposeHeaders, Self.exposed)
  }

  /// The answer to a preflight request; nil where it is none. Browsers keep it for as long as it says.
  func preflight(_ exchange: any Exchange) -> Response? {
    guard exchange.method == .options, exchange.field(.origin) != nil,
      exchange.field(.accessControlRequestMethod) != nil
    else { return nil }
    var fields = Fields()
    fields.append(.vary, "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    if let allowed = allowed(exchange) {
      fields.append(.accessControlAllowOrigin, allowed)
      fields.append(.accessControlAllowMethods, "GET, HEAD, POST")
      fields.append(.accessControlAllowHeaders, Self.accepted)
      fields.append(.accessControlMaxAge, maxAge)
    }
    return Response(status: 204, fields: fields, content: [])
  }

  private func allowed(_ exchange: any Exchange) -> String? {
    guard let origin = exchange.field(.origin) else { return nil }
    if isOpen { return "*" }
    return origins.contains(origin) ? origin : nil
  }
}
