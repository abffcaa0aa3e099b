package import HTTPSemantics

/// Whose word on a client's address is taken.
///
/// A field such as `X-Forwarded-For` grows at its end: each proxy appends who it was asked by. So it is read from its end,
/// as long as the one who appended is trusted; what stands before the first that is not, anybody can have written.
package struct Proxies: Sendable, Equatable {
  package enum Field: String, Sendable, CaseIterable {
    case forwardedFor = "X-Forwarded-For"
    /// RFC 7239.
    case forwarded = "Forwarded"

    package var name: FieldName {
      switch self {
      case .forwardedFor: .xForwardedFor
      case .forwarded: .forwarded
      }
    }
  }

  package let trusted: [IPNetwork]
  /// Whether whoever comes by a Unix socket is.
  package let trustsUnix: Bool
  /// The only one that is read: the other may be the client's own, passed on by a proxy that does not know it.
  package let field: Field

  /// Proxies in a row at most.
  private static let longest = 32

  package init(trusted: [IPNetwork], trustsUnix: Bool, field: Field) {
    self.trusted = trusted
    self.trustsUnix = trustsUnix
    self.field = field
  }

  package static let none = Proxies(trusted: [], trustsUnix: false, field: .forwardedFor)

  package var areThere: Bool { !trusted.isEmpty || trustsUnix }

  /// The client's address: of the connection, or, where that is a trusted proxy's, as far back as proxies are trusted.
  ///
  /// - Parameters:
  ///   - peer: the connection's other end; nil for a Unix socket.
  ///   - value: what ``field`` says, all of its lines.
  /// - Returns: nil where nothing better is known than a Unix socket.
  package func client(peer: IPAddress?, said value: String?) -> IPAddress? {
    var client = peer
    guard let value, areThere else { return client }
    let hops = elements(of: value)
    for hop in hops.reversed().prefix(Self.longest) {
      guard isTrusted(client) else { return client }
      // `unknown`, a name, or nonsense: nobody knows better than the one who said so.
      guard let address = address(hop) else { return client }
      client = address
    }
    return client
  }

  private func isTrusted(_ address: IPAddress?) -> Bool {
    guard let address else { return trustsUnix }
    return trusted.contains { $0.contains(address) }
  }

  /// Split at every comma, quoted or not: a quotation mark that a client leaves open must not swallow what a proxy appends.
  private func elements(of value: String) -> [[UInt8]] {
    value.utf8.split(separator: UInt8(ascii: ",")).map { element in
      let start = element.drop { $0 == 0x20 || $0 == 0x09 }
      return Array(start.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
    }
  }

  /// The address of one hop, its port left out.
  private func address(_ hop: [UInt8]) -> IPAddress? {
    switch field {
    case .forwardedFor: Self.node(hop[...])
    case .forwarded: Self.forNode(hop)
    }
  }

  /// `for` of `for=192.0.2.60;proto=http;by=203.0.113.43`.
  private static func forNode(_ element: [UInt8]) -> IPAddress? {
    for part in element.split(separator: UInt8(ascii: ";")) {
      let pair = part.drop { $0 == 0x20 || $0 == 0x09 }
      guard pair.count > 4, pair.prefix(4).map({ $0 | 0x20 }) == Array("for=".utf8) else { continue }
      var node = pair.dropFirst(4)
      while node.last == 0x20 || node.last == 0x09 { node = node.dropLast() }
      if node.first == UInt8(ascii: "\""), node.last == UInt8(ascii: "\""), node.count >= 2 {
        node = node.dropFirst().dropLast()
      }
      return Self.node(node)
    }
    return nil
  }

  /// `192.0.2.60`, `192.0.2.60:4711`, `2001:db8::1` or `[2001:db8::1]:4711`.
  private static func node(_ text: ArraySlice<UInt8>) -> IPAddress? {
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      let rest = text[(end + 1)...]
      guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { return nil }
      return IPAddress(text[(text.startIndex + 1)..<end])
    }
    if text.count(where: { $0 == UInt8(ascii: ":") }) == 1 {
      return IPAddress(text.prefix { $0 != UInt8(ascii: ":") })
    }
    return IPAddress(text)
  }
}
