internal import HTTPSemantics

/// What a client shows to say who it is.
package enum Credential: Sendable, Equatable {
  case none
  case key([UInt8])
  case token([UInt8])
  /// More than one, or one that is spelled as none is: which of them counts would be a guess.
  case unusable

  /// - Parameters:
  ///   - authorization: the `Authorization` field. Schemes other than `Bearer` (RFC 6750 §2.1) are not for Listway.
  ///   - apiKey: the `X-API-Key` field.
  package init(authorization: String?, apiKey: String?) {
    let bearer = authorization.flatMap { Self.bearer($0) }
    switch (bearer, apiKey) {
    case (nil, nil): self = .none
    case (.some, .some): self = .unusable
    case (nil, let key?):
      let key = Array(key.utf8)
      self = Self.isPlain(key) ? .key(key) : .unusable
    case (let text?, nil):
      guard Self.isPlain(text) else {
        self = .unusable
        return
      }
      // A key has no dot, a token two.
      self = text.contains(UInt8(ascii: ".")) ? .token(text) : .key(text)
    }
  }

  /// What follows the scheme; nil for another scheme.
  private static func bearer(_ field: String) -> [UInt8]? {
    let bytes = Array(field.utf8)
    guard bytes.prefix(6).map({ $0 | 0x20 }) == Array("bearer".utf8),
      bytes.count == 6 || isSpace(bytes[6])
    else { return nil }
    let text = bytes.dropFirst(6).drop(while: isSpace)
    return Array(text.reversed().drop(while: isSpace).reversed())
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// `b64token` of RFC 6750 §2.1, of which a token's and a key's letters are.
  private static func isPlain(_ text: [UInt8]) -> Bool { !text.isEmpty && text.allSatisfy(letters.contains) }

  private static let letters = ByteSet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=")
}
