/// The name of a header field (RFC 9110 §5.1), compared without case.
package struct FieldName: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The spelling used when the field is written.
  package let text: String
  /// The same in lower case: what look-ups compare with.
  package let lowercased: [UInt8]

  /// - Parameter text: a token, trusted to be one: a constant of this program.
  package init(stringLiteral text: StaticString) {
    self.text = text.description
    lowercased = Array(self.text.utf8).map(\.lowercased)
  }

  /// A name from outside, such as the configuration; nil unless it is a token of 1 to 256 bytes.
  package init?(validating text: String) {
    let bytes = Array(text.utf8)
    guard (1...256).contains(bytes.count), bytes.allSatisfy(\.isToken) else { return nil }
    self.text = text
    lowercased = bytes.map(\.lowercased)
  }

  package static func == (left: FieldName, right: FieldName) -> Bool { left.lowercased == right.lowercased }
  package func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }

  package static let accept: FieldName = "Accept"
  package static let acceptEncoding: FieldName = "Accept-Encoding"
  package static let acceptLanguage: FieldName = "Accept-Language"
  package static let accessControlAllowHeaders: FieldName = "Access-Control-Allow-Headers"
  package static let accessControlAllowMethods: FieldName = "Access-Control-Allow-Methods"
  package static let accessControlAllowOrigin: FieldName = "Access-Control-Allow-Origin"
  package static let accessControlExposeHeaders: FieldName = "Access-Control-Expose-Headers"
  package static let accessControlMaxAge: FieldName = "Access-Control-Max-Age"
  package static let accessControlRequestMethod: FieldName = "Access-Control-Request-Method"
  package static let age: FieldName = "Age"
  package static let allow: FieldName = "Allow"
  package static let authorization: FieldName = "Authorization"
  package static let cacheControl: FieldName = "Cache-Control"
  package static let cacheStatus: FieldName = "Cache-Status"
  package static let connection: FieldName = "Connection"
  package static let contentEncoding: FieldName = "Content-Encoding"
  package static let contentLength: FieldName = "Content-Length"
  package static let contentRange: FieldName = "Content-Range"
  package static let contentType: FieldName = "Content-Type"
  package static let cookie: FieldName = "Cookie"
  package static let date: FieldName = "Date"
  package static let etag: FieldName = "ETag"
  package static let expires: FieldName = "Expires"
  package static let forwarded: FieldName = "Forwarded"
  package static let host: FieldName = "Host"
  package static let ifNoneMatch: FieldName = "If-None-Match"
  package static let lastModified: FieldName = "Last-Modified"
  package static let link: FieldName = "Link"
  package static let pragma: FieldName = "Pragma"
  package static let listwaySlot: FieldName = "Listway-Slot"
  package static let location: FieldName = "Location"
  package static let origin: FieldName = "Origin"
  package static let proxyStatus: FieldName = "Proxy-Status"
  package static let idempotencyKey: FieldName = "Idempotency-Key"
  package static let rateLimit: FieldName = "RateLimit"
  package static let rateLimitPolicy: FieldName = "RateLimit-Policy"
  package static let retryAfter: FieldName = "Retry-After"
  package static let setCookie: FieldName = "Set-Cookie"
  package static let traceparent: FieldName = "traceparent"
  package static let tracestate: FieldName = "tracestate"
  package static let transferEncoding: FieldName = "Transfer-Encoding"
  package static let userAgent: FieldName = "User-Agent"
  package static let vary: FieldName = "Vary"
  package static let wwwAuthenticate: FieldName = "WWW-Authenticate"
  package static let xAPIKey: FieldName = "X-API-Key"
  package static let xForwardedFor: FieldName = "X-Forwarded-For"
  package static let xRequestID: FieldName = "X-Request-Id"
}
