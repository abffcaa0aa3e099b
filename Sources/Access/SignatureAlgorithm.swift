/// How a token is signed (RFC 7518 §3.1, RFC 8037 §3.1). There is no `none`: a token without a signature says nothing.
package enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
  /// HMAC with SHA-256.
  case hs256 = "HS256"
  /// RSASSA-PKCS1-v1_5 with SHA-256.
  case rs256 = "RS256"
  /// ECDSA on P-256 with SHA-256.
  case es256 = "ES256"
  /// On Ed25519.
  case eddsa = "EdDSA"

  /// The only kind of key that it is checked with. A public key can never be taken for an HMAC's secret.
  package var keyKind: KeyKind {
    switch self {
    case .hs256: .secret
    case .rs256: .rsa
    case .es256: .p256
    case .eddsa: .ed25519
    }
  }

  /// Bytes of a signature; nil where that depends on the key.
  package var signatureByteCount: Int? {
    switch self {
    case .hs256: 32
    case .rs256: nil
    case .es256, .eddsa: 64
    }
  }
}

package enum KeyKind: String, Sendable, Hashable, CaseIterable { case secret, rsa, p256, ed25519 }
