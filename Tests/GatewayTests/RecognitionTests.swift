import Foundation
import HTTPSemantics
import JSON
import Testing

@testable import Gateway

/// Lists whose paging nobody declared.
@Suite("Recognised lists")
struct RecognitionTests {
  /// A list of 1 to `count` behind an upstream that pages in some way.
  private struct Pages {
    let count: Int
    func items(_ range: Range<Int>) -> String {
      "[" + range.clamped(to: 1..<(count + 1)).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
    }
  }

  private static func configuration(_ request: String, _ rest: String = "") -> String {
    """
    upstreams: {api: {url: "http://api.test/base"}}
    debug: true
    lists:
      things:
        upstream: api
        request: \(request)
        paging: {style: auto}
        \(rest)
    """
  }

  private static func query(_ request: TransportRequest, _ name: String) -> String? {
    URLComponents(string: request.url)?.queryItems?.first { $0.name == name }?.value
  }

  /// Walks to the end, slice by slice, each slice at another gateway of the same configuration: nothing is kept but the
  /// cursor.
  private func walk(
    _ configuration: String, limit: Int, _ answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?
  ) throws -> [String] {
    var items: [String] = []
    var cursor: String?
    for _ in 0..<50 {
      let harness = try Harness(configuration, answer: answer)
      let answered = harness.ask("/v1/lists/things?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      try #require(answered.status == 200, "\(answered.text)")
      items += answered.items
      cursor = answered.next
      if cursor == nil { return items }
    }
    Issue.record("no end")
    return items
  }

  private let all = (1...23).map { #"{"id":\#($0)}"# }

  @Test("a list of pages is walked to its end, by any replica", arguments: [1, 7, 100])
  func pages(_ limit: Int) throws {
    let pages = Pages(count: 23)
    let walked = try walk(
      Self.configuration("{path: /things, query: {page: \"1\", per_page: \"5\"}}"), limit: limit
    ) {
      request in
      let page = Self.query(request, "page").flatMap { Int($0) } ?? 1
      return .body(#"{"total":23,"items":\#(pages.items((page * 5 - 4)..<(page * 5 + 1)))}"#)
    }
    #expect(walked == all)
  }

  @Test("a list behind tokens is walked to its end, by any replica", arguments: [2, 50])
  func tokens(_ limit: Int) throws {
    let pages = Pages(count: 23)
    let walked = try walk(Self.configuration("{path: /things, query: {cursor: \"*\"}}"), limit: limit) {
      request in
      let start = Self.query(request, "cursor").flatMap { Int($0.dropFirst()) } ?? 1
      let next = start + 6 > 23 ? "null" : "\"t\(start + 6)\""
      return .body(#"{"items":\#(pages.items(start..<(start + 6))),"next_cursor":\#(next)}"#)
    }
    #expect(walked == all)
  }

  @Test("a list behind next URLs keeps its filter, and not its first offset")
  func nextURLs() throws {
    let pages = Pages(count: 23)
    let walked = try walk(Self.configuration("{path: /things, query: {kind: new, offset: \"0\"}}"), limit: 9)
    { request in
      #expect(Self.query(request, "kind") == "new")
      let after = Self.query(request, "after").flatMap { Int($0) }
      #expect(after == nil || Self.query(request, "offset") == nil)
      let start = (after ?? 0) + 1
      let next = start + 10 > 23 ? "null" : #""/base/things?after=\#(start + 9)""#
      return .body(#"{"results":\#(pages.items(start..<(start + 10))),"next":\#(next)}"#)
    }
    #expect(walked == all)
  }

  @Test("a number in JSON content is put where it was")
  func json() throws {
    let pages = Pages(count: 23)
    let walked = try walk(
      Self.configuration("{method: POST, path: /find, json: {filter: {kind: a}, page: {no: 1, size: 4}}}"),
      limit: 10
    ) { request in
      let content = String(decoding: request.content ?? [], as: UTF8.self)
      #expect(content.contains(#""filter":{"kind":"a"}"#))
      return .body(#"{"list":\#(pages.items(1..<24)),"has_more":false}"#)
    }
    #expect(walked == all)
    let numbers = try walk(
      Self.configuration("{method: POST, path: /find, json: {kind: a, pageNum: 1, pageSize: 4}}"), limit: 10
    ) { request in
      let content =
        (try? JSONSerialization.jsonObject(with: Data(request.content ?? []))) as? [String: Any] ?? [:]
      #expect(content["kind"] as? String == "a")
      #expect(content["pageSize"] as? Int == 4)
      let page = content["pageNum"] as? Int ?? 0
      return .body(#"{"rows":\#(pages.items((page * 4 - 3)..<(page * 4 + 1))),"total":23}"#)
    }
    #expect(numbers == all)
  }

  @Test("a whole list is streamed by what its first page told")
  func whole() throws {
    let pages = Pages(count: 23)
    let harness = try Harness(Self.configuration("{path: /things, query: {page: \"1\", per_page: \"5\"}}")) {
      request in
      let page = Self.query(request, "page").flatMap { Int($0) } ?? 1
      return .body(#"{"total":23,"items":\#(pages.items((page * 5 - 4)..<(page * 5 + 1)))}"#)
    }
    let lines = harness.ask("/v1/lists/things/all").text.split(separator: "\n").map(String.init)
    #expect(lines.dropLast() == all[...])
    #expect(harness.upstream.requests.count == 5)
  }

  @Test("the first answer is the first page: nothing is asked for twice")
  func once() throws {
    let harness = try Harness(Self.configuration("{path: /things, query: {page: \"1\"}}")) { _ in
      .body(#"{"total":9,"items":[{"id":1},{"id":2},{"id":3}]}"#)
    }
    let answered = harness.ask("/v1/lists/things?limit=3")
    #expect(answered.items.count == 3)
    #expect(answered.header["total"] as? Int == 9)
    #expect(answered.next != nil)
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("a list that is not sure to be recognised is a fault of shape that says what to declare")
  func unsure() throws {
    let harness = try Harness(Self.configuration("{path: /things}")) { _ in
      .body(#"{"top":[{"id":1}],"new":[{"id":2}]}"#)
    }
    let answered = harness.ask("/v1/lists/things?debug=1")
    #expect(answered.status == 502)
    #expect(answered.header["error"] as? String == "upstream_shape")
    #expect((answered.header["detail"] as? String ?? "").contains("items.at"), "\(answered.text)")
  }

  @Test("what is likely by habit only is not walked by")
  func likely() throws {
    let harness = try Harness(Self.configuration("{path: /things}")) { _ in
      .body(#"{"cursor":"G1a","things":[{"id":"a"},{"id":"b"}]}"#)
    }
    let answered = harness.ask("/v1/lists/things?debug=1")
    #expect(answered.header["error"] as? String == "upstream_shape")
    #expect((answered.header["detail"] as? String ?? "").contains("cursor"), "\(answered.text)")
  }

  @Test("what is declared settles what is not sure")
  func declared() throws {
    let harness = try Harness(
      Self.configuration(
        "{path: /things}", "items: {at: /new, id: /id}\n    refused: {when: /top/0/id, is: 7}")
    ) { request in
      .body(#"{"top":[{"id":1}],"new":[{"id":2}]}"#)
    }
    #expect(harness.ask("/v1/lists/things").items == [#"{"id":2}"#])
  }

  @Test(
    "a failure inside a success is a refusal with the upstream's words, and nothing at all is an empty list")
  func refusals() throws {
    let refusing = try Harness(Self.configuration("{path: /things}")) { _ in
      .body(#"{"code":1001,"message":"no such shop","data":null}"#)
    }
    let refused = refusing.ask("/v1/lists/things")
    #expect(refused.status == 422)
    #expect(refused.envelope["message"] as? String == "no such shop")
    #expect(refused.header["upstreamCode"] as? String == "1001")
    let empty = try Harness(Self.configuration("{path: /things}")) { _ in .body("{}") }
    let answered = empty.ask("/v1/lists/things")
    #expect(answered.status == 200)
    #expect(answered.items.isEmpty)
    #expect(answered.next == nil)
  }

  @Test("a refusal on a later page is recognised by the first page's success")
  func laterRefusals() throws {
    let harness = try Harness(Self.configuration("{path: /things, query: {page: \"1\"}}")) { request in
      Self.query(request, "page") == "1"
        ? .body(#"{"code":0,"msg":"ok","pages":3,"data":[{"id":1},{"id":2}]}"#)
        : .body(#"{"code":9,"msg":"too fast","data":[]}"#)
    }
    let first = harness.ask("/v1/lists/things?limit=2")
    let next = try #require(first.next)
    let second = harness.ask("/v1/lists/things?limit=2&cursor=\(next)")
    #expect(second.status == 422, "\(second.text)")
    #expect(second.envelope["message"] as? String == "too fast")
  }

  @Test(
    "values are put into JSON at their place, whatever is there",
    arguments: [
      (#"{"a":1,"b":2}"#, "/a", #"{"a":X,"b":2}"#), ("{}", "/a", #"{"a":X}"#),
      (#"{"a":1}"#, "/b", #"{"a":1,"b":X}"#),
      (#"{"v":{"q":1}}"#, "/v/after", #"{"v":{"q":1,"after":X}}"#),
      (#"{"q":"x"}"#, "/variables/after", #"{"q":"x","variables":{"after":X}}"#),
      (#"{"variables":null}"#, "/variables/after", #"{"variables":{"after":X}}"#),
      (#"{"a":[1]}"#, "/a/b", #"{"a":[1]}"#), ("[1]", "/a", "[1]"), (#"{"a/b":1}"#, "/a~1b", #"{"a/b":X}"#),
    ])
  func placing(_ content: String, _ place: String, _ expected: String) throws {
    let placed = JSONPlacing.placing(Array("7".utf8), at: try Pointer(place), in: Array(content.utf8))
    #expect(String(decoding: placed, as: UTF8.self) == expected.replacing("X", with: "7"))
  }
}
