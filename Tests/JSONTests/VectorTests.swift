import JSON
import Testing

@Suite("JSON vectors")
struct VectorTests {
  @Test("passes, and the root is all but the white space around it", arguments: Vector.pass)
  func pass(vector: Vector) throws {
    let document = try parsed(vector.bytes)
    let isAround: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    var expected = vector.bytes[...]
    if expected.starts(with: [0xEF, 0xBB, 0xBF]) { expected = expected.dropFirst(3) }
    expected = expected.drop(while: isAround)
    while let last = expected.last, isAround(last) { expected.removeLast() }
    #expect(document.range(of: document.root) == expected.startIndex..<expected.endIndex)
  }

  @Test("fails by the name of the file", arguments: Vector.fail)
  func fail(vector: Vector) throws {
    let failure = try #require(throws: Failure.self) { try parsed(vector.bytes) }
    #expect(failure.kind.rawValue == vector.name.prefix { $0 != "." })
    #expect((0...vector.bytes.count).contains(failure.offset))
  }

  @Test("fails wherever a passing object or array is cut off", arguments: Vector.pass)
  func truncated(vector: Vector) throws {
    let document = try parsed(vector.bytes)
    guard [.object, .array].contains(document.kind(of: document.root)) else { return }
    let parser = Parser(maximumDepth: 128)
    let whole = Bytes(copying: vector.bytes)
    for end in 0..<document.range(of: document.root).upperBound {
      for body in [whole, Bytes(copying: Array(vector.bytes[..<end]))] {
        do throws(Failure) {
          _ = try parser.parse(body, in: 0..<end)
          Issue.record("\(end) bytes of \(vector.name) pass")
        } catch {
          let isAtTheEnd = error.kind == .truncated && error.offset == end
          if error.kind != .empty, !isAtTheEnd { Issue.record("\(end) bytes of \(vector.name): \(error)") }
        }
      }
    }
  }

  @Test("has vectors of both kinds, and of each failure but of too long a body")
  func present() {
    #expect(Vector.pass.count >= 47)
    #expect(Vector.fail.count >= 154)
    let kinds = Set(Vector.fail.map { $0.name.prefix { $0 != "." } })
    #expect(
      kinds == Set(Failure.Kind.allCases.filter { $0 != .tooLarge }.map { $0.rawValue.prefix { $0 != "." } }))
  }
}
