internal import COpenSSL

/// Something that libcrypto refused: no memory, or a build without the algorithm. Never a peer's fault.
package struct CryptoFailure: Error, Sendable, CustomStringConvertible {
  /// The call that failed.
  package let call: String
  /// The first entry of libcrypto's error queue, or 0.
  package let code: UInt

  /// Empties this thread's error queue.
  init(_ call: String) {
    self.call = call
    code = UInt(ERR_get_error())
    ERR_clear_error()
  }

  package var description: String { "libcrypto: \(call) failed, error 0x\(String(code, radix: 16))" }
}
