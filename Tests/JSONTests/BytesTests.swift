import JSON
import TestSupport
import Testing

@Suite("Bytes")
struct BytesTests {
  @Test("holds what was appended, in pieces of any size, with zeros behind it", arguments: 0..<40)
  func pieces(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var builder = BytesBuilder(
      ceiling: 1 << 20, reserving: [0, 1, 100, 70_000].randomElement(using: &random)!)
    var expected: [UInt8] = []
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      let piece = (0..<Int.random(in: 0...3_000, using: &random)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      #expect(piece.withUnsafeBytes { builder.append($0) })
      expected += piece
      #expect(builder.count == expected.count)
    }
    let bytes = builder.finish()
    #expect(bytes.count == expected.count)
    #expect(bytes[0..<bytes.count] == expected)
    bytes.withUnsafeBytes { buffer in
      #expect(buffer.count == expected.count)
      let padding = UnsafeRawBufferPointer(start: buffer.baseAddress! + buffer.count, count: Bytes.padding)
      #expect(padding.allSatisfy { $0 == 0 })
    }
  }

  @Test("takes a piece whole or not at all, up to the ceiling")
  func ceiling() {
    var builder = BytesBuilder(ceiling: 10, reserving: 1_000_000)
    let append = { (builder: inout BytesBuilder, text: String) in
      Array(text.utf8).withUnsafeBytes { builder.append($0) }
    }
    #expect(append(&builder, "1234567"))
    #expect(!append(&builder, "abcd"))
    #expect(builder.count == 7)
    #expect(append(&builder, "89a"))
    #expect(append(&builder, ""))
    #expect(!append(&builder, "b"))
    let bytes = builder.finish()
    #expect(bytes[0..<10] == Array("123456789a".utf8))
  }

  @Test("copies, and gives parts")
  func copies() {
    let source = Array("some bytes".utf8)
    let copies = [Bytes(copying: source), source.withUnsafeBytes { Bytes(copying: $0) }]
    for bytes in copies {
      #expect(bytes[5..<10] == Array("bytes".utf8))
      #expect(bytes[3..<3] == [])
    }
    #expect(Bytes(copying: []).count == 0)
    #expect(Bytes(copying: UnsafeRawBufferPointer(start: nil, count: 0)).count == 0)
  }

  @Test("lends the same address each time")
  func address() {
    let bytes = Bytes("fixed")
    let first = bytes.withUnsafeBytes { $0.baseAddress }
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == first)
  }
}
