/// Which of the keys that there are a token is checked with.
package enum KeyChoice {
  /// The most keys that one token is tried with: more would let a client buy much work with one request.
  package static let mostTried = 8

  /// Keys of the algorithm's kind that have the token's id; where none has it, or the token names none, those without
  /// an id; and where the token names none, all.
  ///
  /// - Returns: indices into `keys`; empty where the key is unknown.
  package static func candidates(
    among keys: [(kind: KeyKind, id: String?, algorithm: SignatureAlgorithm?)], for token: CompactToken
  ) -> [Int] {
    let fit = keys.indices.filter { index in
      let key = keys[index]
      return key.kind == token.algorithm.keyKind && (key.algorithm ?? token.algorithm) == token.algorithm
    }
    guard let id = token.keyID else { return Array(fit.prefix(mostTried)) }
    let named = fit.filter { keys[$0].id == id }
    return Array((named.isEmpty ? fit.filter { keys[$0].id == nil } : named).prefix(mostTried))
  }
}
