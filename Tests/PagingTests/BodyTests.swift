import HTTPSemantics
import JSON
import Testing

@testable import Paging

/// Bodies that are not simply one JSON document.
@Suite struct BodyTests {
  private static func page(
    _ body: String, format: ItemsPlace.Format = .json, allowsEmptyBody: Bool = false, at: String = "/list",
    each: String? = nil, shape: ItemsPlace.Shape = .any,
    says: Says = .nothing, status: Int = 200, fields: [(FieldName, String)] = []
  ) throws(PageFault) -> Page {
    let items = ItemsPlace(
      at: [NormaliserTests.p(at)], each: each.map { NormaliserTests.p($0) },
      id: .at([NormaliserTests.p("/id")]), shape: shape, order: nil,
      absence: .judged, allowsEmptyBody: allowsEmptyBody, format: format)
    let plan = WalkPlan(
      style: .tokens(size: 20), items: items, says: says, refusal: nil, shifts: .watch, limits: .defaults)
    var header = Fields()
    for (name, value) in fields { header.append(name, value) }
    return try Normaliser(plan: plan).page(
      ofBody: Bytes(copying: Array(body.utf8)), parser: Parser(maximumDepth: 64), status: status,
      fields: header,
      target: Array("/items".utf8))
  }

  @Test(
    "a JSONP call or a guard against scripts around JSON is looked through",
    arguments: [
      #"cb({"list":[{"id":1}]});"#, #";jQuery_12.cb$({"list":[{"id":1}]}) ; "#,
      "/**/ a.b[0]\n({\"list\":[{\"id\":1}]})",
      ")]}'\n{\"list\":[{\"id\":1}]}", ")]}',\n{\"list\":[{\"id\":1}]}", #"while(1);{"list":[{"id":1}]}"#,
      #"for(;;); {"list":[{"id":1}]}"#, "\u{FEFF}{\"list\":[{\"id\":1}]}",
    ])
  func wrapped(body: String) throws {
    #expect(try Self.page(body).texts == [#"{"id":1}"#])
  }

  @Test(
    "what is merely broken is a fault",
    arguments: [
      "cb(", "cb()", "cb({)", "({})", ")]}'", "<html></html>", "PHP Warning: x in y(1) {\"list\":[]}",
      "{\"list\":[]} x",
      "{\"list\":[],}", "cb({\"list\":[]}", "/*", ";;;", "{\"list\":[NaN]}", " ",
    ])
  func broken(body: String) {
    #expect(throws: PageFault.self) { try Self.page(body) }
  }

  @Test("a document that is encoded twice is looked through, wherever it is no item itself")
  func encodedTwice() throws {
    let body = #""{\"list\":[{\"id\":1,\"name\":\"a\\\"b\\u00e9\"}],\"total\":7}""#
    let page = try Self.page(body, says: NormaliserTests.says(total: "/total"))
    #expect(page.texts == [#"{"id":1,"name":"a\"b\u00e9"}"#])
    #expect(page.said.total == 7)
    #expect(try Self.page(#""{}""#, at: "", shape: .single).texts == [#""{}""#])
    for broken in [#""{\"list\":[}""#, #""list""#, #""7""#] {
      #expect(throws: PageFault.self) { try Self.page(broken) }
    }
  }

  @Test("items that are written as JSON within strings are what the strings hold")
  func texts() throws {
    let page = try Self.page(
      #"{"list":[{"c":"{\"id\":1,\"n\":1.10}"},{"c":" {\"id\":\"2\"} "},{"c":"{\"id\":1}"},{"c":"[]"}],"total":9}"#,
      format: .texts, each: "/c", says: NormaliserTests.says(total: "/total"))
    #expect(page.texts == [#"{"id":1,"n":1.10}"#, #"{"id":"2"}"#, "[]"])
    #expect(page.rawCount == 4 && page.said.total == 9)
    #expect(page.warnings.entries.map(\.text) == ["duplicates_dropped:1"])
    #expect(Slice.Piece(page: page, items: 0..<3).byteRanges.count == 3)
    let plain = try Self.page(#"{"list":["{\"id\":7}"]}"#, format: .texts)
    #expect(plain.texts == [#"{"id":7}"#] && plain.items[0].id != 0)
    #expect(try Self.page(#"{"list":[]}"#, format: .texts).items.isEmpty)
  }

  @Test("an item that is no string, or a string that holds no JSON, is told by its number")
  func brokenTexts() {
    #expect(throws: PageFault.shape("item 2 is no string that holds JSON")) {
      try Self.page(#"{"list":["1",2]}"#, format: .texts)
    }
    #expect {
      try Self.page(#"{"list":["1","{"]}"#, format: .texts)
    } throws: { error in
      guard case PageFault.fault(let detail) = error else { return false }
      return detail.hasPrefix("item 2 is a string that holds no JSON")
    }
    #expect(throws: PageFault.self) { try Self.page(#"{"items":[]}"#, format: .texts) }
  }

  @Test("an empty body is an empty page with 204 or where it is expected, else a fault")
  func empty() throws {
    #expect(try Self.page("", status: 204).items.isEmpty)
    #expect(try Self.page("", allowsEmptyBody: true).items.isEmpty)
    #expect(throws: PageFault.fault("the body is empty")) { try Self.page("") }
  }

  @Test(
    "a value a line is an item a line; blank lines and either line end do not count",
    arguments: ["\n", "\r\n", "\n\n"])
  func lines(end: String) throws {
    let items = [#"{"id":1}"#, #"{"id":2}"#, "null", #""x""#]
    let page = try Self.page(items.joined(separator: end) + end, format: .lines(trailers: 0))
    #expect(page.texts == items)
    #expect(Slice.Piece(page: page, items: 0..<4).byteRanges.count == 4)
    #expect(try Self.page(items.joined(separator: end), format: .lines(trailers: 0)).texts == items)
  }

  @Test("the last line may say something of the page instead of being an item; so may the header")
  func trailer() throws {
    let page = try Self.page(
      "{\"id\":1}\n{\"id\":1}\n{\"type\":\"stats\",\"moreChanges\":true,\"rowCount\":7}",
      format: .lines(trailers: 1),
      says: NormaliserTests.says(total: "/rowCount", hasMore: "/moreChanges"))
    #expect(page.items.count == 1 && page.rawCount == 2)
    #expect(page.said.hasMore == true && page.said.total == 7)
    #expect(page.warnings.contains(.duplicatesDropped))
    let plain = try Self.page(
      "{\"id\":1}", format: .lines(trailers: 0), says: NormaliserTests.says(total: "header:X-Total"),
      fields: [("X-Total", "9")])
    #expect(plain.said.total == 9)
  }

  @Test("a line that is cut off is a fault that tells its number")
  func cutLine() {
    #expect {
      try Self.page("{\"id\":1}\n{\"id\":2", format: .lines(trailers: 0))
    } throws: { error in
      guard case PageFault.fault(let detail) = error else { return false }
      return detail.hasPrefix("line 2 is not JSON")
    }
  }
}
