/// The two forms of a signature on P-256: `r` and `s` side by side, 32 bytes each, as a token has it (RFC 7518 §3.4), and
/// the sequence of two integers that libraries take (RFC 3279 §2.2.3).
package enum ECDSASignature {
  /// - Parameter signature: 64 bytes.
  /// - Returns: nil for any other length, and where `r` or `s` is zero, which no signature is.
  package static func sequence(of signature: [UInt8]) -> [UInt8]? {
    guard signature.count == 64 else { return nil }
    let (r, s) = (signature[0..<32], signature[32...])
    guard r.contains(where: { $0 != 0 }), s.contains(where: { $0 != 0 }) else { return nil }
    return DER.sequence([DER.unsigned(r), DER.unsigned(s)])
  }
}
