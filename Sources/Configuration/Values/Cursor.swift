extension Configuration {
  /// How cursors are sealed.
  package struct Cursor: Sendable, Equatable {
    /// The first seals; all open. Empty: a random key is made at start, so cursors end with the process.
    package let keys: [CursorKey]
    /// The age after which a cursor is refused.
    package let expires: Duration

    package init(keys: [CursorKey], expires: Duration) {
      self.keys = keys
      self.expires = expires
    }

    package static let defaults = Cursor(keys: [], expires: .seconds(86400))
  }

  /// What a sealing key is made of. The key's id is derived from this by the sealer, never written down.
  package enum CursorKey: Sendable, Equatable {
    /// 32 bytes that are the key, written as 64 hexadecimal digits or as base64 (either alphabet).
    case key(Secret)
    /// Any other text of 16 characters or more; the key is derived from its bytes.
    case passphrase(Secret)
  }
}
