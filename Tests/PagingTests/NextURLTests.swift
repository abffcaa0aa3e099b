import Testing

@testable import Paging

@Suite struct NextURLTests {
  static let hosts = TrustedHosts(own: "api.example.com", aliases: ["old.example.com"])
  static let base = "/v2/items?page=1&key=k"

  static func next(_ text: String) throws(PageFault) -> String {
    String(
      decoding: try NextTarget.resolve(Array(text.utf8), base: Array(base.utf8), hosts: hosts), as: UTF8.self)
  }

  @Test(
    "only path and query of a next URL are used, resolved as RFC 3986 has it",
    arguments: [
      ("https://api.example.com/v2/items?page=2", "/v2/items?page=2"),
      ("http://API.example.com:8080/v2/items?page=2", "/v2/items?page=2"),
      ("https://old.example.com/v2/items?page=2#top", "/v2/items?page=2"),
      ("http://backend:3000/v2/items?page=2", "/v2/items?page=2"),
      ("http://10.0.0.7/v2/items?page=2", "/v2/items?page=2"),
      ("http://list.default.svc/x", "/x"),
      ("//api.example.com/x", "/x"),
      ("/other?page=2", "/other?page=2"), ("?page=2", "/v2/items?page=2"), ("more?page=2", "/v2/more?page=2"),
      ("../v3/items", "/v3/items"), ("?c=a%2Bb%3D&d=e+f/g==", "/v2/items?c=a%2Bb%3D&d=e+f/g=="),
      ("?q=a b\u{e4}", "/v2/items?q=a%20b%C3%A4"),
    ])
  func resolved(text: String, target: String) throws {
    #expect(try Self.next(text) == target)
  }

  @Test(
    "a next URL that leads elsewhere is a fault",
    arguments: [
      "https://evil.example/v2/items?page=2", "file:///etc/passwd", "ftp://api.example.com/x",
      "javascript:alert(1)",
      "https://user:pass@api.example.com/x", "//evil.example/x", "http://93.184.216.34/x", "https:/x",
      "/a\nb",
      "/" + String(repeating: "x", count: 9_000),
    ])
  func refused(text: String) {
    #expect(throws: PageFault.self) { try Self.next(text) }
  }

  @Test("a URL may come in the body, as an object with href, or in a Link field")
  func places() throws {
    let style = Style.nextURL(NextURL(size: nil, hosts: Self.hosts))
    let says = NormaliserTests.says(next: "/next")
    for next in [#""/x?page=2""#, #"{"href":"/x?page=2"}"#] {
      let page = try NormaliserTests.page(#"{"list":[],"next":\#(next)}"#, says: says, style: style)
      #expect(page.said.next == .target(Array("/x?page=2".utf8)))
    }
    let selected = try NormaliserTests.page(
      #"{"list":[],"link":[{"relation":"self","url":"/a"},{"relation":"next","url":"/b"}]}"#,
      says: NormaliserTests.says(next: "/link[relation=next]/url"), style: style)
    #expect(selected.said.next == .target(Array("/b".utf8)))
    let linked = try NormaliserTests.page(
      "[]", at: [""], style: .link(LinkRelation(relation: "next", size: nil, hosts: Self.hosts)),
      fields: [("Link", #"</a>; rel="prev", <https://api.example.com/b?x=1,2>; REL=Next"#)])
    #expect(linked.said.next == .target(Array("/b?x=1,2".utf8)))
  }
}
