import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("URIReference")
struct URIReferenceTests {
  private func uri(_ text: String) throws -> URIReference { try #require(URIReference(parsing: text)) }

  @Test(
    "resolves the examples of RFC 3986 section 5.4",
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
      (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
      ("/../g", "http://a/g"),
      ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
      ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
      ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
  func resolution(reference: String, expected: String) throws {
    #expect(try uri(reference).resolved(against: uri("http://a/b/c/d;p?q")).text == expected)
  }

  @Test(
    "resolves against a base without a path, and keeps escapes as they are",
    arguments: [
      ("http://a", "g", "http://a/g"),
      ("http://a?x=1", "?y=%2F%2f+", "http://a?y=%2F%2f+"),
      ("https://a:8443/v1/items?page=1", "//b/v2?page=2", "https://b/v2?page=2"),
      ("https://a/v1/items", "items?next=a%20b", "https://a/v1/items?next=a%20b"),
    ])
  func otherBases(base: String, reference: String, expected: String) throws {
    #expect(try uri(reference).resolved(against: uri(base)).text == expected)
  }

  @Test("takes an absolute reference apart")
  func parts() throws {
    let reference = try uri("HTTPS://user:pw@[2001:db8::1]:8443/a%2Fb;c?d=e?f#g#h")
    #expect(reference.scheme?.text == "HTTPS")
    #expect(reference.userinfo?.text == "user:pw")
    #expect(reference.host?.text == "[2001:db8::1]")
    #expect(reference.port == 8443)
    #expect(reference.path.text == "/a%2Fb;c")
    #expect(reference.query?.text == "d=e?f")
    #expect(reference.fragment?.text == "g#h")
  }

  @Test(
    "reads host and port out of any authority",
    arguments: [
      ("http://a", "a", nil), ("http://a:", "a", nil), ("http://a:80", "a", 80),
      ("http://[::1]", "[::1]", nil),
      ("http://[::1]:9", "[::1]", 9), ("http://a:x", "a", nil), ("http://a:99999", "a", nil),
      ("http://u@a:1/", "a", 1),
      ("http://a@b@c", "c", nil), ("http:///p", "", nil),
    ] as [(String, String, Int?)])
  func authority(text: String, host: String, port: Int?) throws {
    let reference = try uri(text)
    #expect(reference.host?.text == host)
    #expect(reference.port == port)
  }

  @Test(
    "tells whether two URIs share an origin",
    arguments: [
      ("http://a/x", "http://A:80/y", true), ("https://a", "HTTPS://a:443", true),
      ("http://a", "https://a", false),
      ("http://a", "http://b", false), ("http://a:8080", "http://a", false), ("http://u@a", "http://a", true),
      ("/x", "http://a", false), ("file:///x", "file:///y", true),
    ])
  func origins(one: String, other: String, isSame: Bool) throws {
    #expect(try uri(one).hasOrigin(of: uri(other)) == isSame)
  }

  @Test(
    "makes a request target that is never encoded twice",
    arguments: [
      ("http://a", "/"), ("http://a?b", "/?b"), ("/a?b=%20%zz", "/a?b=%20%zz"),
      ("/a b?c=\"网\"", "/a%20b?c=%22%E7%BD%91%22"),
      ("/a?b={c}|d\\e^f`", "/a?b=%7Bc%7D%7Cd%5Ce%5Ef%60"), ("/a?x[]=1#f", "/a?x[]=1"),
    ])
  func requestTargets(text: String, expected: String) throws {
    #expect(try String(decoding: uri(text).requestTarget, as: UTF8.self) == expected)
  }

  @Test("drops white space around a reference, and refuses control characters in it")
  func whiteSpace() throws {
    #expect(try uri(" \n/a\t").text == "/a")
    #expect(URIReference(parsing: "/a\r\nHost: b") == nil)
    #expect(URIReference(parsing: "/a\u{7F}") == nil)
    #expect(URIReference(parsing: "/" + String(repeating: "a", count: 65_536)) == nil)
  }

  @Test("takes any bytes without a crash; what it resolves has no dot segments left")
  func anyBytes() throws {
    var random = SeededRandom(seed: 6)
    let alphabet = Array("/.:?#@a%[]".utf8) + [0xFF]
    let base = try uri("http://host/x/y?z")
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      guard let reference = URIReference(parsing: bytes.span) else { continue }
      let resolved = reference.resolved(against: base)
      #expect(resolved.scheme != nil)
      #expect(resolved.requestTarget.first == UInt8(ascii: "/"))
      if reference.scheme == nil {
        let segments = resolved.path.text.split(separator: "/", omittingEmptySubsequences: false)
        #expect(!segments.contains(".") && !segments.contains(".."))
      }
    }
  }
}
