import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

/// Pages of a list of `count` items as `{"list":[…],"total":N}`, by number.
struct PagedList: Sendable {
  var count: Int
  var total: String?

  init(count: Int, total: String? = nil) {
    self.count = count
    self.total = total ?? String(count)
  }

  static func item(_ number: Int) -> String {
    #"{"id":\#(9_007_199_254_740_993 + number),"amount":\#(number).10,"name":"Nr. \#(number) é ☕️"}"#
  }

  var items: [String] { (0..<count).map(PagedList.item) }

  func answer(to url: String) -> Harness.Outcome {
    let query = url.split(separator: "?").last.map { $0.split(separator: "&") } ?? []
    func number(_ name: String) -> Int {
      query.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 1
    }
    let (page, size) = (number("page"), number("size"))
    let start = min(count, (page - 1) * size)
    let part = (start..<min(count, start + size)).map(PagedList.item).joined(separator: ",\n ")
    return .body(#"{"list":[\#(part)]\#(total.map { #","total":\#($0)"# } ?? "")}"#)
  }
}

let pagedConfiguration = """
  debug: true
  upstreams:
    shop: {url: "http://127.0.0.1:1/api"}
  lists:
    items:
      upstream: shop
      parameters: {category: {type: integer}, word: {type: string}}
      request: {path: /items, query: {c: "{category}", w: "{word}"}}
      paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
      items: {at: /list, id: /id}
      says: {total: /total}
      limit: 20
      maxLimit: 100
    others:
      upstream: shop
      request: {path: /others}
      paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
      items: {at: /list, id: /id}
      says: {total: /total}
  """

@Suite("Slices", .timeLimit(.minutes(10)))
struct SliceTests {
  private func harness(_ list: PagedList) throws -> Harness {
    try Harness(pagedConfiguration) { list.answer(to: $0.url) }
  }

