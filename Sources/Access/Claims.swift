package import JSON

/// What a token says, its signature having been checked.
package final class Claims: Sendable {
  /// The deepest nesting that is looked into.
  package static let maximumDepth = 16

  private let document: Document
  /// Seconds since 1970: `exp`.
  package let expires: Double
  /// `nbf`.
  private let notBefore: Double?
  /// Who it stands for: `sub`, or, where a program stands for itself, `client_id` or `azp`.
  package let subject: String?
  /// `scope` (RFC 8693 §4.2), or `scp`, which others write.
  package let scopes: Set<String>

  /// - Parameter payload: of a token whose signature fits.
  package init(
    _ payload: [UInt8], by rules: TokenRules, parser: Parser
  ) throws(TokenFailure) {
    let document = try Document.ofToken(payload, by: parser)
    self.document = document
    guard let issuer = document.value(named: "iss", in: document.root),
      document.string(of: issuer) == rules.issuer
    else { throw .issuer }
    guard let audience = document.value(named: "aud", in: document.root),
      document.strings(of: audience, separatedBySpaces: false).contains(where: rules.audiences.contains)
    else { throw .audience }
    guard let expires = document.value(named: "exp", in: document.root) else { throw .lasting }
    guard let expires = document.date(of: expires) else { throw .malformed }
    self.expires = expires
    notBefore = try document.value(named: "nbf", in: document.root).map { node throws(TokenFailure) in
      guard let date = document.date(of: node) else { throw .malformed }
      return date
    }
    let named = ["sub", "client_id", "azp"].lazy.compactMap { name in
      document.value(named: name, in: document.root).flatMap { document.string(of: $0) }
    }
    subject = named.first { !$0.isEmpty && $0.utf8.count <= 256 }
    scopes = Set(
      ["scope", "scp"].flatMap { name in
        document.value(named: name, in: document.root).map {
          document.strings(of: $0, separatedBySpaces: true)
        } ?? []
      })
  }

  /// Whether it counts at `now`, in seconds since 1970 (RFC 7519 §4.1.4, §4.1.5).
  package func check(at now: Int64, leeway: Int64) throws(TokenFailure) {
    if Double(now - leeway) >= expires { throw .expired }
    if let notBefore, Double(now + leeway) < notBefore { throw .early }
  }

  /// The UTF-8 of what `claim` leads to, a scalar; nil for anything else.
  package func value(at claim: Pointer) -> [UInt8]? {
    guard let node = document.node(at: claim) else { return nil }
    var text: [UInt8] = []
    return document.appendText(of: node, to: &text) ? text : nil
  }

  /// Whether what `claim` leads to is one of `allowed`, or a list that holds one of them.
  package func holds(_ allowed: [String], at claim: Pointer) -> Bool {
    guard let node = document.node(at: claim) else { return false }
    if document.kind(of: node) == .array {
      return document.elements(of: node).contains { element in
        document.text(of: element).map(allowed.contains) ?? false
      }
    }
    return document.text(of: node).map(allowed.contains) ?? false
  }
}

/// What every token must say.
package struct TokenRules: Sendable, Equatable {
  /// `iss`.
  package let issuer: String
  /// `aud` must name one of them.
  package let audiences: [String]
  package let algorithms: [SignatureAlgorithm]
  /// Seconds by which the issuer's clock may differ.
  package let leeway: Int64

  package init(issuer: String, audiences: [String], algorithms: [SignatureAlgorithm], leeway: Int64) {
    self.issuer = issuer
    self.audiences = audiences
    self.algorithms = algorithms
    self.leeway = leeway
  }
}

extension Document {
  /// A date of RFC 7519 §2 (NumericDate): seconds since 1970, with a fraction maybe.
  fileprivate func date(of node: Node) -> Double? {
    guard let text = numberText(of: node), let value = Double(text), abs(value) < 1e12 else { return nil }
    return value
  }

  /// A string, or those of a list; others in it do not count.
  fileprivate func strings(of node: Node, separatedBySpaces: Bool) -> [String] {
    if kind(of: node) == .array { return elements(of: node).compactMap { string(of: $0) } }
    guard let text = string(of: node) else { return [] }
    return separatedBySpaces ? text.split(separator: " ").map(String.init) : [text]
  }
}
