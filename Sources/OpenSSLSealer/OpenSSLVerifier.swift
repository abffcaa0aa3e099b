package import Access
internal import COpenSSL
package import Gateway

/// Checks signatures and digests keys with libcrypto. One a loop.
package final class OpenSSLVerifier: CredentialVerifier {
  package init() {}

  package func digest(of bytes: [UInt8]) -> Digest { Digest(Self.sha256(bytes)) }

  /// 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let isDone = unsafe SHA256(bytes, bytes.count, &digest) != nil
    precondition(isDone, "SHA-256 needs nothing that could be missing")
    return digest
  }

  package func key(_ material: KeyMaterial) -> (any SignatureKey)? {
    switch material {
    case .secret(let secret): HMACKey(secret)
    case .published(let key): AsymmetricKey(key)
    }
  }
}

/// HMAC with SHA-256 (RFC 7518 §3.2).
private final class HMACKey: SignatureKey {
  let kind = KeyKind.secret
  private let secret: [UInt8]

  /// - Returns: nil for fewer than 32 bytes: a key is to be as long as the digest.
  init?(_ secret: [UInt8]) {
    guard secret.count >= 32 else { return nil }
    self.secret = secret
  }

  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 32
    guard signature.count == 32,
      unsafe HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &count) != nil,
      count == 32
    else { return false }
    // In a time that does not tell how much of it is right.
    return unsafe CRYPTO_memcmp(code, signature, 32) == 0
  }
}

/// A public key: RSA, P-256 or Ed25519.
@safe
private final class AsymmetricKey: SignatureKey {
  let kind: KeyKind
  private let key: OpaquePointer

  /// - Returns: nil where libcrypto reads no key of this kind out of it, or something behind it.
  init?(_ published: PublicKey) {
    let der = published.der
    var restByteCount = 0
    let read = unsafe der.withUnsafeBufferPointer { der in
      var position = der.baseAddress
      let key = unsafe d2i_PUBKEY(nil, &position, der.count)
      if let start = der.baseAddress, let position = unsafe position {
        restByteCount = unsafe der.count - (position - start)
      }
      return unsafe key
    }
    guard let key = unsafe read else {
      ERR_clear_error()
      return nil
    }
    kind = published.kind
    unsafe self.key = key
    let identifier = unsafe EVP_PKEY_get_base_id(key)
    if restByteCount != 0 { return nil }
    let isFit =
      switch published.kind {
      case .secret: false
      case .rsa: unsafe identifier == EVP_PKEY_RSA && (2_048...8_192).contains(EVP_PKEY_get_bits(key))
      case .p256: unsafe identifier == EVP_PKEY_EC && EVP_PKEY_get_bits(key) == 256
      case .ed25519: identifier == EVP_PKEY_ED25519
      }
    if !isFit { return nil }
  }

  deinit { unsafe EVP_PKEY_free(key) }

  func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let signature = kind == .p256 ? ECDSASignature.sequence(of: signature) : signature,
      let context = unsafe EVP_MD_CTX_new()
    else { return false }
    defer { unsafe EVP_MD_CTX_free(context) }
    // Ed25519 has its digest within.
    let digest = unsafe kind == .ed25519 ? nil : EVP_sha256()
    let isFit =
      unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    if !isFit { ERR_clear_error() }
    return isFit
  }
}
