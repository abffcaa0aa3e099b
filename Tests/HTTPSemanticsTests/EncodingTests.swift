import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("PercentEncoding")
struct PercentEncodingTests {
  @Test(
    "encodes what each place would misread",
    arguments: [
      (PercentEncoding.Place.query, "a b&c=d+e/网~", "a%20b%26c%3Dd%2Be%2F%E7%BD%91~"),
      (.form, "a b&c=d+e/~*", "a+b%26c%3Dd%2Be%2F%7E*"),
      (.segment, "a b/c;d=e@f:g", "a%20b%2Fc%3Bd%3De@f:g"),
    ])
  func encode(place: PercentEncoding.Place, text: String, expected: String) {
    #expect(PercentEncoding.encode(text, for: place) == expected)
  }
}

@Suite("Base64URL")
struct Base64URLTests {
  @Test(
    "writes the vectors of RFC 4648 section 10, without padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) {
    #expect(written { Base64URL.encode(plain.utf8Span.span, into: &$0) } == encoded)
    var decoded: [UInt8] = []
    let isRead = Base64URL.decode(encoded.utf8Span.span, into: &decoded)
    #expect(isRead)
    #expect(decoded == plain.bytes)
  }

  @Test("uses the URL-safe letters")
  func alphabet() {
    let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
    #expect(written { Base64URL.encode(bytes.span, into: &$0) } == "-_-_")
  }

  @Test(
    "refuses all but the one right spelling",
    arguments: ["A", "Zg==", "Zh", "Zm9=", "Z m8", "Zm9v\n", "+/+/", "Zm9", "AAAAA", "é"])
  func strict(text: String) {
    var decoded: [UInt8] = []
    let isRead = Base64URL.decode(text.utf8Span.span, into: &decoded)
    #expect(!isRead)
  }

  @Test("reads back any bytes, at the length it announces")
  func roundTrip() {
    var random = SeededRandom(seed: 1)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      var encoded: [UInt8] = []
      Base64URL.encode(bytes.span, into: &encoded)
      #expect(encoded.count == Base64URL.encodedCount(count))
      var decoded: [UInt8] = []
      let isRead = Base64URL.decode(encoded.span, into: &decoded)
      #expect(isRead)
      #expect(decoded == bytes)
    }
  }
}
