import HTTPSemantics

/// What a next URL is worth: its path and query, at the upstream's own origin.
enum NextTarget {
  /// - Parameters:
  ///   - text: an absolute URL, or a reference relative to the page it stands on.
  ///   - base: the path and query that page was asked for by.
  /// - Throws: ``PageFault/fault(_:)`` for one that leads elsewhere: another host, another scheme, with credentials.
  static func resolve(_ text: [UInt8], base: [UInt8], hosts: TrustedHosts) throws(PageFault) -> [UInt8] {
    guard text.count <= Place.maximumByteCount else {
      throw .fault("the next URL is \(text.count) bytes long, more than \(Place.maximumByteCount)")
    }
    guard let reference = URIReference(parsing: text.span), let page = URIReference(parsing: base.span) else {
      throw .fault("the next URL has control characters")
    }
    if let scheme = reference.scheme {
      let name = String(decoding: scheme, as: UTF8.self).lowercased()
      guard name == "http" || name == "https" else { throw .fault("the next URL has the scheme \(name)") }
      guard reference.authority != nil else { throw .fault("the next URL has a scheme, but no host") }
    }
    if reference.userinfo != nil { throw .fault("the next URL holds credentials") }
    if let host = reference.host {
      let name = String(decoding: host, as: UTF8.self).lowercased()
      guard hosts.contains(name) else { throw .fault("the next URL leads to another host") }
    }
    let target = reference.resolved(against: page).requestTarget
    guard target.count <= Place.maximumByteCount else {
      throw .fault("the next URL is \(target.count) bytes long, more than \(Place.maximumByteCount)")
    }
    return target
  }
}

extension TrustedHosts {
  /// Whether a next URL may name `host` (in lower case). Only its path and query are used in any case; a name that is the
  /// upstream's by no account means that the URL is not about this list.
  func contains(_ host: String) -> Bool {
    host == own || aliases.contains(host) || Self.isInner(host)
  }

  /// Names and addresses that mean something only within a network, as servers behind a proxy call themselves.
  static func isInner(_ host: String) -> Bool {
    if host.first == "[" { return host == "[::1]" || host.hasPrefix("[fc") || host.hasPrefix("[fd") }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    if labels.count == 4, let first = UInt8(labels[0]), let second = UInt8(labels[1]),
      UInt8(labels[2]) != nil,
      UInt8(labels[3]) != nil
    {
      // RFC 1918, RFC 6598 and loopback.
      return first == 10 || first == 127 || first == 172 && 16..<32 ~= second || first == 192 && second == 168
        || first == 100 && 64..<128 ~= second
    }
    guard let last = labels.last, labels.count > 1 else { return !host.isEmpty }
    return ["localhost", "internal", "local", "lan", "svc", "home", "corp", "intranet"].contains(last)
  }
}
