internal import COpenSSL

/// Derives keys from a secret: HKDF with SHA-256, without salt (RFC 5869).
enum HKDF {
  /// - Parameters:
  ///   - secret: the input keying material, of full entropy, not empty.
  ///   - label: the `info` that keeps keys for different uses apart.
  ///   - count: 1 to 8,160 bytes.
  static func sha256(secret: [UInt8], label: String, count: Int) throws(CryptoFailure) -> [UInt8] {
    guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else {
      throw CryptoFailure("EVP_PKEY_CTX_new_id")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    let label = Array(label.utf8)
    guard unsafe EVP_PKEY_derive_init(context) == 1,
      unsafe EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1,
      unsafe EVP_PKEY_CTX_set1_hkdf_key(context, secret, Int32(secret.count)) == 1,
      unsafe label.isEmpty || EVP_PKEY_CTX_add1_hkdf_info(context, label, Int32(label.count)) == 1
    else { throw CryptoFailure("EVP_PKEY_derive_init") }
    var output = [UInt8](repeating: 0, count: count)
    var written = count
    guard unsafe EVP_PKEY_derive(context, &output, &written) == 1, written == count else {
      throw CryptoFailure("EVP_PKEY_derive")
    }
    return output
  }
}
