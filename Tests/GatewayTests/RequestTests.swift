import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

/// What is wrong with a request, and what the client is told.
struct BadRequest: Sendable, CustomTestStringConvertible {
  var target: String
  var method: HTTPSemantics.Method = .get
  var http = 400
  var status = -6
  var error = "invalid_request"
  var parameter: String?
  var message: String

  var testDescription: String { "\(method.name) \(target)" }

  static let lists = "items, others"
  static let parameters = "category, word, limit, cursor, debug"

  static let all: [BadRequest] = [
    BadRequest(
      target: "/v1/lists/items?limit=0", parameter: "limit",
      message: #"limit: found "0". Allowed: a whole number, 1 to 100."#),
    BadRequest(
      target: "/v1/lists/items?limit=-1", parameter: "limit",
      message: #"limit: found "-1". Allowed: a whole number, 1 to 100."#),
    BadRequest(
      target: "/v1/lists/items?limit=", parameter: "limit",
      message: #"limit: found "". Allowed: a whole number, 1 to 100."#),
    BadRequest(
      target: "/v1/lists/items?limit=1e2", parameter: "limit",
      message: #"limit: found "1e2". Allowed: a whole number, 1 to 100."#),
    BadRequest(
      target: "/v1/lists/items?limit=5&limit=6", parameter: "limit",
      message: "limit: given more than once. It may be given once."),
    BadRequest(
      target: "/v1/lists/items?page=2", parameter: "page",
      message: #""page": unknown parameter. Allowed: \#(parameters)."#),
    BadRequest(
      target: "/v1/lists/items?category=1&category=2", parameter: "category",
      message: "category: given more than once. It may be given once."),
    BadRequest(
      target: "/v1/lists/items?debug=yes", parameter: "debug",
      message: #"debug: found "yes". Allowed: 0 or 1."#),
    BadRequest(
      target: "/v1/lists/items?word=%zz", parameter: "word",
      message: #""word": malformed. Names and values are UTF-8, percent-encoded, without control characters."#
    ),
    BadRequest(
      target: "/v1/lists/items?word=%ff", parameter: "word",
      message: #""word": malformed. Names and values are UTF-8, percent-encoded, without control characters."#
    ),
    BadRequest(
      target: "/v1/lists/item", http: 404, status: -8, error: "not_found",
      message: #"There is no list "item". There are: \#(lists)."#),
    BadRequest(
      target: "/v1/lists/items/7", http: 404, status: -8, error: "not_found",
      message: #"There is nothing at "/v1/lists/items/7". Lists are at /v1/lists."#),
    BadRequest(
      target: "/v2", http: 404, status: -8, error: "not_found",
      message: #"There is nothing at "/v2". Lists are at /v1/lists."#),
    BadRequest(
      target: "/metrics", http: 404, status: -8, error: "not_found",
      message: #"There is nothing at "/metrics". Lists are at /v1/lists."#),
    BadRequest(
      target: "/v1/lists?limit=3", parameter: "limit",
      message: #""limit": unknown parameter. None is allowed here."#),
    BadRequest(
      target: "/v1/lists/items", method: .post, http: 405,
      message: #""POST" is not possible here. Allowed: GET, HEAD."#),
    BadRequest(
      target: "/livez", method: .delete, http: 405,
      message: #""DELETE" is not possible here. Allowed: GET, HEAD."#),
    BadRequest(
      target: "/v1/../etc", message: #"The request target is malformed: "." and ".." are not allowed."#),
    BadRequest(
      target: "*", message: #"The request target is malformed: it must be a path that begins with "/"."#),
    BadRequest(
      target: "/v1/lists/%", message: "The request target is malformed: a path is UTF-8, percent-encoded."),
    BadRequest(
      target: "/v1/lists/items?word=" + String(repeating: "a", count: 17_000), http: 414,
      message: "The request line is too long. Allowed: 16384 bytes."),
    BadRequest(
      target: "/v1/lists/items?cursor=abc", status: -7, error: "invalid_cursor", parameter: "cursor",
      message:
        "cursor: not a cursor of this list with these parameters. Use `next` of an earlier answer, unchanged."
    ),
  ]
}

@Suite("Requests", .timeLimit(.minutes(10)))
struct RequestTests {
  private func harness() throws -> Harness {
    let list = PagedList(count: 57)
    return try Harness(pagedConfiguration) { list.answer(to: $0.url) }
  }

  @Test(
    "a bad request is told what was found and what is allowed, and never reaches the upstream",
    arguments: BadRequest.all)
  func badRequests(_ example: BadRequest) throws {
    let harness = try harness()
    let answer = harness.ask(example.target, example.method)
    #expect(answer.status == example.http)
    #expect(answer.envelope["status"] as? Int == example.status)
    #expect(answer.header["error"] as? String == example.error)
    #expect(answer.header["parameter"] as? String == example.parameter)
    #expect(answer.envelope["message"] as? String == example.message)
    #expect(harness.upstream.requests.isEmpty)
    if example.http == 405 { #expect(answer.fields.text(.allow) == "GET, HEAD") }
  }

  @Test(
    "what could not be taken whole is refused with its own status, and the connection closed",
    arguments: [
      (RequestFault.targetTooLong, 414), (.fieldsTooLarge, 431), (.contentTooLarge, 413), (.malformed, 400),
    ])
  func faults(_ fault: RequestFault, _ status: Int) throws {
    let answer = try harness().ask("/v1/lists/items", fault: fault)
    #expect(answer.status == status)
    #expect(answer.envelope["status"] as? Int == -6)
  }

  @Test("no mutation of a cursor is a cursor: ten thousand of them")
  func mutatedCursors() throws {
    let harness = try harness()
    let cursor = Array(try #require(harness.ask("/v1/lists/items?limit=7").next).utf8)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var random = SeededRandom(seed: 20_261_130)
    for _ in 0..<10_000 {
      var mutant = cursor
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        mutant[Int.random(in: 0..<mutant.count, using: &random)] = alphabet.randomElement(using: &random)!
      case 1: mutant.removeLast(Int.random(in: 1...mutant.count, using: &random))
      case 2:
        mutant.insert(
          alphabet.randomElement(using: &random)!, at: Int.random(in: 0...mutant.count, using: &random))
      default:
        for _ in 0..<Int.random(in: 2..<9, using: &random) {
          mutant[Int.random(in: 0..<mutant.count, using: &random)] = alphabet.randomElement(using: &random)!
        }
      }
      if mutant == cursor { continue }
      let text = String(decoding: mutant, as: UTF8.self)
      let answer = harness.ask("/v1/lists/items?limit=7&cursor=\(text)")
      guard answer.status == 400, answer.text.contains("\"error\":\"invalid_cursor\"") else {
        Issue.record("cursor \(text) was answered \(answer.status)")
        return
      }
    }
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("a cursor belongs to its list, its parameters and its key")
  func boundCursors() throws {
    let harness = try harness()
    let cursor = try #require(harness.ask("/v1/lists/items?category=1&limit=7").next)
    #expect(harness.ask("/v1/lists/items?category=1&limit=9&cursor=\(cursor)").status == 200)
    for target in [
      "/v1/lists/items?category=2", "/v1/lists/items?word=1", "/v1/lists/items", "/v1/lists/others",
    ] {
      let answer = harness.ask(target + (target.contains("?") ? "&" : "?") + "cursor=\(cursor)")
      #expect(answer.header["error"] as? String == "invalid_cursor", "\(target)")
    }
  }

  @Test("a cursor of a list whose paging was configured otherwise is not taken")
  func reconfigured() throws {
    let cursor = try #require(try harness().ask("/v1/lists/items?limit=7").next)
    let list = PagedList(count: 57)
    let other = try Harness(pagedConfiguration.replacing("value: 20", with: "value: 25")) {
      list.answer(to: $0.url)
    }
    #expect(
      other.ask("/v1/lists/items?limit=7&cursor=\(cursor)").header["error"] as? String == "invalid_cursor")
  }

  @Test("the catalogue tells every list with its parameters and sizes")
  func catalogue() throws {
    let answer = try harness().ask("/v1/lists")
    #expect(answer.status == 200)
    let lists = try #require(answer.envelope["body"] as? [[String: Any]])
    #expect(lists.map { $0["name"] as? String } == ["items", "others"])
    #expect(lists[0]["maxLimit"] as? Int == 100)
    #expect(lists[0]["all"] as? String == "/v1/lists/items/all")
    let parameters = try #require(lists[0]["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["name"] as? String } == ["category", "word"])
  }

  @Test("health is told on both listeners, figures and status on the admin's only")
  func operations() throws {
    let harness = try harness()
    _ = harness.ask("/v1/lists/items")
    for listener in [Listener.service, .admin] {
      for path in ["/livez", "/readyz", "/healthz"] {
        let answer = harness.ask(path, listener: listener)
        #expect(answer.status == 200)
        #expect(answer.envelope["status"] as? String == "pass")
      }
    }
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_requests_total{list="items",status="ok",cache="miss"} 1"#))
    #expect(figures.contains(#"listway_upstream_requests_total{upstream="shop",outcome="ok"} 1"#))
    #expect(harness.ask("/status", listener: .admin).envelope["version"] as? String == "1.2.3")
    #expect(harness.ask("/v1/lists/items", listener: .admin).status == 404)
  }

  @Test("an upstream that is down turns health to warn, and never fails readiness")
  func upstreamDown() throws {
    let harness = try Harness(pagedConfiguration) { _ in .failed(.connect) }
    _ = harness.ask("/v1/lists/items")
    #expect(harness.ask("/readyz").status == 200)
    let health = harness.ask("/healthz")
    #expect(health.status == 200)
    #expect(health.envelope["status"] as? String == "warn")
  }

  @Test(
    "while draining, readiness fails, liveness does not, and requests are answered as ever, until the last")
  func draining() throws {
    let harness = try harness()
    harness.process.drain()
    #expect(harness.ask("/readyz").status == 503)
    #expect(harness.ask("/livez").status == 200)
    #expect(harness.ask("/v1/lists/items").status == 200)
    #expect(!harness.ask("/v1/lists/items").closesConnection)
    harness.process.close()
    #expect(harness.ask("/v1/lists/items").closesConnection)
  }
}
