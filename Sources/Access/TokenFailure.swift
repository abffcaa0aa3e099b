/// Why a token is refused. What a client is told of it names no key and nothing that the token holds.
package enum TokenFailure: String, Error, Sendable, Hashable, CaseIterable {
  /// Longer than ``CompactToken/longest``.
  case tooLong = "the token is too long"
  /// Not three parts of base64url, or a part that is not what it should be.
  case malformed = "the token is malformed"
  /// A name twice in the header or among the claims: two readers would read two tokens.
  case ambiguous = "the token has a name twice"
  /// Signed by an algorithm that is not allowed, or not at all.
  case algorithm = "the token's algorithm is not allowed"
  /// The header asks for an extension to be understood (`crit`, RFC 7515 §4.1.11).
  case extended = "the token needs an extension"
  /// A token within a token, or a token for something else (RFC 7519 §5.1, §5.2; RFC 8725 §3.11).
  case kind = "the token is of another kind"
  /// No key that could have signed it.
  case unknownKey = "the token's key is unknown"
  case signature = "the token's signature does not fit"
  case issuer = "the token's issuer is another"
  case audience = "the token is for another audience"
  case lasting = "the token never expires"
  case expired = "the token has expired"
  case early = "the token is not valid yet"

  /// One word for figures and logs.
  package var word: String { "\(self)" }
}
