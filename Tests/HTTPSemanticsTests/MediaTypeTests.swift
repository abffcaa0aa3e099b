import Testing

@testable import HTTPSemantics

@Suite struct MediaTypeTests {
  @Test(
    "the type is told without its parameters, in lower case",
    arguments: [
      ("application/json", "application/json"), (" Text/Plain ; charset=utf-8", "text/plain"), ("", ""),
      ("application/problem+json;", "application/problem+json"),
    ])
  func essence(value: String, essence: String) {
    #expect(MediaType.essence(of: Array(value.utf8).span) == essence)
  }

  @Test(
    "the character set is told without quotes, wherever it stands",
    arguments: [
      ("application/json; charset=GBK", "GBK"), (#"text/html;charset="shift_jis""#, "shift_jis"),
      ("a/b; q=1 ;\tCharSet = utf-8 ; x=y", "utf-8"), ("a/b; x=\";charset=no\"; charset=yes", "yes"),
      ("application/json", nil), ("application/json;", nil), ("a/b; charset=", nil), ("a/b; charset", nil),
      (#"a/b; charset="""#, nil), ("a/b; xcharset=gbk", nil), ("charset=gbk", nil),
      ("a/b; charset=\"gbk", "\"gbk"),
    ] as [(String, String?)])
  func charset(value: String, charset: String?) {
    let bytes = Array(value.utf8)
    let found = MediaType.charset(in: bytes.span).map { String(decoding: bytes[$0], as: UTF8.self) }
    #expect(found == charset)
  }
}
