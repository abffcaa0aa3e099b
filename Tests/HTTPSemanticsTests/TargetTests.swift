import TestSupport
import Testing

@testable import HTTPSemantics

private func parse(_ text: String) throws(Target.Failure) -> Target {
  try Target(parsing: text.utf8Span.span)
}
private func segments(_ target: Target) -> [String] {
  (0..<target.segmentCount).map { target.segment($0).text }
}
private func parameters(_ target: Target) -> [[String]] {
  (0..<target.parameterCount).map { [target.parameter($0).name.text, target.parameter($0).value.text] }
}

@Suite("Target")
struct TargetTests {
  @Test(
    "splits a path before it decodes it",
    arguments: [
      ("/", []),
      ("/v1/lists", ["v1", "lists"]),
      ("/v1/lists/", ["v1", "lists", ""]),
      ("//a", ["", "a"]),
      ("/a%2Fb/%2e%2e%2fc", ["a/b", "../c"]),
      ("/%E7%BD%91/a+b", ["网", "a+b"]),
      ("/网", ["网"]),
      ("http://example.com:8080/a?b", ["a"]),
      ("HTTPS://example.com/", []),
      ("/a?b/../c", ["a"]),
    ] as [(String, [String])])
  func path(text: String, expected: [String]) throws {
    #expect(try segments(parse(text)) == expected)
  }

  @Test(
    "gives parameters in order, repeated ones as often as they came",
    arguments: [
      ("/?", []),
      ("/?a", [["a", ""]]),
      ("/?a=", [["a", ""]]),
      ("/?=b", [["", "b"]]),
      ("/?a=1&&b=2&", [["a", "1"], ["b", "2"]]),
      ("/?a=1&a=2", [["a", "1"], ["a", "2"]]),
      ("/?q=a+b%2Bc%20d", [["q", "a b+c d"]]),
      ("/?a=b=c?d/e", [["a", "b=c?d/e"]]),
      ("/?%61%3D=%26", [["a=", "&"]]),
      ("/?q=%E7%BD%91", [["q", "网"]]),
      ("/?a;b=1", [["a;b", "1"]]),
    ] as [(String, [[String]])])
  func query(text: String, expected: [[String]]) throws {
    #expect(try parameters(parse(text)) == expected)
  }

  @Test(
    "refuses what could mean something else further on",
    arguments: [
      ("", .notAPath),
      ("*", .notAPath),
      ("a/b", .notAPath),
      ("http://example.com", .notAPath),
      ("ftp://example.com/", .notAPath),
      ("/a/../b", .dotSegment),
      ("/a/..", .dotSegment),
      ("/./a", .dotSegment),
      ("/%2e%2E/a", .dotSegment),
      ("/a%2", .malformedPath),
      ("/a%", .malformedPath),
      ("/a%zz", .malformedPath),
      ("/a%00b", .malformedPath),
      ("/%ff", .malformedPath),
      ("/%C0%AE", .malformedPath),
      ("/a#b", .malformedPath),
      ("/?q=%", .malformedParameter(name: "q")),
      ("/?a=1&limit=%4", .malformedParameter(name: "limit")),
      ("/?a=1&limit=%4&b=2", .malformedParameter(name: "limit")),
      ("/?q=%ff", .malformedParameter(name: "q")),
      ("/?q=%00", .malformedParameter(name: "q")),
      ("/?q=%ed%a0%80", .malformedParameter(name: "q")),
      ("/?%zz=1", .malformedParameter(name: "%zz")),
      ("/" + String(repeating: "a", count: Target.maximumByteCount), .tooLong),
      (String(repeating: "/a", count: Target.maximumPartCount + 1), .tooLong),
      ("/?" + String(repeating: "a&", count: Target.maximumPartCount + 1), .tooLong),
    ] as [(String, Target.Failure)])
  func refused(text: String, failure: Target.Failure) {
    #expect(throws: failure) { try parse(text) }
  }

  @Test("tells a parameter that comes once from one that does not")
  func only() throws {
    let target = try parse("/?a=1&b=2&b=3")
    #expect(target.only("a")?.text == "1")
    #expect(target.only("b") == nil)
    #expect(target.only("c") == nil)
  }

  @Test("reads back what was encoded", arguments: 0..<200)
  func roundTrip(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let alphabet = Array("aZ09-._~ /?#[]@!$&'()*+,;=%\"\\网🙂\n").map(String.init)
    func word() -> String {
      (0..<Int.random(in: 1...12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
        .joined()
    }
    let segment = "s" + word()
    let name = word()
    let value = word()
    let path = PercentEncoding.encode(segment, for: .segment)
    let inQuery = PercentEncoding.encode(name, for: .query) + "=" + PercentEncoding.encode(value, for: .query)
    let inForm = PercentEncoding.encode(name, for: .form) + "=" + PercentEncoding.encode(value, for: .form)
    let target = try parse("/\(path)?\(inQuery)&\(inForm)")
    #expect(segments(target) == [segment])
    #expect(parameters(target) == [[name, value], [name, value]])
  }

  @Test("takes any bytes without a crash")
  func anyBytes() {
    var random = SeededRandom(seed: 7)
    let alphabet = Array("/%?&=.2eE0a+#\u{0}".utf8) + [0xFF, 0xE7]
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes: [UInt8] = [UInt8(ascii: "/")]
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        bytes.append(alphabet.randomElement(using: &random) ?? 0)
      }
      if let target = try? Target(parsing: bytes.span) {
        accepted += 1
        for index in 0..<target.segmentCount { #expect(!target.segment(index).contains(0)) }
        for index in 0..<target.parameterCount { #expect(!target.parameter(index).value.contains(0)) }
      }
    }
    #expect(accepted > 100)
  }
}
