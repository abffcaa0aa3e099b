import Foundation
import HTTPSemantics
import Testing

@testable import Gateway

@Suite("Enrichment", .timeLimit(.minutes(10)))
struct EnrichmentTests {
  /// - Parameter enrich: the `enrich` of the list, in YAML's flow style, without its braces.
  private static func configuration(_ enrich: String) -> String {
    """
    upstreams:
      feed: {url: "http://feed.example", retries: {attempts: 1}}
      people: {url: "http://people.example/api", retries: {attempts: 1}, refused: {when: /code, is_not: 0, message: /message}}
    lists:
      posts:
        upstream: feed
        parameters: {lang: {type: string, default: en}}
        request: {path: /posts, query: {lang: "{lang}"}}
        paging: {style: page, page: {query: page}, size: {value: 5}}
        items: {at: /list, id: /id}
        says: {total: /total}
        enrich: {as: user, by: /user_id, \(enrich)}
    """
  }
  private static let usual = """
    upstream: people, request: {path: /users, query: {lang: "{lang}"}}, ids: {query: ids}, items: {at: /data, id: /id}
    """

  private static let posts =
    #"{"list":[{"id":1,"user_id":9007199254740993},{"id":2,"user_id":"7"},{"id":3,"user_id":7},{"id":4,"user_id":null},{"id":5}],"total":5}"#
  private static let people =
    #"{"code":0,"data":[{"id":7,"name":"b", "score":1.10},{"id":"9007199254740993","name":"a"},{"id":9007199254740992,"name":"no"}]}"#

  private static func harness(
    _ enrich: String = usual, posts: String = posts,
    people: @escaping @Sendable (TransportRequest) -> Harness.Outcome? = { _ in .body(people) }
  ) throws -> Harness {
    try Harness(configuration(enrich)) { request in
      request.url.contains("feed.example") ? .body(posts) : people(request)
    }
  }

  private static func asked(_ harness: Harness) -> [String] {
    harness.upstream.urls.filter { $0.contains("people.example") }.map {
      String($0.dropFirst("http://people.example".count))
    }
  }

