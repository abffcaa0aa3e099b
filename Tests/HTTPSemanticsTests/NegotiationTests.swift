import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("Content negotiation")
struct NegotiationTests {
  @Test(
    "chooses a language by weight, and finds zh for its regions and scripts",
    arguments: [
      ("", "en"), ("zh", "zh"), ("zh-CN", "zh"), ("ZH-Hans-CN", "zh"), ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
      ("en-GB,en;q=0.9,zh;q=0.8", "en"), ("fr, zh;q=0.2", "zh"), ("fr", "en"), ("*", "en"),
      ("en;q=0, *", "zh"),
      ("zh;q=0.5, *;q=0.7", "en"), ("zh;q=0", "en"), ("en;q=0", "zh"), ("zha", "en"), ("z", "en"),
      ("zh;q=abc, en;q=0.1", "en"),
      ("en, zh", "en"), ("zh, en", "zh"), ("zh-", "zh"), (",,;q=1,zh", "zh"),
    ])
  func languages(field: String, expected: String) {
    let tags: [StaticString] = ["en", "zh"]
    #expect(tags[AcceptLanguage.choose(field.utf8Span.span, among: tags)].description == expected)
  }

  @Test("finds a longer tag for a shorter range")
  func prefix() {
    #expect(AcceptLanguage.choose("zh".utf8Span.span, among: ["en", "zh-hant"]) == 1)
    #expect(AcceptLanguage.choose("zh-Hant-TW".utf8Span.span, among: ["en", "zh-hant"]) == 1)
  }

  @Test(
    "answers with problem details to who names them and likes them no less",
    arguments: [
      ("application/problem+json", true), ("Application/Problem+JSON", true),
      ("application/problem+json, */*", true),
      ("application/problem+json, application/json", true),
      ("application/json, application/problem+json", false),
      ("application/json;q=0.5, application/problem+json;q=0.9", true),
      ("application/problem+json;q=0.1, application/json", false),
      ("*/*", false), ("", false), ("application/*", false), ("application/problem+json;q=0", false),
      ("text/html, application/problem+json", true),
      ("application/problem+json;charset=utf-8;q=0.7, */*;q=0.1", true),
    ])
  func problems(field: String, expected: Bool) {
    #expect(Accept.prefersProblemJSON(field.utf8Span.span) == expected)
  }

  @Test(
    "weighs a media type by the most specific range",
    arguments: [
      ("text/*;q=0.3, text/html;q=0.7, */*;q=0.5", 700), ("text/*;q=0.3, */*;q=0.5", 300), ("*/*;q=0.5", 500),
      ("", 1_000), ("image/png", 0), ("text/html;q=1.001", 0), ("text/html; q=0.1234", 0),
      ("text/html;level=1", 1_000),
    ])
  func weights(field: String, weight: Int) {
    #expect(Accept.weight(of: "text/html", family: "text/*", in: field.utf8Span.span) == weight)
  }

  @Test(
    "chooses a coding the client takes, its own favourite among equals",
    arguments: [
      ("", ContentCoding.identity), ("gzip", .gzip), ("gzip, br", .br), ("gzip;q=1, br;q=0.9", .gzip),
      ("*", .br),
      ("br;q=0, *", .gzip), ("identity", .identity), ("identity, gzip;q=0.5", .identity),
      ("gzip;q=0", .identity),
      ("x-gzip", .gzip), ("zstd", .identity), ("GZIP;Q=0.8", .gzip), ("identity;q=0", .identity),
      ("identity;q=0, *;q=0.1", .br),
    ])
  func codings(field: String, expected: ContentCoding) {
    #expect(AcceptEncoding.choose(field.utf8Span.span, among: [.br, .gzip]) == expected)
  }

  @Test(
    "what a client does not take, and whether it takes a content as it is",
    arguments: [
      ("", true, false), ("gzip", true, true), ("identity", true, false), ("identity;q=0", false, false),
      ("*;q=0", false, false), ("*", true, true), ("gzip, *;q=0", false, true), ("gzip;q=0, *", true, false),
      ("identity;q=0.001, *;q=0", true, false), ("IDENTITY;Q=0.000, gzip", false, true),
      ("identity;q=1.5", false, false), ("x-gzip;q=0.1, identity;q=0", false, true),
    ])
  func acceptance(field: String, identity: Bool, gzip: Bool) {
    #expect(AcceptEncoding.allowsIdentity(field.utf8Span.span) == identity)
    #expect(AcceptEncoding.accepts(.gzip, in: field.utf8Span.span) == gzip)
  }

  @Test("takes any bytes without a crash")
  func anyBytes() {
    var random = SeededRandom(seed: 8)
    let alphabet = Array(#"zh-CN;q=0.5,*"\ /"#.utf8) + [0xFF]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      #expect((0...1).contains(AcceptLanguage.choose(bytes.span, among: ["en", "zh"])))
      #expect(AcceptEncoding.choose(bytes.span, among: [.gzip]) != .br)
      #expect(Accept.prefersProblemJSON(bytes.span) == false)
    }
  }
}
