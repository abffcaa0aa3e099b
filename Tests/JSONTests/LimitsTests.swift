import JSON
import Testing

@Suite("Limits")
struct LimitsTests {
  @Test(
    "allows as many open brackets as it says, of either kind, empty ones too",
    arguments: [1, 2, 7, 128, 1_000])
  func depth(limit: Int) throws {
    let parser = Parser(maximumDepth: limit)
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}"), ("[ ", " ]")] {
      for (inner, depth) in [("1", limit), ("{}", limit - 1), ("[]", limit - 1)] {
        let nested = { (depth: Int) in
          Bytes(String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth))
        }
        #expect(throws: Never.self) { try parser.parse(nested(depth)) }
        let failure = try #require(throws: Failure.self) { try parser.parse(nested(depth + 1)) }
        #expect(failure.kind == .tooDeep)
      }
    }
  }

  @Test("refuses ten thousand open brackets with little memory, and goes on")
  func deep() throws {
    let parser = Parser(maximumDepth: 128)
    for _ in 0..<3 {
      let failure = try #require(throws: Failure.self) {
        try parser.parse(Bytes(copying: Array(repeating: UInt8(ascii: "["), count: 10_000)))
      }
      #expect(failure.offset == 128)
      #expect(try parser.parse(Bytes("[1]")).count(of: Node.root) == 1)
    }
  }

  @Test("slices a body of 20 MB")
  func large() throws {
    var bytes = Array("{\"list\":[".utf8)
    var ranges: [Range<Int>] = []
    let filler = String(repeating: "wörter ", count: 20)
    while bytes.count < 20_000_000 {
      if !ranges.isEmpty { bytes.append(UInt8(ascii: ",")) }
      let start = bytes.count
      bytes += Array("{\"id\":\(ranges.count),\"text\":\"\(filler)\",\"tags\":[1,[2],{}]}".utf8)
      ranges.append(start..<bytes.count)
    }
    bytes += Array("]}".utf8)
    let document = try Parser(maximumDepth: 128).parse(Bytes(copying: bytes))
    let list = try #require(document.value(named: "list", in: document.root))
    #expect(document.elements(of: list).map(document.range(of:)) == ranges)
    #expect(document.count(of: list) == ranges.count)
  }

  @Test("keeps a string of 64 kB, wherever it lies", arguments: [0, 1, 31, 63, 64])
  func longString(offset: Int) throws {
    let text = String(repeating: "é\\n\"".replacing("\"", with: "\\\""), count: 13_000)
    let document = try parsed("[" + String(repeating: " ", count: offset) + "\"\(text)\"]")
    let string = try #require(document.element(at: 0, in: document.root))
    #expect(document.source(of: string) == "\"\(text)\"")
    #expect(document.string(of: string) == String(repeating: "é\n\"", count: 13_000))
  }

  @Test("gives the same answer whatever was parsed before")
  func reuse() throws {
    let parser = Parser(maximumDepth: 128)
    let small = Bytes("{\"a\":[1,2,3]}")
    let large = Bytes("[" + String(repeating: "[1,2],", count: 400_000) + "0]")
    let first = try parser.parse(small)
    for body in [large, Bytes("[1,"), Bytes("\"\(String(repeating: "x", count: 3_000_000))"), large] {
      _ = try? parser.parse(body)
      let again = try parser.parse(small)
      #expect(again.source(of: again.root) == "{\"a\":[1,2,3]}")
    }
    // A document does not need its parser any more.
    #expect(first.value(named: "a", in: first.root).map(first.count(of:)) == 3)
  }
}

extension Node {
  /// Every document's root is the same node.
  fileprivate static var root: Node {
    get throws { try parsed("0").root }
  }
}
