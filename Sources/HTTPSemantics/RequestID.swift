/// The name of one request in logs and answers: `X-Request-Id`.
package enum RequestID {
  /// Whether a client's own id may be taken over: 1 to 128 letters, digits, dots, hyphens and underscores. Anything else
  /// could break a log line or smuggle text into one.
  package static func isSane(_ id: Span<UInt8>) -> Bool {
    guard (1...128).contains(id.count) else { return false }
    for index in 0..<id.count where !allowed.contains(id[index]) { return false }
    return true
  }

  /// A new id: 15 letters of base 32 (Crockford's, in lower case), 75 random bits. Fifteen bytes are what a `String`
  /// keeps without allocating.
  package static func make(_ randomBits: (UInt64, UInt64)) -> String {
    unsafe String(unsafeUninitializedCapacity: 15) { buffer in
      for position in 0..<15 {
        let word = position < 12 ? randomBits.0 : randomBits.1
        let digit = Int(truncatingIfNeeded: word >> UInt64(position % 12 * 5)) & 31
        unsafe buffer[position] = alphabet.utf8Start[digit]
      }
      return 15
    }
  }

  private static let allowed = ByteSet.alphanumeric.union(ByteSet("._-"))
  private static let alphabet: StaticString = "0123456789abcdefghjkmnpqrstvwxyz"
}
