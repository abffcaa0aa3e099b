internal import COpenSSL

/// The keys that cursors are sealed with: the first seals, all open, so that a new key is put in front of the old one
/// and the old one is taken away when its last cursor has expired.
package struct SealingKeys: Sendable {
  package enum Failure: Error, Sendable {
    /// No secret was given.
    case none
    /// The secret at this index is shorter than ``minimumSecretByteCount``.
    case secretTooShort(index: Int)
    case crypto(CryptoFailure)
  }

  /// A key and the two bytes that find it again. Both come out of the secret, so every replica agrees on them.
  struct Key: Sendable {
    let id: (UInt8, UInt8)
    /// 32 bytes.
    let bytes: [UInt8]
  }

  package static let minimumSecretByteCount = 16

  let keys: [Key]
  /// Whether the keys live and die with this process: its cursors do too.
  package let areRandom: Bool

  /// Keys out of configured secrets, the sealing one first. A secret is taken as it is, whatever its spelling: 32 random
  /// bytes in hexadecimal are as good as in base64. It is a key, not a pass phrase: nothing slows down guessing.
  package init(secrets: [[UInt8]]) throws(Failure) {
    guard !secrets.isEmpty else { throw .none }
    var keys: [Key] = []
    for (index, secret) in secrets.enumerated() {
      guard secret.count >= SealingKeys.minimumSecretByteCount else { throw .secretTooShort(index: index) }
      keys.append(try SealingKeys.derive(from: secret))
    }
    self.keys = keys
    areRandom = false
  }

  private init(random key: Key) {
    keys = [key]
    areRandom = true
  }

  /// One key that nobody else has: for a start without a configured secret.
  package static func random() throws(Failure) -> SealingKeys {
    var secret: [UInt8] = []
    do throws(CryptoFailure) {
      var random = try BufferedRandom()
      for _ in 0..<32 { secret.append(.random(in: .min ... .max, using: &random)) }
    } catch {
      throw .crypto(error)
    }
    return SealingKeys(random: try derive(from: secret))
  }

  private static func derive(from secret: [UInt8]) throws(Failure) -> Key {
    do throws(CryptoFailure) {
      let id = try HKDF.sha256(secret: secret, label: "listway cursor key id v1", count: 2)
      return Key(
        id: (id[0], id[1]), bytes: try HKDF.sha256(secret: secret, label: "listway cursor key v1", count: 32))
    } catch {
      throw .crypto(error)
    }
  }
}
