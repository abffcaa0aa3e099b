internal import HTTPSemantics
internal import JSON

/// A key that tokens are checked with, as its issuer publishes it.
package struct PublicKey: Sendable, Hashable {
  package let kind: KeyKind
  /// `kid`.
  package let id: String?
  /// The only algorithm that it is for, where the issuer says so.
  package let algorithm: SignatureAlgorithm?
  /// SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) in DER.
  package let der: [UInt8]
}

extension PublicKey {
  /// Bytes of the longest key set that is looked at, and of the most keys in it.
  package static let longestSet = 262_144
  package static let mostKeys = 100

  /// Why nothing can be made of a key set.
  package enum SetFailure: String, Error, Sendable, CaseIterable {
    case tooLong = "the key set is too long"
    case malformed = "it is no JSON Web Key Set (RFC 7517)"
    case empty = "the key set holds no key that tokens can be checked with"
  }

  /// The keys of a JSON Web Key Set (RFC 7517 §5) that are of use. Keys of other kinds are passed over, as the RFC wants
  /// it; so are secrets, which nobody publishes.
  package static func keys(ofSet bytes: [UInt8]) throws(SetFailure) -> [PublicKey] {
    guard bytes.count <= longestSet else { throw .tooLong }
    let document: Document
    do throws(Failure) {
      document = try Parser(maximumDepth: 16).parse(Bytes(copying: bytes))
    } catch {
      throw .malformed
    }
    guard document.kind(of: document.root) == .object,
      let list = document.value(named: "keys", in: document.root), document.kind(of: list) == .array
    else { throw .malformed }
    let keys = document.elements(of: list).prefix(mostKeys).compactMap { PublicKey($0, of: document) }
    guard !keys.isEmpty else { throw .empty }
    return keys
  }

  /// A JSON Web Key (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2); nil for what is of no use here.
  private init?(_ node: Node, of document: Document) {
    func text(_ name: String) -> String? {
      document.value(named: name, in: node).flatMap { document.string(of: $0) }
    }
    func bytes(_ name: String) -> [UInt8]? {
      guard let text = text(name) else { return nil }
      var bytes: [UInt8] = []
      return Base64URL.decode(text.utf8Span.span, into: &bytes) ? bytes : nil
    }
    if let use = text("use"), use != "sig" { return nil }
    if let operations = document.value(named: "key_ops", in: node),
      !document.elements(of: operations).contains(where: { document.string(of: $0) == "verify" })
    {
      return nil
    }
    id = text("kid")
    switch (text("kty"), text("crv")) {
    case ("RSA", _):
      guard let modulus = bytes("n"), let exponent = bytes("e"),
        let der = Self.rsa(modulus: modulus, exponent: exponent)
      else { return nil }
      (kind, self.der) = (.rsa, der)
    case ("EC", "P-256"?):
      guard let x = bytes("x"), let y = bytes("y"), x.count == 32, y.count == 32 else { return nil }
      (kind, der) = (.p256, Self.p256Prefix + [0x04] + x + y)
    case ("OKP", "Ed25519"?):
      guard let x = bytes("x"), x.count == 32 else { return nil }
      (kind, der) = (.ed25519, Self.ed25519Prefix + x)
    default: return nil
    }
    if let name = text("alg") {
      guard let algorithm = SignatureAlgorithm(rawValue: name), algorithm.keyKind == kind else { return nil }
      self.algorithm = algorithm
    } else {
      algorithm = nil
    }
  }

  /// 2,048 to 8,192 bits (RFC 7518 §3.3 sets the lower bound; the upper keeps a check from taking milliseconds).
  private static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8]? {
    let modulus = modulus.drop { $0 == 0 }
    guard (256...1_024).contains(modulus.count), modulus.count > 256 || modulus.first ?? 0 >= 0x80,
      (1...8).contains(exponent.count), exponent.last.map({ $0 & 1 == 1 }) ?? false
    else { return nil }
    let key = DER.sequence([DER.unsigned(modulus), DER.unsigned(exponent[...])])
    return DER.sequence([rsaAlgorithm, DER.bitString(key)])
  }

  /// rsaEncryption, with NULL (RFC 3279 §2.3.1).
  private static let rsaAlgorithm: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]
  /// id-ecPublicKey on prime256v1, up to the point (RFC 5480 §2).
  static let p256Prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
    0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  /// id-Ed25519, up to the key (RFC 8410 §4).
  static let ed25519Prefix: [UInt8] = [
    0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]
}
