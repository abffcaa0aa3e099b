import Access
import JSON

/// Tells which tokens count. One a loop.
///
/// A signature takes up to 100 µs to check, so what was found is kept for as long as the keys stay: by the token's digest,
/// which nobody can aim at another's.
final class TokenJudge {
  private let rules: TokenRules
  private let verifier: any CredentialVerifier
  private let parser = Parser(maximumDepth: Claims.maximumDepth)
  private var facts: [(kind: KeyKind, id: String?, algorithm: SignatureAlgorithm?)] = []
  private var keys: [any SignatureKey] = []
  /// Tokens seen lately, and before that: when the first holds enough it becomes the second.
  private var recent: [Digest: Claims] = [:]
  private var earlier: [Digest: Claims] = [:]
  /// Of each of both.
  private static let mostKept = 512

  init(rules: TokenRules, verifier: any CredentialVerifier) {
    self.rules = rules
    self.verifier = verifier
  }

  /// Takes these keys in place of those before; what they vouched for counts no more.
  ///
  /// - Returns: how many of them are of use.
  @discardableResult
  func trust(_ published: [PublicKey]) -> Int {
    forget()
    for key in published {
      guard let made = verifier.key(.published(key)) else { continue }
      facts.append((key.kind, key.id, key.algorithm))
      keys.append(made)
    }
    return keys.count
  }

  func trust(_ secret: [UInt8]) {
    forget()
    guard let made = verifier.key(.secret(secret)) else { return }
    facts.append((.secret, nil, nil))
    keys.append(made)
  }

  private func forget() {
    facts = []
    keys = []
    recent = [:]
    earlier = [:]
  }

  /// - Parameter now: Unix seconds.
  func judge(_ text: [UInt8], now: Int64) throws(TokenFailure) -> Claims {
    guard text.count <= CompactToken.longest else { throw .tooLong }
    let digest = verifier.digest(of: text)
    let claims: Claims
    if let known = recent[digest] ?? earlier[digest] {
      claims = known
    } else {
      claims = try read(text)
    }
    try claims.check(at: now, leeway: rules.leeway)
    keep(claims, digest)
    return claims
  }

  private func read(_ text: [UInt8]) throws(TokenFailure) -> Claims {
    let token = try CompactToken(parsing: text, allowing: rules.algorithms, by: parser)
    let candidates = KeyChoice.candidates(among: facts, for: token)
    if candidates.isEmpty { throw .unknownKey }
    let isSigned = candidates.contains { index in
      // By the key's kind once more: it is what the key is used for.
      keys[index].kind == token.algorithm.keyKind
        && keys[index].isSignature(token.signature, of: token.signed)
    }
    guard isSigned else { throw .signature }
    return try Claims(token.payload, by: rules, parser: parser)
  }

  private func keep(_ claims: Claims, _ digest: Digest) {
    if recent[digest] != nil { return }
    if recent.count >= Self.mostKept {
      earlier = recent
      recent = [:]
    }
    recent[digest] = claims
  }
}
