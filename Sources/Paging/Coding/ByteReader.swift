/// Reads what ``ByteWriter`` wrote. Every number has one spelling, so that no two byte strings mean the same.
struct ByteReader {
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index == bytes.count }

  mutating func byte() throws(Malformed) -> UInt8 {
    guard index < bytes.count else { throw Malformed() }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func number() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1, byte != 0 || shift == 0 else { throw Malformed() }
      value |= part << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
      guard shift < 64 else { throw Malformed() }
    }
  }

  /// A number of 0 to `limit`.
  mutating func number(upTo limit: Int) throws(Malformed) -> Int {
    let value = try number()
    guard value <= UInt64(limit) else { throw Malformed() }
    return Int(value)
  }

  /// A number of -`limit` to `limit`.
  mutating func signed(within limit: Int) throws(Malformed) -> Int {
    let value = try number()
    let number = Int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
    guard number.magnitude <= limit.magnitude else { throw Malformed() }
    return number
  }

  mutating func optional(upTo limit: Int) throws(Malformed) -> Int? {
    let value = try number(upTo: limit + 1)
    return value == 0 ? nil : value - 1
  }

  mutating func text(upTo limit: Int) throws(Malformed) -> [UInt8] {
    let count = try number(upTo: limit)
    guard count <= bytes.count - index else { throw Malformed() }
    defer { index += count }
    return Array(bytes[index..<index + count])
  }

  mutating func fingerprint() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 48, by: 8) { value |= UInt64(try byte()) << UInt64(shift) }
    return value
  }
}
