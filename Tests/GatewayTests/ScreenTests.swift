import Foundation
import HTTPSemantics
import Synchronization
import Testing

@testable import Gateway

@Suite("Screens", .timeLimit(.minutes(10)))
struct ScreenTests {
  static let configuration = """
    debug: true
    upstreams:
      social: {url: "http://social.example", retries: {attempts: 1}}
    lists:
      categories: {upstream: social, request: {path: /categories}, paging: {style: whole}, items: {at: /list, id: /id}}
      users:
        upstream: social
        parameters: {category_id: {type: integer, required: true, max: 99}, word: {}}
        request: {path: /users, query: {category: "{category_id}", word: "{word}"}}
        paging: {style: page, page: {query: page}, size: {value: 2}}
        items: {at: /list, id: /id}
        says: {total: /total}
        limit: 2
    calls:
      banner: {upstream: social, parameters: {of: {type: integer}}, request: {path: /banner, query: {of: "{of}"}}}
    screens:
      recommend:
        title: Whom to follow
        parameters: {word: {}}
        users: {list: users, with: {category_id: categories/0/id, word: "{word}"}}
        categories: {list: categories, limit: 3}
        banner: {call: banner}
        first: {call: banner, with: {of: users/0/id}}
      strict:
        timeout: 200ms
        categories: {list: categories}
        banner: {call: banner, required: true}
      short:
        timeout: 100ms
        users: {list: users, with: {category_id: categories/0/id}}
        categories: {list: categories}
      picked:
        parameters: {category: {type: integer, required: true}}
        users: {list: users, with: {category_id: "{category}"}}
    """

  private static let categories = #"{"list":[{"id":7,"name":"a"},{"id":8,"name":"b"}]}"#
  private static func users(_ url: String) -> Harness.Outcome {
    let category = url.contains("category=7") ? 700 : 800
    let page = url.contains("page=2") ? 2 : 1
    let ids = page == 1 ? [category + 1, category + 2] : [category + 3]
    return .body(#"{"list":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))],"total":3}"#)
  }

  /// The upstream as it should be.
  @Sendable private static func good(_ request: TransportRequest) -> Harness.Outcome? {
    if request.url.contains("/categories") { return .body(categories) }
    if request.url.contains("/users") { return users(request.url) }
    return .body(#"{"text":  1.10}"#)
  }

  private static func section(_ name: String, of answer: Answered) -> [String: Any] {
    (answer.envelope["body"] as? [String: Any])?[name] as? [String: Any] ?? [:]
  }
  private static func header(_ name: String, of answer: Answered) -> [String: Any] {
    section(name, of: answer)["header"] as? [String: Any] ?? [:]
  }

  @Test("one request: the categories, the first one's users, and what needs these in turn")
  func recommend() throws {
    let harness = try Harness(Self.configuration, answer: Self.good)
    let answer = harness.ask("/v1/screens/recommend?word=x")
    #expect(answer.status == 200)
    #expect(answer.header["screen"] as? String == "recommend")
    #expect(answer.warnings == [])
    #expect(answer.text.hasPrefix(#"{"status":0,"header":{"screen":"recommend","requestId":""#))
    // In the declared order, each a whole envelope.
    let places = try ["users", "categories", "banner", "first"].map { name in
      try #require(answer.text.range(of: #""\#(name)":{"status":0,"header":{"#)).lowerBound
    }
    #expect(places == places.sorted())
    #expect(answer.text.contains(#""body":[{"id":701},{"id":702}],"message":"ok"}"#))
    #expect(answer.text.contains(#""body":{"text":  1.10},"message":"ok"}"#))
    #expect(answer.text.hasSuffix(#"},"message":"ok"}"#))
    #expect(
      Self.header("users", of: answer)["parameters"] as? [String: String] == [
        "category_id": "7", "word": "x",
      ])
    #expect(Self.header("first", of: answer)["parameters"] as? [String: String] == ["of": "701"])
    #expect(Self.header("banner", of: answer)["parameters"] == nil)
    #expect(
      Set(harness.upstream.urls.map { $0.dropFirst("http://social.example".count) }) == [
        "/categories", "/banner", "/users?category=7&word=x&page=1", "/banner?of=701",
      ])
    #expect(harness.upstream.requests.count == 4)
  }

