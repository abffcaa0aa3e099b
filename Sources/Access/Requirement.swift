package import JSON

/// Who a client is, as far as it has shown.
package enum Principal: Sendable {
  case anonymous
  case key(name: String)
  case token(Claims)
  /// The program itself, which may all.
  case itself

  /// The name that limits, slots and the log know it by; nil where its address is all that is known.
  package var name: String? {
    switch self {
    case .anonymous, .itself: nil
    case .key(let name): "key:\(name)"
    case .token(let claims): claims.subject.map { "token:\($0)" }
    }
  }
}

/// Who may ask for something.
package struct Requirement: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Anybody.
    case none
    /// Who has an API key.
    case key
    /// Who has a token.
    case token
    /// Who has either.
    case any
  }

  /// What a claim of the token must hold.
  package struct Rule: Sendable, Equatable {
    package let claim: Pointer
    package let allowed: [String]

    package init(claim: Pointer, allowed: [String]) {
      self.claim = claim
      self.allowed = allowed
    }
  }

  package enum Verdict: Sendable, Equatable {
    case allow
    /// Nothing was shown, or not what is wanted.
    case unauthorized
    /// What was shown counts, and is not enough. The scopes are those that are wanted.
    case forbidden(scopes: [String])
  }

  package let kind: Kind
  /// The names of the keys that will do; empty for all.
  package let keys: [String]
  /// All of them; of tokens.
  package let scopes: [String]
  package let rules: [Rule]

  package init(_ kind: Kind, keys: [String], scopes: [String], rules: [Rule]) {
    self.kind = kind
    self.keys = keys
    self.scopes = scopes
    self.rules = rules
  }

  package static let nobodyInParticular = Requirement(.none, keys: [], scopes: [], rules: [])

  package func judge(_ principal: Principal) -> Verdict {
    if kind == .none { return .allow }
    switch principal {
    case .itself: return .allow
    case .anonymous: return .unauthorized
    case .key(let name):
      if kind == .token { return .unauthorized }
      return keys.isEmpty || keys.contains(name) ? .allow : .forbidden(scopes: [])
    case .token(let claims):
      if kind == .key { return .unauthorized }
      let isEnough =
        scopes.allSatisfy(claims.scopes.contains)
        && rules.allSatisfy { claims.holds($0.allowed, at: $0.claim) }
      return isEnough ? .allow : .forbidden(scopes: scopes)
    }
  }
}
