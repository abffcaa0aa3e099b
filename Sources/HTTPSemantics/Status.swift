/// A response's status code (RFC 9110 §15).
package struct Status: Sendable, Hashable {
  /// 100 to 599 in a well-formed response; whatever a peer sent otherwise.
  package let code: UInt16

  package init(_ code: UInt16) { self.code = code }

  package enum Class: Sendable, Hashable {
    case informational, successful, redirection, clientError, serverError, unknown
  }

  package var `class`: Class {
    switch code {
    case 100..<200: .informational
    case 200..<300: .successful
    case 300..<400: .redirection
    case 400..<500: .clientError
    case 500..<600: .serverError
    default: .unknown
    }
  }

  package var isSuccessful: Bool { `class` == .successful }

  /// Whether the response never has content (RFC 9110 §6.4.1), whatever its fields claim.
  package var hasNoContent: Bool { `class` == .informational || code == 204 || code == 304 }

  package static let ok = Status(200)
  package static let noContent = Status(204)
  package static let notModified = Status(304)
  package static let badRequest = Status(400)
  package static let unauthorized = Status(401)
  package static let forbidden = Status(403)
  package static let notFound = Status(404)
  package static let methodNotAllowed = Status(405)
  package static let requestTimeout = Status(408)
  package static let conflict = Status(409)
  package static let gone = Status(410)
  package static let contentTooLarge = Status(413)
  package static let uriTooLong = Status(414)
  package static let rangeNotSatisfiable = Status(416)
  package static let unprocessableContent = Status(422)
  package static let tooManyRequests = Status(429)
  package static let requestHeaderFieldsTooLarge = Status(431)
  package static let internalServerError = Status(500)
  package static let badGateway = Status(502)
  package static let serviceUnavailable = Status(503)
  package static let gatewayTimeout = Status(504)

  /// The registered reason phrase, or "Unknown".
  package var reason: StaticString {
    switch code {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 103: "Early Hints"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 203: "Non-Authoritative Information"
    case 204: "No Content"
    case 205: "Reset Content"
    case 206: "Partial Content"
    case 300: "Multiple Choices"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 402: "Payment Required"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 425: "Too Early"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 451: "Unavailable For Legal Reasons"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 511: "Network Authentication Required"
    default: "Unknown"
    }
  }
}
