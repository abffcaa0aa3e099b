import HTTPSemantics
import OpenSSLSealer

/// `listway key`: a fresh API key, and what declares it.
enum MakeKey {
  static func run(name: String) -> Int32 {
    do {
      let (key, digest) = try make()
      Terminal.print(
        """
        Give this to the client, by a way that nobody else reads. It is shown only now:

          \(key)

        Declare it in the configuration, which holds its digest only:

          access:
            keys:
              - {name: \(name), sha256: \(digest)}

        The client sends it as   Authorization: Bearer KEY   or   X-API-Key: KEY
        """)
      return ExitStatus.done
    } catch {
      Terminal.error("listway: \(error)")
      return ExitStatus.failed
    }
  }

  /// A key of 32 random bytes, and its SHA-256 digest in hexadecimal digits.
  static func make() throws(CryptoFailure) -> (key: String, digest: String) {
    let random = try BufferedRandom()
    var bytes: [UInt8] = []
    for _ in 0..<4 { unsafe withUnsafeBytes(of: random.next()) { unsafe bytes.append(contentsOf: $0) } }
    // The prefix tells whoever finds a key where it belongs; scanners of published code look for such.
    var key = Array("listway_".utf8)
    Base64URL.encode(bytes.span, into: &key)
    let digest = OpenSSLVerifier.sha256(key).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    return (String(decoding: key, as: UTF8.self), digest.joined())
  }
}
