internal import COpenSSL

/// AES-256-GCM with one key in one direction, message after message in the same `EVP_CIPHER_CTX`: the key schedule is
/// worked out once, and no message allocates.
///
/// A message is `begin`, `authenticate` as often as needed, `update` as often as needed, and `finish`.
/// Every call but `make` and `verify` can fail only through misuse, so they stop the program.
@safe
final class AEADContext {
  enum Direction: Int32 {
    case open = 0
    case seal = 1
  }

  static let nonceByteCount = 12
  static let tagByteCount = 16

  private let context: OpaquePointer

  /// - Parameter key: 32 bytes.
  init(key: [UInt8], direction: Direction) throws(CryptoFailure) {
    precondition(key.count == 32, "AES-256 takes a key of 32 bytes")
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw CryptoFailure("EVP_CIPHER_CTX_new") }
    unsafe self.context = unsafe context
    guard unsafe EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nil, direction.rawValue) == 1 else {
      throw CryptoFailure("EVP_CipherInit_ex")
    }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Starts a message. When sealing, no two messages under one key may have the same nonce.
  func begin(nonce: Span<UInt8>) {
    precondition(nonce.count == AEADContext.nonceByteCount, "the nonce has 12 bytes")
    let result = unsafe nonce.withUnsafeBufferPointer { nonce in
      unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce.baseAddress, -1)
    }
    precondition(result == 1, "EVP_CipherInit_ex refused a nonce")
  }

  /// Binds the message to `bytes`, which are not part of it.
  func authenticate(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    var count: Int32 = 0
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe EVP_CipherUpdate(context, nil, &count, bytes.baseAddress, Int32(bytes.count))
    }
    precondition(result == 1, "EVP_CipherUpdate refused associated data")
  }

  /// Appends `input`, encrypted or decrypted, to `output`. What was decrypted means nothing before ``verify(tag:)``.
  func update(_ input: Span<UInt8>, into output: inout [UInt8]) {
    guard !input.isEmpty else { return }
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: input.count))
    var count: Int32 = 0
    let result = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe input.withUnsafeBufferPointer { input in
        unsafe EVP_CipherUpdate(
          context, output.baseAddress.map { unsafe $0 + start }, &count, input.baseAddress, Int32(input.count)
        )
      }
    }
    precondition(result == 1 && Int(count) == input.count, "EVP_CipherUpdate refused data")
  }

  /// Ends sealing: appends the tag.
  func finish(appendingTagTo output: inout [UInt8]) {
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: AEADContext.tagByteCount))
    let result = unsafe output.withUnsafeMutableBufferPointer { output in
      let tag = unsafe output.baseAddress.map { unsafe $0 + start }
      var count: Int32 = 0
      guard unsafe EVP_CipherFinal_ex(context, tag, &count) == 1 else { return Int32(0) }
      return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(AEADContext.tagByteCount), tag)
    }
    precondition(result == 1, "EVP_CipherFinal_ex gave no tag")
  }

  /// Ends opening.
  ///
  /// - Returns: whether the message is what was sealed: every byte of it, its nonce and what it is bound to.
  func verify(tag: Span<UInt8>) -> Bool {
    precondition(tag.count == AEADContext.tagByteCount, "the tag has 16 bytes")
    return unsafe tag.withUnsafeBufferPointer { tag in
      let bytes = unsafe UnsafeMutableRawPointer(mutating: tag.baseAddress)
      guard
        unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AEADContext.tagByteCount), bytes)
          == 1
      else { return false }
      var ending: (UInt8, UInt8) = (0, 0)  // GCM leaves nothing for the end
      var count: Int32 = 0
      let result = unsafe withUnsafeMutablePointer(to: &ending.0) {
        unsafe EVP_CipherFinal_ex(context, $0, &count)
      }
      return result == 1
    }
  }
}
