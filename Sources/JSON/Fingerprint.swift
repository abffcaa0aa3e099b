/// A 64-bit hash of `bytes`, the same in every process, on every machine and in every version: cursors hold it.
///
/// Words of eight bytes are mixed in by the folded 64 by 64 bit multiplication of wyhash. Not made to withstand somebody
/// who looks for collisions.
func fingerprint(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  var hash = folded(seed ^ 0x9E37_79B9_7F4A_7C15, UInt64(bytes.count) ^ 0xE703_7ED1_A0B4_28DB)
  var position = 0
  while position + 8 <= bytes.count {
    let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    hash = folded(hash ^ word, 0x8EBC_6AF0_9C88_C6E3)
    position += 8
  }
  var rest: UInt64 = 0
  while position < bytes.count {
    rest = unsafe rest << 8 | UInt64(bytes[position])
    position += 1
  }
  return folded(hash ^ rest, 0x5899_65CC_7537_4CC3)
}

/// The two halves of the product, folded into one; a zero factor, which would swallow the other, is left out.
private func folded(_ a: UInt64, _ b: UInt64) -> UInt64 {
  let (high, low) = a.multipliedFullWidth(by: b)
  return high ^ low ^ a
}
