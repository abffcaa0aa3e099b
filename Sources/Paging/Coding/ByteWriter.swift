/// Writes the compact binary form of positions and plans: numbers as LEB128, texts with their length before them.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A number of either sign, small ones short: 0, -1, 1, -2 are 0, 1, 2, 3.
  mutating func write(signed number: Int) {
    write(UInt64(bitPattern: Int64(number) << 1 ^ Int64(number) >> 63))
  }

  mutating func write(_ text: [UInt8]) {
    write(UInt64(text.count))
    bytes.append(contentsOf: text)
  }

  mutating func write(_ text: String) {
    write(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Nil is 0, a number one more than itself.
  mutating func write(optional number: Int?) { write(number.map { UInt64($0) + 1 } ?? 0) }

  /// The low 48 bits, which is what a fingerprint keeps.
  mutating func write(fingerprint: UInt64) {
    for shift in stride(from: 0, to: 48, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: fingerprint >> UInt64(shift)))
    }
  }
}
