/// A 64-bit hash that is the same in every process and version: it travels inside cursors.
///
/// Not keyed: whoever can choose ids so that two collide owns the list, and harms nobody else's.
enum StableHash {
  private static let first: UInt64 = 0x2D35_8DCC_AA6C_78A5
  private static let second: UInt64 = 0x8BB8_4B93_962E_ACC9

  /// Both halves of a 128-bit product, folded: every input bit reaches every output bit.
  static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// Adds one word to a running hash.
  static func combine(_ hash: UInt64, _ word: UInt64) -> UInt64 { mix(hash ^ first, word ^ second) }

  static func of(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe of($0, seed: seed) }
  }

  static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = combine(seed, UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = combine(hash, UInt64(littleEndian: word))
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < bytes.count {
      tail = unsafe tail << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return combine(hash, tail)
  }
}
