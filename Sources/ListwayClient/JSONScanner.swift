import Foundation

/// Finds where values begin and end in a JSON text, without looking into them: so that they can be handed on as they are.
///
/// What is not JSON gives wrong pieces or an error, never a crash; each piece is read again by whoever decodes it.
struct JSONScanner {
  struct Failure: Error {
    let offset: Int
  }

  private let bytes: [UInt8]
  private var offset = 0

  init(_ data: Data) { bytes = [UInt8](data) }

  /// The members of an object, in their order; of equal names the last.
  mutating func object() throws(Failure) -> [(name: String, value: RawJSON)] {
    var members: [(name: String, value: RawJSON)] = []
    try expect(UInt8(ascii: "{"))
    if take(UInt8(ascii: "}")) { return members }
    repeat {
      let name = try value()
      guard let text = try? name.decoded(as: String.self) else { throw Failure(offset: offset) }
      try expect(UInt8(ascii: ":"))
      members.append((text, try value()))
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return members
  }

  /// The elements of an array.
  mutating func array() throws(Failure) -> [RawJSON] {
    var elements: [RawJSON] = []
    try expect(UInt8(ascii: "["))
    if take(UInt8(ascii: "]")) { return elements }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return elements
  }

  private mutating func value() throws(Failure) -> RawJSON {
    skipSpace()
    let start = offset
    var depth = 0
    scan: while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""): try skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { break scan }
        depth -= 1
        offset += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"), 0x09, 0x0A, 0x0D, 0x20:
        if depth == 0 { break scan }
        offset += 1
      default: offset += 1
      }
    }
    guard offset > start, depth == 0 else { throw Failure(offset: offset) }
    return RawJSON(Data(bytes[start..<offset]))
  }

  private mutating func skipString() throws(Failure) {
    offset += 1
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "\"") {
        offset += 1
        return
      }
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    throw Failure(offset: offset)
  }

  private mutating func skipSpace() {
    while offset < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard offset < bytes.count, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(Failure) {
    if !take(byte) { throw Failure(offset: offset) }
  }
}
