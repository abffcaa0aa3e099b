internal import COpenSSL

/// Cryptographic randomness by the buffer: a `RAND_bytes` call costs about as much as sealing a cursor, so one fills
/// 1,024 bytes. For nonces, request and trace ids, jitter. One a loop.
package final class BufferedRandom: RandomNumberGenerator {
  private var buffer: [UInt64]
  private var position: Int

  package init() throws(CryptoFailure) {
    buffer = [UInt64](repeating: 0, count: 128)
    position = 0
    guard refill() else { throw CryptoFailure("RAND_bytes") }
  }

  /// - Precondition: libcrypto, which was seeded at init, goes on giving. Going on without chance is no option.
  package func next() -> UInt64 {
    if position == buffer.count {
      guard refill() else { preconditionFailure(CryptoFailure("RAND_bytes").description) }
      position = 0
    }
    defer { position += 1 }
    let word = buffer[position]
    buffer[position] = 0
    return word
  }

  private func refill() -> Bool {
    unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count)) == 1
    }
  }
}