  /// Walks a list to its end.
  private func walk(_ harness: Harness, limit: Int) -> [String] {
    var items: [String] = []
    var cursor: String?
    for _ in 0..<2_000 {
      let answer = harness.ask("/v1/lists/items?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      #expect(answer.status == 200)
      items += answer.items
      cursor = answer.next
      if cursor == nil { break }
    }
    #expect(cursor == nil)
    return items
  }

  @Test(
    "a walk brings every item once, in order and byte for byte, whatever the limit",
    arguments: [1, 7, 20, 33, 100], [0, 1, 19, 20, 21, 57])
  func walks(limit: Int, count: Int) throws {
    let list = PagedList(count: count)
    #expect(walk(try harness(list), limit: limit) == list.items)
  }

  @Test("the envelope has its four keys in order, and its header says what the walk knows")
  func envelope() throws {
    let answer = try harness(PagedList(count: 57)).ask("/v1/lists/items")
    #expect(
      answer.text.hasPrefix(
        #"{"status":0,"header":{"list":"items","count":20,"total":57,"pageCount":3,"hasMore":true,"next":""#))
    #expect(answer.text.hasSuffix(#"],"message":"ok"}"#))
    #expect(answer.header["prefetchAt"] as? Int == 14)
    #expect(answer.header["stale"] as? Bool == false)
    #expect(answer.header["requestId"] as? String == answer.fields.text(.xRequestID))
    #expect(answer.warnings == [])
  }

  @Test("the last slice has neither next nor prefetchAt nor Link")
  func lastSlice() throws {
    let answer = try harness(PagedList(count: 3)).ask("/v1/lists/items")
    #expect(answer.header["hasMore"] as? Bool == false)
    #expect(answer.next == nil && answer.header["prefetchAt"] == nil)
    #expect(!answer.fields.contains(.link))
  }

  @Test("Link leads to the next slice, with the request's own parameters")
  func link() throws {
    let harness = try harness(PagedList(count: 57))
    let first = harness.ask("/v1/lists/items?category=5&limit=7")
    let link = try #require(first.fields.text(.link))
    let target = try #require(link.split(separator: ">").first).dropFirst()
    #expect(target.hasPrefix("/v1/lists/items?category=5&limit=7&cursor="))
    #expect(link.hasSuffix(#">; rel="next""#))
    #expect(harness.ask(String(target)).items == Array(PagedList(count: 57).items[7..<14]))
  }

  @Test("nothing that a client writes can end the Link field's link or add one")
  func linkInjection() throws {
    let harness = try harness(PagedList(count: 57))
    let answer = harness.ask(#"/v1/lists/items?limit=7&word=a>;rel="next",<https://evil/?"#)
    let link = try #require(answer.fields.text(.link))
    #expect(link.filter { $0 == "<" || $0 == ">" }.count == 2)
    #expect(LinkField.parse(Array(link.utf8).span).count == 1)
    let target = try #require(link.split(separator: ">").first).dropFirst()
    #expect(harness.ask(String(target)).items == Array(PagedList(count: 57).items[7..<14]))
    // An encoded name is the cursor's all the same.
    let encoded = harness.ask(
      "/v1/lists/items?limit=7&%63ursor=\(try #require(harness.ask("/v1/lists/items?limit=7").next))")
    #expect(encoded.status == 200)
    #expect(encoded.fields.text(.link)?.components(separatedBy: "cursor=").count == 2)
  }

  @Test("the time of all pages together is bounded, not of each")
  func oneDeadline() throws {
    let harness = try harness(PagedList(count: 300))
    _ = harness.ask("/v1/lists/items?limit=100")
    let deadlines = harness.upstream.requests.map(\.deadline)
    #expect(deadlines.count == 5 && Set(deadlines).count == 1)
  }

  @Test("a limit above maxLimit is taken as maxLimit, with a warning")
  func cappedLimit() throws {
    let answer = try harness(PagedList(count: 300)).ask("/v1/lists/items?limit=5000")
    #expect(answer.items.count == 100)
    #expect(answer.warnings == ["limit_capped:100"])
  }

  @Test("HEAD is answered as GET is")
  func head() throws {
    let answer = try harness(PagedList(count: 3)).ask("/v1/lists/items", .head)
    #expect(answer.status == 200 && answer.items.count == 3)
  }

  @Test("parameters reach the upstream encoded, and optional ones that are absent do not")
  func parameters() throws {
    let harness = try harness(PagedList(count: 3))
    _ = harness.ask("/v1/lists/items?word=a%20b%26c%3D%C3%A9")
    #expect(harness.upstream.urls == ["http://127.0.0.1:1/api/items?w=a%20b%26c%3D%C3%A9&page=1&size=20"])
  }

  @Test("an unchanged slice is answered 304 to a client that has it")
  func notModified() throws {
    let harness = try harness(PagedList(count: 57))
    let tag = try #require(harness.ask("/v1/lists/items").fields.text(.etag))
    let again = harness.ask("/v1/lists/items", .get, [(.ifNoneMatch, "\"other\", \(tag)")])
    #expect(again.status == 304 && again.content.isEmpty)
    #expect(again.fields.text(.etag) == tag)
    #expect(harness.ask("/v1/lists/items?limit=19", .get, [(.ifNoneMatch, tag)]).status == 200)
  }

  @Test("the client's request id and trace are taken over, and go upstream")
  func identifiers() throws {
    let harness = try harness(PagedList(count: 3))
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let answer = harness.ask(
      "/v1/lists/items", .get, [(.xRequestID, "abc-1"), (.traceparent, trace), (.tracestate, "k=v")])
    #expect(answer.fields.text(.xRequestID) == "abc-1")
    let sent = try #require(harness.upstream.requests.first?.fields)
    #expect(sent.text(.xRequestID) == "abc-1")
    let continued = try #require(sent.text(.traceparent))
    #expect(continued.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && continued != trace)
    #expect(sent.text(.tracestate) == "k=v")
  }

  @Test(
    "an insane request id is not taken over",
    arguments: ["", "a b", "x\u{7F}", String(repeating: "a", count: 129)])
  func insaneRequestID(id: String) throws {
    let answer = try harness(PagedList(count: 3)).ask("/v1/lists/items", .get, [(.xRequestID, id)])
    #expect(answer.fields.text(.xRequestID) != id)
  }

  @Test("with debug, the header shows the start of the upstream's raw answer")
  func debug() throws {
    let answer = try harness(PagedList(count: 3)).ask("/v1/lists/items?debug=1")
    let text = try #require(answer.header["text"] as? String)
    #expect(text.hasPrefix(#"{"list":[{"id":9007199254740993,"amount":0.10"#))
  }
}
