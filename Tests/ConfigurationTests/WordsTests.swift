import Testing

@testable import Configuration

@Suite("Words and units")
struct WordsTests {
  private static let words = [
    "url", "timeout", "bodyLimit", "headers", "pageCount", "page", "is_not", "connections",
  ]

  @Test(
    "the nearest word is the one that was meant",
    arguments: [
      ("ur", "url"), ("time_out", "timeout"), ("tiemout", "timeout"), ("Timeout", "timeout"),
      ("bodylimit", "bodyLimit"),
      ("page_count", "pageCount"), ("pagecont", "pageCount"), ("pag", "page"), ("isnot", "is_not"),
      ("conections", "connections"), ("header", "headers"),
    ])
  func nearest(_ text: String, _ word: String) { #expect(Nearest.word(to: text, of: Self.words) == word) }

  @Test("what is not near is not guessed", arguments: ["", "x", "store", "reachability", "_", "zzzzzz"])
  func far(_ text: String) { #expect(Nearest.word(to: text, of: Self.words) == nil) }

  @Test(
    "durations",
    arguments: [
      ("0s", Duration.zero), ("500ms", .milliseconds(500)), ("30s", .seconds(30)), ("10m", .seconds(600)),
      ("24h", .seconds(86400)), ("7d", .seconds(604_800)),
    ])
  func durations(_ text: String, _ value: Duration) {
    guard case .value(let found) = Units.duration(text) else {
      Issue.record("\(text) is malformed")
      return
    }
    #expect(found == value)
  }

  @Test(
    "what is no duration has the one that was meant",
    arguments: [
      ("1.5s", nil), ("-1s", nil), ("", nil), ("s", nil), ("01s", nil), ("1 s", "1s"), ("5 minutes", "5m"),
      ("3S", "3s"),
      ("99999999999999999999s", nil), ("1000000000001d", "1000000000001d"), ("7w", nil),
    ] as [(String, String?)])
  func malformed(_ text: String, _ meant: String?) {
    guard case .malformed(let found) = Units.duration(text) else {
      Issue.record("\(text) is a duration")
      return
    }
    #expect(found == meant)
  }

  @Test(
    "sizes",
    arguments: [
      ("0B", 0), ("64kB", 64000), ("8MB", 8_000_000), ("1GB", 1_000_000_000), ("8KiB", 8192),
      ("1MiB", 1_048_576),
      ("2GiB", 2_147_483_648),
    ])
  func sizes(_ text: String, _ value: Int) {
    guard case .value(let found) = Units.size(text) else {
      Issue.record("\(text) is malformed")
      return
    }
    #expect(found == value)
    #expect(Units.text(bytes: value) == text)
  }

  @Test("units are written as short as can be")
  func written() {
    #expect(Units.text(.milliseconds(1500)) == "1500ms")
    #expect(Units.text(.seconds(90)) == "90s")
    #expect(Units.text(.seconds(60)) == "1m")
    #expect(Units.text(.seconds(86400)) == "1d")
    #expect(Units.text(.zero) == "0s")
    #expect(Units.text(bytes: 65536) == "64KiB")
    #expect(Units.text(bytes: 999) == "999B")
  }

  @Test("text that is shown is on one line, quoted and shortened")
  func quoted() {
    #expect("\(Quoted("a\"b\\\n\t\u{1B}[0m\u{202E}é"))" == #""a\"b\\\n\t\u{1b}[0m\u{202e}é""#)
    #expect("\(Quoted(String(repeating: "x", count: 80)))".count == 63)
  }

  @Test(
    "placeholders",
    arguments: [
      ("a{b}c", [Placeholders.Part.text("a"), .placeholder("b"), .text("c")]),
      ("{a}{b}", [.placeholder("a"), .placeholder("b")]),
      ("{{a}}", [.text("{a}")]),
      ("{{{a}}}", [.text("{"), .text("{a}"), .text("}")]),
      ("{ a }", [.text("{ a }")]),
      ("{a", [.text("{a")]),
      ("}{", [.text("}{")]),
      ("{}", [.text("{}")]),
      ("q { user(id: 1) { id } }", [.text("q { user(id: 1) { id } }")]),
      ("{{a}", [.text("{"), .placeholder("a")]),
    ] as [(String, [Placeholders.Part])])
  func placeholders(_ text: String, _ parts: [Placeholders.Part]) {
    #expect(Self.joined(Placeholders.parts(of: text)) == Self.joined(parts))
  }

  private static func joined(_ parts: [Placeholders.Part]) -> [Placeholders.Part] {
    parts.reduce(into: []) { result, part in
      if case .text(let text) = part, case .text(let before)? = result.last {
        result[result.count - 1] = .text(before + text)
      } else {
        result.append(part)
      }
    }
  }
}
