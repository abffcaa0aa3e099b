/// Where an upstream is: scheme, host, port, and the path that every request path is appended to.
///
/// No user information, query or fragment. `https://pay.example.com/api` is `.https`, `pay.example.com`, 443, `/api`.
///
/// - SeeAlso: RFC 3986 §3
package struct BaseURL: Sendable, Hashable {
  package enum Scheme: String, Sendable, CaseIterable { case http, https }

  package let scheme: Scheme
  /// Lower-case name or IPv4 address, or an IPv6 address in brackets, as it stands in a URL and in `Host`.
  package let host: String
  /// 1 to 65,535; the scheme's own (80, 443) where the URL names none.
  package let port: UInt16
  /// Percent-encoded, without a slash at its end: empty, or beginning with a slash.
  package let path: String

  package init(scheme: Scheme, host: String, port: UInt16, path: String) {
    self.scheme = scheme
    self.host = host
    self.port = port
    self.path = path
  }

  /// Scheme, host, and the port where it is not the scheme's own: `https://pay.example.com`.
  package var origin: String {
    let isUsual = port == (scheme == .https ? 443 : 80)
    return isUsual ? "\(scheme.rawValue)://\(host)" : "\(scheme.rawValue)://\(host):\(port)"
  }
}