  @Test(
    "items are completed by distinct ids, compared as text, beside their own bytes; what is missing is null")
  func completes() throws {
    let harness = try Self.harness()
    let answer = harness.ask("/v1/lists/posts?lang=de")
    #expect(answer.status == 200)
    #expect(
      answer.items == [
        #"{"item":{"id":1,"user_id":9007199254740993},"user":{"id":"9007199254740993","name":"a"}}"#,
        #"{"item":{"id":2,"user_id":"7"},"user":{"id":7,"name":"b", "score":1.10}}"#,
        #"{"item":{"id":3,"user_id":7},"user":{"id":7,"name":"b", "score":1.10}}"#,
        #"{"item":{"id":4,"user_id":null},"user":null}"#, #"{"item":{"id":5},"user":null}"#,
      ])
    #expect(answer.warnings == [])
    #expect(Self.asked(harness) == ["/api/users?lang=de&ids=9007199254740993%2C7"])
  }

  @Test(
    "ids are sent where and as the list says",
    arguments: [
      (#"ids: {query: id, separator: ";"}"#, "/api/users?id=9007199254740993%3B7", ""),
      (#"ids: {query: "id[]", repeated: true}"#, "/api/users?id%5B%5D=9007199254740993&id%5B%5D=7", ""),
      ("ids: {form: ids}", "/api/users", "ids=9007199254740993%2C7"),
      ("ids: {json: /filter/ids}", "/api/users", #"{"filter":{"ids":[9007199254740993,"7"]}}"#),
      ("ids: {path: \"/users/{}\"}", "/api/users/9007199254740993,7", ""),
    ])
  func places(ids: String, target: String, content: String) throws {
    let request =
      content.isEmpty ? ids.contains("path") ? "{}" : "{path: /users}" : "{method: POST, path: /users}"
    let harness = try Self.harness(
      "upstream: people, request: \(request), \(ids), items: {at: /data, id: /id}")
    let answer = harness.ask("/v1/lists/posts")
    #expect(answer.items[1].hasSuffix(#""name":"b", "score":1.10}}"#))
    #expect(Self.asked(harness) == [target])
    let sent = harness.upstream.requests.last?.content.map { String(decoding: $0, as: UTF8.self) }
    #expect((sent ?? "") == content)
  }

  @Test("many ids go in several requests, side by side")
  func batches() throws {
    let posts = (1...5).map { #"{"id":\#($0),"user_id":\#($0 * 10)}"# }.joined(separator: ",")
    let harness = try Self.harness(Self.usual + ", batch: 2", posts: #"{"list":[\#(posts)],"total":5}"#) {
      request in
      let ids = request.url.components(separatedBy: "ids=")[1].components(separatedBy: "%2C")
      return .body(#"{"code":0,"data":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#)
    }
    let answer = harness.ask("/v1/lists/posts")
    #expect(
      answer.items
        == (1...5).map { #"{"item":{"id":\#($0),"user_id":\#($0 * 10)},"user":{"id":\#($0 * 10)}}"# })
    let sent = Self.asked(harness).map { $0.components(separatedBy: "ids=")[1] }
    #expect(Set(sent) == ["10%2C20", "30%2C40", "50"])
    #expect(sent.count == 3)
  }

  @Test(
    "what comes as an object of things, by their names or by their ids, is found",
    arguments: [
      ("id: key", #"{"data":{"7":{"name":"b"},"8":{}}}"#, #"{"name":"b"}"#),
      ("id: /uid", #"{"data":{"x":{"uid":7},"y":{"uid":8}}}"#, #"{"uid":7}"#),
      ("id: key", #"{"data":{"7":"b"}}"#, #""b""#),
    ])
  func objects(id: String, people: String, expected: String) throws {
    let harness = try Self.harness(
      "upstream: people, request: {path: /users}, ids: {query: ids}, items: {at: /data, \(id)}",
      people: { _ in .body("{\"code\":0," + people.dropFirst()) })
    #expect(harness.ask("/v1/lists/posts").items[2] == #"{"item":{"id":3,"user_id":7},"user":\#(expected)}"#)
  }

  @Test(
    "a failure leaves null and a warning",
    arguments: [
      Harness.Outcome.failed(.connect), .failed(.timeout), .body("", status: 500), .body("<html>"),
      .body(#"{"code":3,"message":"no"}"#), .body(#"{"code":0,"data":7}"#), .body("{}", status: 404),
    ])
  func failures(outcome: Harness.Outcome) throws {
    let harness = try Self.harness(people: { _ in outcome })
    let answer = harness.ask("/v1/lists/posts")
    #expect(answer.status == 200)
    #expect(answer.items.first == #"{"item":{"id":1,"user_id":9007199254740993},"user":null}"#)
    #expect(answer.items.count == 5)
    #expect(answer.warnings == ["enrichment_failed:user"])
    let required = try Self.harness(Self.usual + ", required: true", people: { _ in outcome })
    let refused = required.ask("/v1/lists/posts")
    #expect(refused.status >= 400)
    #expect(refused.header["list"] as? String == "posts")
    #expect(refused.envelope["body"] is NSNull)
  }

  @Test(
    "an answer without what was asked for is no failure",
    arguments: [#"{"code":0}"#, #"{"code":0,"data":null}"#, #"{"code":0,"data":[]}"#])
  func nothingFound(people: String) throws {
    let harness = try Self.harness(people: { _ in .body(people) })
    let answer = harness.ask("/v1/lists/posts")
    #expect(answer.warnings == [])
    #expect(answer.items.allSatisfy { $0.hasSuffix(#","user":null}"#) })
  }

  @Test(
    "nothing is asked for where items name nothing, or there are none",
    arguments: [#"{"list":[{"id":1},{"id":2,"user_id":{}}],"total":2}"#, #"{"list":[],"total":0}"#])
  func nothingToAsk(posts: String) throws {
    let harness = try Self.harness(posts: posts)
    let answer = harness.ask("/v1/lists/posts")
    #expect(answer.status == 200)
    #expect(answer.warnings == [])
    #expect(Self.asked(harness).isEmpty)
  }

  @Test("an id that would read as two is not asked for")
  func separators() throws {
    let harness = try Self.harness(
      posts: #"{"list":[{"id":1,"user_id":"7,8"},{"id":2,"user_id":7}],"total":2}"#)
    let answer = harness.ask("/v1/lists/posts")
    #expect(answer.items.map { $0.hasSuffix("null}") } == [true, false])
    #expect(Self.asked(harness) == ["/api/users?lang=en&ids=7"])
  }

  @Test("the tag tells what was added")
  func tags() throws {
    let one = try Self.harness().ask("/v1/lists/posts")
    let other = try Self.harness(people: { _ in .body(#"{"code":0,"data":[{"id":7,"name":"c"}]}"#) }).ask(
      "/v1/lists/posts")
    #expect(one.fields.value(.etag) != other.fields.value(.etag))
    #expect(
      try Self.harness().ask("/v1/lists/posts", .get, [(.ifNoneMatch, one.fields.value(.etag))]).status == 304
    )
  }

  @Test("a whole list is completed too, a line an item")
  func whole() throws {
    let harness = try Self.harness(people: { _ in .body("{\"code\":0,\"data\":[{\"id\":7,\n\"name\":\"b\"}]}")
    })
    let lines = harness.ask("/v1/lists/posts/all").text.split(separator: "\n")
    #expect(lines.count == 6)
    #expect(lines[2] == #"{"item":{"id":3,"user_id":7},"user":{"id":7, "name":"b"}}"#)
    #expect(lines[5].contains(#""complete":true"#))
  }

  @Test("a client that leaves ends what was asked for its items")
  func hangUp() throws {
    let harness = try Self.harness(people: { _ in nil })
    let exchange = harness.begin("/v1/lists/posts")
    while harness.upstream.requests.count < 2 { usleep(1_000) }
    harness.hangUp(exchange)
    #expect(harness.upstream.cancelled == 1)
    #expect(exchange.answerCount == 0)
  }
}
