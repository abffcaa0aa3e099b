extension URIReference {
  /// `user:password` before the `@`; a next URL that has it is not followed.
  package var userinfo: ArraySlice<UInt8>? {
    guard let authority, let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    return authority[..<at]
  }

  /// The host as it stands, an IPv6 address in its brackets.
  package var host: ArraySlice<UInt8>? {
    guard let hostAndPort else { return nil }
    return hostAndPort[..<(Self.portColon(in: hostAndPort) ?? hostAndPort.endIndex)]
  }

  /// The port that is written, 0 to 65,535; nil when none is, or when it is no such number.
  package var port: Int? {
    guard let hostAndPort, let colon = Self.portColon(in: hostAndPort) else { return nil }
    let digits = hostAndPort[(colon + 1)...]
    let port = digits.span.decimal(in: 0..<digits.count)
    return port.flatMap { $0 <= 65_535 ? $0 : nil }
  }

  /// Whether scheme, host and port are those of `other`, default ports and letter case aside (RFC 6454 §4).
  package func hasOrigin(of other: URIReference) -> Bool {
    guard let scheme, let otherScheme = other.scheme, let host, let otherHost = other.host else {
      return false
    }
    return Self.lowercased(scheme) == Self.lowercased(otherScheme)
      && Self.lowercased(host) == Self.lowercased(otherHost)
      && (port ?? defaultPort) == (other.port ?? other.defaultPort)
  }

  /// 80 for http, 443 for https, else nil.
  package var defaultPort: Int? {
    guard let scheme else { return nil }
    let name = scheme.span
    if name.matches("http", in: 0..<name.count) { return 80 }
    return name.matches("https", in: 0..<name.count) ? 443 : nil
  }

  /// Path and query as a request target: `/` for an empty path; bytes that may not stand in a URI (spaces, quotes, what is
  /// not ASCII) are escaped, and escapes that are there stay as they are, so nothing is ever encoded twice.
  package var requestTarget: [UInt8] {
    var target: [UInt8] = []
    if path.first != UInt8(ascii: "/") { target.append(UInt8(ascii: "/")) }
    Self.appendEscapingIllegal(path, to: &target)
    if let query {
      target.append(UInt8(ascii: "?"))
      Self.appendEscapingIllegal(query, to: &target)
    }
    return target
  }

  private var hostAndPort: ArraySlice<UInt8>? {
    guard let authority else { return nil }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return authority }
    return authority[(at + 1)...]
  }

  /// The colon before the port: the last one, unless it is inside an IPv6 address's brackets.
  private static func portColon(in authority: ArraySlice<UInt8>) -> Int? {
    guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    if let bracket = authority.lastIndex(of: UInt8(ascii: "]")), bracket > colon { return nil }
    return colon
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map(\.lowercased) }

  private static let legal = ByteSet.unreserved.union(ByteSet(":/?#[]@!$&'()*+,;=%"))

  private static func appendEscapingIllegal(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
    for byte in bytes {
      if legal.contains(byte) { output.append(byte) } else { PercentEncoding.appendEscape(byte, to: &output) }
    }
  }
}
