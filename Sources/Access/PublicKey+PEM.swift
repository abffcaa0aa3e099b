internal import HTTPSemantics

extension PublicKey {
  /// Why nothing can be made of a PEM file.
  package enum PEMFailure: String, Error, Sendable, CaseIterable {
    case noKey = "it holds no block \"PUBLIC KEY\" (openssl x509 -pubkey -noout gives that of a certificate)"
    case malformed = "a block of it is not base64"
    case unknown = "a key of it is neither RSA, nor P-256, nor Ed25519"
    case isPrivate = "it holds a private key, which has no business here"
  }

  /// The keys of the blocks `PUBLIC KEY` of a PEM file (RFC 7468 §13). They have no id: a token that names one is checked
  /// with them all the same.
  package static func keys(ofPEM text: [UInt8]) throws(PEMFailure) -> [PublicKey] {
    var keys: [PublicKey] = []
    var block: [UInt8]?
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      if line.starts(with: "-----BEGIN ".utf8) {
        let label = line.dropFirst(11)
        if label.starts(with: "PUBLIC KEY-----".utf8) { block = [] }
        if Self.isPrivate(label) { throw .isPrivate }
      } else if line.starts(with: "-----END ".utf8) {
        if let letters = block { keys.append(try key(letters)) }
        block = nil
      } else if block != nil {
        block?.append(contentsOf: line.filter { $0 != 0x20 && $0 != 0x09 })
      }
    }
    guard !keys.isEmpty else { throw .noKey }
    return keys
  }

  private static func isPrivate(_ label: ArraySlice<UInt8>) -> Bool {
    ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].contains {
      label.starts(with: $0.utf8)
    }
  }

  private static func key(_ letters: [UInt8]) throws(PEMFailure) -> PublicKey {
    let padding = letters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard letters.count % 4 == 0, padding <= 2 else { throw .malformed }
    let alphabet = letters.dropLast(padding).map { letter in
      letter == UInt8(ascii: "+")
        ? UInt8(ascii: "-") : letter == UInt8(ascii: "/") ? UInt8(ascii: "_") : letter
    }
    var der: [UInt8] = []
    guard Base64URL.decode(alphabet.span, into: &der) else { throw .malformed }
    guard let kind = Self.kind(ofDER: der) else { throw .unknown }
    return PublicKey(kind: kind, id: nil, algorithm: nil, der: der)
  }

  /// What kind of key it claims to be, by its algorithm; whether it is one, the library finds out.
  private static func kind(ofDER der: [UInt8]) -> KeyKind? {
    let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
    // The algorithm follows the two opening tags, whose lengths may take up to three bytes more.
    let head = der.prefix(32)
    func has(_ mark: [UInt8]) -> Bool {
      head.indices.contains { head[$0...].starts(with: mark) }
    }
    if has(rsa) { return .rsa }
    if head.starts(with: p256Prefix) { return .p256 }
    if head.starts(with: ed25519Prefix) { return .ed25519 }
    return nil
  }
}
