package import JSON
internal import HTTPSemantics

/// A signed token in compact form (RFC 7515 §3.1, RFC 7519), taken apart; nothing in it is to be believed before its
/// signature has been checked.
///
///     eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ . eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUiLC… . MEUCIQ…
///     header                               payload                                   signature
///     └────────────────────── signed, as it stands ──────────────────────────────┘
///
/// The header is taken for what it says of algorithm and key's id alone: keys that it names or carries (`jwk`, `jku`,
/// `x5c`, `x5u`) are not looked at.
package struct CompactToken: Sendable {
  /// Bytes of the longest token that is looked at.
  package static let longest = 8_192
  /// Bytes of the longest key's id.
  package static let longestKeyID = 256

  package let algorithm: SignatureAlgorithm
  /// `kid`.
  package let keyID: String?
  /// The bytes that are signed: the header and the payload, encoded, with the dot between them.
  package let signed: [UInt8]
  package let signature: [UInt8]
  /// Decoded.
  package let payload: [UInt8]

  /// - Parameter algorithms: those that are allowed.
  package init(
    parsing text: [UInt8], allowing algorithms: [SignatureAlgorithm], by parser: Parser
  ) throws(TokenFailure) {
    guard text.count <= Self.longest else { throw .tooLong }
    guard let first = text.firstIndex(of: UInt8(ascii: ".")),
      let second = text[(first + 1)...].firstIndex(of: UInt8(ascii: ".")),
      !text[(second + 1)...].contains(UInt8(ascii: "."))
    else { throw .malformed }
    let header = try Self.decode(text[..<first])
    payload = try Self.decode(text[(first + 1)..<second])
    signature = try Self.decode(text[(second + 1)...])
    signed = Array(text[..<second])
    (algorithm, keyID) = try Self.read(header, allowing: algorithms, by: parser)
    if let byteCount = algorithm.signatureByteCount, signature.count != byteCount { throw .signature }
  }

  /// A part, which is not empty.
  private static func decode(_ part: ArraySlice<UInt8>) throws(TokenFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    guard !part.isEmpty, Base64URL.decode(part.span, into: &bytes) else { throw .malformed }
    return bytes
  }

  private static func read(
    _ header: [UInt8], allowing algorithms: [SignatureAlgorithm], by parser: Parser
  ) throws(TokenFailure) -> (SignatureAlgorithm, String?) {
    let document = try Document.ofToken(header, by: parser)
    var algorithm: String?
    var keyID: String?
    for (key, value) in document.members(of: document.root) {
      switch key.text {
      case "alg":
        guard let text = document.string(of: value) else { throw .malformed }
        algorithm = text
      case "kid":
        guard let text = document.string(of: value), text.utf8.count <= longestKeyID else { throw .malformed }
        keyID = text
      case "typ":
        guard let text = document.string(of: value), isKindOfToken(text) else { throw .kind }
      case "cty": throw .kind
      case "crit", "b64": throw .extended
      case "enc", "zip", "epk": throw .kind
      default: continue
      }
    }
    guard let algorithm else { throw .malformed }
    guard let known = SignatureAlgorithm(rawValue: algorithm), algorithms.contains(known) else {
      throw .algorithm
    }
    return (known, keyID)
  }

  /// `JWT`, or an access token by RFC 9068 §2.1; the prefix may be spelled out, and case does not count.
  private static func isKindOfToken(_ type: String) -> Bool {
    let lower = type.lowercased()
    return ["jwt", "at+jwt", "application/jwt", "application/at+jwt"].contains(lower)
  }
}

extension Document {
  /// The JSON of a token's part: an object in which no name comes twice (RFC 7519 §4 lets a reader refuse that).
  static func ofToken(_ bytes: [UInt8], by parser: Parser) throws(TokenFailure) -> Document {
    let document: Document
    do throws(Failure) {
      document = try parser.parse(Bytes(copying: bytes))
    } catch {
      throw .malformed
    }
    // A byte order mark, or anything else around it, is not what was signed for.
    guard document.kind(of: document.root) == .object, document.range(of: document.root).lowerBound == 0
    else {
      throw .malformed
    }
    var names: Set<String> = []
    for (key, _) in document.members(of: document.root) where !names.insert(key.text).inserted {
      throw .ambiguous
    }
    return document
  }
}
