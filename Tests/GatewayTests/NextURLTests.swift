import HTTPSemantics
import Testing

@testable import Gateway

/// What is sent to the upstream for a page that it named by a URL.
@Suite("Requests behind next URLs", .timeLimit(.minutes(10)))
struct NextURLTests {
  private func configuration(paging: String, request: String) -> String {
    """
    upstreams: {shop: {url: "http://127.0.0.1:1/api"}}
    lists:
      items:
        upstream: shop
        parameters: {word: {type: string}}
        request: {path: /items, \(request)}
        paging: {style: nextURL, \(paging)}
        items: {at: /list, id: /id}
        says: {next: /next}
    """
  }

  /// The requests of a walk over three pages of one item, the first two of which name `next`.
  private func requests(paging: String, request: String, next: [String]) throws -> [TransportRequest] {
    let harness = try Harness(configuration(paging: paging, request: request)) { request in
      let isFirst = !request.url.contains("at=")
      let number = isFirst ? 0 : request.url.contains("at=1") ? 1 : 2
      let said = number < 2 ? "\"\(next[number])\"" : "null"
      return .body(#"{"list":[{"id":\#(number)}],"next":\#(said)}"#)
    }
    let answer = harness.ask("/v1/lists/items?word=a%26b")
    #expect(answer.items == [#"{"id":0}"#, #"{"id":1}"#, #"{"id":2}"#])
    return harness.upstream.requests
  }

  @Test("a list that is first asked for by POST goes on by GET, without content, where it says so")
  func byGet() throws {
    let sent = try requests(
      paging: "byGet: true, size: {json: /limit, value: 1}",
      request: "method: POST, json: {word: \"{word}\"}, headers: {X-Key: k}",
      next: ["/api/items/next?at=1", "http://127.0.0.1:1/api/items/next?at=2"])
    #expect(sent.map(\.method) == [.post, .get, .get])
    #expect(
      sent.map { $0.content.map { String(decoding: $0, as: UTF8.self) } }
        == [#"{"word":"a&b","limit":1}"#, nil, nil])
    #expect(sent.map { $0.fields.combined(.contentType)?.text } == ["application/json", nil, nil])
    #expect(sent[1].url == "http://127.0.0.1:1/api/items/next?at=1")
    let key = try #require(FieldName(validating: "X-Key"))
    #expect(sent.map { $0.fields.combined(key)?.text } == ["k", "k", "k"])
  }

  @Test("by default the pages behind next URLs are asked for as the first one is")
  func asTheFirst() throws {
    let sent = try requests(
      paging: "size: {json: /limit, value: 1}", request: "method: POST, json: {word: \"{word}\"}",
      next: ["?at=1", "?at=2"])
    #expect(sent.map(\.method) == [.post, .post, .post])
    #expect(Set(sent.map(\.content)).count == 1)
  }

  @Test("a next URL that has lost the page size or a filter gets it back, once")
  func lostParameters() throws {
    let sent = try requests(
      paging: "size: {query: page size, value: 1}", request: "query: {w: \"{word}\"}",
      next: ["/api/items?at=1", "/api/items?w=kept&at=2&page%20size=3"])
    #expect(
      sent.map(\.url) == [
        "http://127.0.0.1:1/api/items?w=a%26b&page%20size=1",
        "http://127.0.0.1:1/api/items?at=1&w=a%26b&page%20size=1",
        "http://127.0.0.1:1/api/items?w=kept&at=2&page%20size=3",
      ])
  }
}
