import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("LinkField")
struct LinkFieldTests {
  @Test(
    "finds the next page however the field is written",
    arguments: [
      #"</a?page=2>; rel="next""#,
      #"</a?page=2>;rel=next"#,
      #"</a?page=2> ; REL = "NEXT" ; title="x""#,
      #"</a?page=1>; rel="prev", </a?page=2>; rel="next""#,
      #"</a?page=1>; rel=prev,</a?page=2>; rel=next,</z>; rel=last"#,
      #"</a?page=2>; rel="last next""#,
      #"<  /a?page=2  >; rel="next""#,
      #"</p>; title="a, <b>; rel=\"next\""; rel=prev, </a?page=2>; rel=next"#,
      #"</p>; rel="prev"; rel="next", </a?page=2>; rel="next""#,
      #"</p>; anchor="/other"; rel="next", </a?page=2>; rel="next""#,
      #"garbage, </a?page=2>; rel="next""#,
      #"</open; rel="prev", </a?page=2>; rel="next""#,
      #"</p; rel=next, </a?page=2>; rel="next""#,
      #", ,</a?page=2>;; ;rel="next";,"#,
      #"</p>; rel="prev; x, </a?page=2>; rel=next"#,
      #"</a?page=2>; rel="next"; title*=UTF-8''%e7%bd%91"#,
      #"</a?page=2>; crossorigin; rel="next""#,
      #"</a?page=2>; rel="next"junk; x=1"#,
      #"</p>; rel='prev', </a?page=2>; rel="next""#,
    ])
  func findsNext(value: String) throws {
    var fields = Fields()
    fields.append(.link, value)
    let target = try #require(LinkField.target("next", in: fields))
    #expect(String(decoding: target, as: UTF8.self) == "/a?page=2")
  }

  @Test(
    "finds no next page where none is named",
    arguments: [
      "", "</a>", "</a>; rel=prev", "</a>; title=next", "/a; rel=next", "</a rel=next", "<", ">", "<>",
      ";rel=next",
      #"</a>; rel="nextpage""#, #"</a>; rel="prev"; rel="next""#, #"</a>; title="; rel=next""#,
      #"</a>; rel="""#, #"</a>; rel"#, #"</a>; anchor="https://elsewhere.example/"; rel=next"#,
    ])
  func findsNone(value: String) {
    var fields = Fields()
    fields.append(.link, value)
    #expect(LinkField.target("next", in: fields) == nil)
  }

  @Test("reads several fields as one list, the first match counts")
  func severalFields() {
    var fields = Fields()
    fields.append(.link, "</style.css>; rel=preload")
    fields.append(.link, "</2>; rel=next")
    fields.append(.link, "</3>; rel=next")
    #expect(LinkField.target("next", in: fields) == "/2".bytes)
    #expect(LinkField.target("preload", in: fields) == "/style.css".bytes)
  }

  @Test("keeps commas, semicolons and a careless > inside a target")
  func targets() {
    let links = LinkField.parse(
      #"<https://a.example/?f=x,y;z>; rel=next, </?q=a>b>; rel=prev, </plain>"#.utf8Span.span)
    #expect(
      links.map { String(decoding: $0.target, as: UTF8.self) } == [
        "https://a.example/?f=x,y;z", "/?q=a>b", "/plain",
      ])
    #expect(links.map(\.relations) == [["next"], ["prev"], []])
  }

  @Test("takes quotes and escapes off, and lowers the case of names and relations")
  func parameters() throws {
    let value = #"</a>; Rel="START http://NET.example/Foo"; Title="a \"b\" \\ c, d"; media=print ; hreflang"#
    let links = LinkField.parse(value.utf8Span.span)
    let link = try #require(links.first)
    #expect(link.relations == ["start", "http://net.example/foo"])
    #expect(link.parameter("title") == #"a "b" \ c, d"#)
    #expect(link.parameter("media") == "print")
    #expect(link.parameter("hreflang") == "")
    #expect(link.parameters.count == 3)
  }

  @Test("reads the examples of RFC 8288 section 3.5")
  func examples() {
    let first = LinkField.parse(
      #"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#.utf8Span.span)
    #expect(first.map(\.relations) == [["previous"]])
    let second = LinkField.parse(
      #"</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel"#
        .utf8Span.span)
    #expect(second.map(\.relations) == [["previous"], ["next"]])
    let third = LinkField.parse(
      #"<http://example.org/>; rel="start http://example.net/relation/other""#.utf8Span.span)
    #expect(third.map(\.relations) == [["start", "http://example.net/relation/other"]])
    let fourth = LinkField.parse(##"</terms>; rel="copyright"; anchor="#foo""##.utf8Span.span)
    #expect(fourth.map(\.isAboutThisDocument) == [false])
  }

  @Test("takes any bytes without a crash, and ends")
  func anyBytes() {
    var random = SeededRandom(seed: 5)
    let alphabet = Array(#"<>;,="\ /a*rel next"#.utf8) + [0xFF, 0x09]
    var found = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      found += LinkField.parse(bytes.span).count
    }
    #expect(found > 100)
    #expect(LinkField.parse([UInt8](repeating: UInt8(ascii: "<"), count: 100_000).span).isEmpty)
    #expect(LinkField.parse(String(repeating: "<>,", count: 1_000).utf8Span.span).count == 256)
  }
}