  @Test("a section's cursor goes on in its list, with the parameters that the section says")
  func cursors() throws {
    let harness = try Harness(Self.configuration, answer: Self.good)
    let screen = harness.ask("/v1/screens/recommend")
    let next = try #require(Self.header("users", of: screen)["next"] as? String)
    let more = harness.ask("/v1/lists/users?category_id=7&cursor=\(next)")
    #expect(more.items == [#"{"id":703}"#])
    #expect(more.next == nil)
    let other = harness.ask("/v1/lists/users?category_id=8&cursor=\(next)")
    #expect(other.header["error"] as? String == "invalid_cursor")
    // The other way round, too: the section is what the list would have given.
    let own = harness.ask("/v1/lists/users?category_id=8")
    let after = try #require(own.next)
    #expect(harness.ask("/v1/lists/users?category_id=8&cursor=\(after)").items == [#"{"id":803}"#])
  }

  @Test("a section that failed does not fail the others; who needs it fails with its error")
  func partly() throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.contains("/users") ? .body("", status: 500) : Self.good(request)
    }
    let answer = harness.ask("/v1/screens/recommend")
    #expect(answer.status == 200)
    #expect(answer.warnings == ["section_failed:users", "section_failed:first"])
    #expect(Self.section("categories", of: answer)["status"] as? Int == 0)
    #expect(Self.section("users", of: answer)["status"] as? Int == -2)
    #expect(Self.section("users", of: answer)["body"] is NSNull)
    #expect(Self.header("users", of: answer)["parameters"] as? [String: String] == ["category_id": "7"])
    #expect(Self.section("first", of: answer)["status"] as? Int == -2)
    #expect(Self.header("first", of: answer)["error"] as? String == "upstream_fault")
    #expect(Self.header("first", of: answer)["needs"] as? String == "users")
    #expect(answer.fields.value(.cacheControl) == "no-store")
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_screen_requests_total{screen="recommend",status="ok"} 1"#))
    #expect(figures.contains(#"listway_screen_sections_total{screen="recommend",status="upstream_fault"} 2"#))
  }

  @Test("where all failed, the screen did", arguments: ["", "application/problem+json"])
  func all(accept: String) throws {
    let harness = try Harness(Self.configuration) { _ in .failed(.connect) }
    let answer = harness.ask("/v1/screens/recommend", .get, [(.accept, accept)])
    #expect(answer.status == 503)
    #expect(answer.fields.value(.retryAfter) != "")
    if accept.isEmpty {
      #expect(answer.envelope["status"] as? Int == -1)
      #expect(answer.header["error"] as? String == "upstream_unreachable")
      #expect(answer.warnings.count == 4)
      #expect(Self.section("users", of: answer)["status"] as? Int == -1)
    } else {
      #expect(answer.envelope["listwayStatus"] as? Int == -1)
      #expect(answer.envelope["screen"] as? String == "recommend")
    }
  }

  @Test(
    "what needs a row of an empty section is empty itself, and says so", arguments: ["[]", #"[{"id":null}]"#])
  func empty(rows: String) throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.contains("/categories") ? .body(#"{"list":\#(rows)}"#) : Self.good(request)
    }
    let answer = harness.ask("/v1/screens/recommend")
    #expect(answer.status == 200)
    #expect(answer.warnings == ["section_skipped:users", "section_skipped:first"])
    #expect(Self.section("users", of: answer)["status"] as? Int == 0)
    #expect((Self.section("users", of: answer)["body"] as? [Any])?.isEmpty == true)
    #expect(Self.header("users", of: answer)["hasMore"] as? Bool == false)
    #expect(Self.header("users", of: answer)["warnings"] as? [String] == ["dependency_empty:categories"])
    #expect(Self.section("first", of: answer)["body"] is NSNull)
    #expect(!harness.upstream.urls.contains { $0.contains("users") })
  }

  @Test(
    "what another section has is checked as the parameter's type",
    arguments: [#""seven""#, "{}", "100", "7.5"])
  func typed(value: String) throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.contains("/categories") ? .body(#"{"list":[{"id":\#(value)}]}"#) : Self.good(request)
    }
    let answer = harness.ask("/v1/screens/recommend")
    #expect(Self.header("users", of: answer)["error"] as? String == "upstream_shape")
    #expect(Self.header("users", of: answer)["parameter"] as? String == "category_id")
    #expect(!harness.upstream.urls.contains { $0.contains("users") })
  }

  @Test("a section that the screen cannot do without fails it")
  func required() throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.contains("/banner") ? .failed(.connect) : nil
    }
    let answer = harness.ask("/v1/screens/strict")
    #expect(answer.status == 503)
    #expect(answer.header["error"] as? String == "upstream_unreachable")
    #expect(answer.header["screen"] as? String == "strict")
    #expect(answer.envelope["body"] is NSNull)
    #expect(harness.upstream.cancelled == 1)
  }

  @Test("what is not there in time has failed, and is ended upstream")
  func timeout() throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.contains("/categories") ? nil : Self.good(request)
    }
    let answer = harness.ask("/v1/screens/strict")
    #expect(answer.status == 200)
    #expect(answer.warnings == ["section_failed:categories"])
    #expect(Self.header("categories", of: answer)["error"] as? String == "upstream_timeout")
    #expect(harness.upstream.cancelled == 1)
  }

  @Test("sections are asked for side by side")
  func sideBySide() throws {
    let harness = try Harness(Self.configuration) { _ in nil }
    let exchange = harness.begin("/v1/screens/recommend")
    while harness.upstream.requests.count < 2 { usleep(1_000) }
    #expect(
      Set(harness.upstream.urls) == ["http://social.example/categories", "http://social.example/banner"])
    harness.hangUp(exchange)
    #expect(harness.upstream.cancelled == 2)
    #expect(exchange.answerCount == 0)
    #expect(harness.upstream.requests.count == 2)
  }

  @Test("a section is asked for as soon as what it needs is there, whatever else is under way")
  func asSoonAsPossible() throws {
    let harness = try Harness(Self.configuration) { $0.url.hasSuffix("/banner") ? nil : Self.good($0) }
    let exchange = harness.begin("/v1/screens/recommend")
    // The users of the first category, and what needs these, while the banner has not come.
    while harness.upstream.requests.count < 4 { usleep(1_000) }
    #expect(exchange.answerCount == 0)
    harness.upstream.answerHeld(1, with: .body("1"))
    let answer = exchange.wait()
    #expect(answer.warnings == [] && Self.section("banner", of: answer)["body"] as? Int == 1)
  }

  @Test("the time is the screen's: sections that wait for one another have it together")
  func deadline() throws {
    let harness = try Harness(Self.configuration) { $0.url.contains("/categories") ? nil : Self.good($0) }
    let answer = harness.ask("/v1/screens/short")
    // All have failed.
    #expect(answer.status == 503 && answer.envelope["status"] as? Int == -5)
    for section in ["categories", "users"] {
      #expect(Self.header(section, of: answer)["error"] as? String == "upstream_timeout")
    }
    #expect(harness.upstream.requests.count == 1 && harness.upstream.cancelled == 1)
  }

  @Test("a newer screen in the slot ends all sections of the older")
  func slots() throws {
    let harness = try Harness(Self.configuration) {
      $0.url.contains("word=b") || $0.url.contains("/banner") ? Self.good($0) : nil
    }
    let older = harness.begin("/v1/screens/recommend?word=a", .get, [(.listwaySlot, "s")])
    while harness.upstream.requests.count < 2 { usleep(1_000) }
    let newer = harness.begin("/v1/screens/recommend?word=b", .get, [(.listwaySlot, "s")])
    #expect(older.wait().status == 409)
    // The categories that the older had asked for may do for the newer.
    while harness.upstream.requests.count < 3 { usleep(1_000) }
    harness.upstream.answerHeld(2, with: .body(Self.categories))
    let answer = newer.wait()
    #expect(answer.status == 200)
    #expect(
      Self.header("users", of: answer)["parameters"] as? [String: String] == [
        "category_id": "7", "word": "b",
      ])
  }

  struct Bad: Sendable {
    let target: String
    var method = HTTPSemantics.Method.get
    let status: Int
    var parameter: String?
  }

  @Test(
    "what is wrong with a request is said by name, and nothing is sent upstream",
    arguments: [
      Bad(target: "/v1/screens/none", status: 404), Bad(target: "/v1/screens/recommend/users", status: 404),
      Bad(target: "/v1/screens/recommend", method: .post, status: 405),
      Bad(target: "/v1/screens/recommend?limit=3", status: 400, parameter: "limit"),
      Bad(target: "/v1/screens/picked", status: 400, parameter: "category"),
      Bad(target: "/v1/screens/picked?category=x", status: 400, parameter: "category"),
      // The screen would take it, its list would not.
      Bad(target: "/v1/screens/picked?category=100", status: 400, parameter: "category"),
      Bad(target: "/v1/screens/picked?category=1&category=2", status: 400, parameter: "category"),
    ])
  func bad(_ bad: Bad) throws {
    let harness = try Harness(Self.configuration, answer: Self.good)
    let answer = harness.ask(bad.target, bad.method)
    #expect(answer.status == bad.status)
    #expect(answer.header["parameter"] as? String == bad.parameter)
    #expect(harness.upstream.requests.isEmpty)
  }

  @Test("a screen can be asked for anew by its tag, has a HEAD, and shows raw answers on demand")
  func tags() throws {
    let harness = try Harness(Self.configuration, answer: Self.good)
    let answer = harness.ask("/v1/screens/recommend")
    let tag = answer.fields.value(.etag)
    #expect(harness.ask("/v1/screens/recommend", .get, [(.ifNoneMatch, tag)]).status == 304)
    #expect(harness.ask("/v1/screens/recommend", .get, [(.ifNoneMatch, "\"x\"")]).status == 200)
    #expect(harness.ask("/v1/screens/recommend", .head).status == 200)
    let shown = harness.ask("/v1/screens/recommend?debug=1")
    #expect(Self.header("banner", of: shown)["text"] as? String == #"{"text":  1.10}"#)
    #expect((Self.header("users", of: shown)["text"] as? String)?.contains("701") == true)
  }

  @Test("screens are listed with their parameters and sections")
  func catalogue() throws {
    let harness = try Harness(Self.configuration, answer: Self.good)
    let answer = harness.ask("/v1/screens")
    let screens = try #require(answer.envelope["body"] as? [[String: Any]])
    #expect(screens.map { $0["name"] as? String } == ["recommend", "strict", "short", "picked"])
    #expect(screens[0]["href"] as? String == "/v1/screens/recommend")
    #expect(screens[0]["title"] as? String == "Whom to follow")
    let sections = try #require(screens[0]["sections"] as? [[String: Any]])
    #expect(sections.map { $0["name"] as? String } == ["users", "categories", "banner", "first"])
    #expect(
      sections.map { ($0["list"] ?? $0["call"]) as? String } == ["users", "categories", "banner", "banner"])
    #expect((screens[3]["parameters"] as? [[String: Any]])?.first?["name"] as? String == "category")
  }
}
