import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

/// What an upstream does wrong, and what the client is to see.
struct FailureCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var outcome: Harness.Outcome
  var status: Int
  var http: Int
  var error: String
  var message: String

  static let network = "The network is not doing well. Please check it and try again."
  static let server = "The server has a fault. Please try again later."
  static let shape = "The server gave an unexpected answer. Please try again later."

  static func unreachable(_ kind: TransportFailure.Kind) -> FailureCase {
    FailureCase(
      testDescription: kind.rawValue, outcome: .failed(kind), status: -1, http: 503,
      error: "upstream_unreachable",
      message: network)
  }

  static func faulty(_ name: String, _ outcome: Harness.Outcome) -> FailureCase {
    FailureCase(
      testDescription: name, outcome: outcome, status: -2, http: 502, error: "upstream_fault", message: server
    )
  }

  static func misshapen(_ body: String) -> FailureCase {
    FailureCase(
      testDescription: body, outcome: .body(body), status: -3, http: 502, error: "upstream_shape",
      message: shape)
  }

  static let all: [FailureCase] = [
    unreachable(.noRoute), unreachable(.nameResolution), unreachable(.connect), unreachable(.tls),
    unreachable(.resetBeforeResponse),
    FailureCase(
      testDescription: "timeout", outcome: .failed(.timeout), status: -5, http: 504,
      error: "upstream_timeout",
      message: "The server took too long to answer. Please try again."),
    faulty("reset within the answer", .failed(.resetWithinResponse)), faulty("too large", .failed(.tooLarge)),
    faulty("protocol", .failed(.protocol)),
    faulty("500", .body(#"{"error":1}"#, status: 500)), faulty("503 HTML", .body("<html>", status: 503)),
    faulty("HTML with 200", .body("<!DOCTYPE html><html></html>", fields: [(.contentType, "text/html")])),
    faulty("trailing garbage", .body(#"{"list":[],"total":0} x"#)),
    faulty("two documents", .body(#"{"list":[]}{"list":[]}"#)),
    faulty("cut in half", .body(#"{"list":[{"id":1},{"i"#)),
    faulty("invalid UTF-8", .bytes(Array(#"{"list":["#.utf8) + [0x22, 0xFF, 0x22] + Array("]}".utf8))),
    faulty("a PHP warning first", .body("<br />\n<b>Warning</b>: mysql_query()\n{\"list\":[]}")),
    faulty("empty body", .body("")),
    misshapen(#"{"lists":[]}"#), misshapen(#"{"list":7}"#), misshapen(#"[1,2]"#), misshapen("true"),
  ]
}

@Suite("Failures", .timeLimit(.minutes(10)))
struct FailureTests {
  @Test(
    "each thing that goes wrong upstream has its state, its status and its words", arguments: FailureCase.all)
  func failures(_ example: FailureCase) throws {
    let harness = try Harness(pagedConfiguration) { _ in example.outcome }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == example.http)
    #expect(answer.envelope["status"] as? Int == example.status)
    #expect(answer.header["error"] as? String == example.error)
    #expect(answer.envelope["message"] as? String == example.message)
    #expect(answer.envelope["body"] is NSNull)
    #expect(answer.text.hasPrefix("{\"status\":"))
    #expect(answer.fields.text(.cacheControl) == "no-store")
  }

  @Test("an unreachable network and a faulty server read differently in Chinese too")
  func chinese() throws {
    let unreachable = try Harness(pagedConfiguration) { _ in .failed(.connect) }
    let faulty = try Harness(pagedConfiguration) { _ in .body("", status: 500) }
    let asked: [(FieldName, String)] = [(.acceptLanguage, "zh-CN,zh;q=0.9,en;q=0.5")]
    let first = try #require(
      unreachable.ask("/v1/lists/items", .get, asked).envelope["message"] as? String)
    #expect(first.contains("网络不给力"))
    #expect(
      faulty.ask("/v1/lists/items", .get, asked).envelope["message"] as? String == "服务器故障，请稍后再试")
  }

  @Test("a client that asks for problem details gets the same facts in that form")
  func problem() throws {
    let harness = try Harness(pagedConfiguration) { _ in .failed(.timeout) }
    let answer = harness.ask("/v1/lists/items", .get, [(.accept, "application/problem+json")])
    #expect(answer.fields.text(.contentType) == "application/problem+json")
    #expect(answer.envelope["status"] as? Int == 504)
    #expect(answer.envelope["type"] as? String == "urn:listway:error:upstream_timeout")
    #expect(answer.envelope["error"] as? String == "upstream_timeout")
    #expect(answer.envelope["listwayStatus"] as? Int == -5)
  }

  @Test("a failed page is asked for again, and no item is lost or doubled")
  func retriedPage() throws {
    let list = PagedList(count: 57)
    let failures = Countdown(3)
    let harness = try Harness(pagedConfiguration) { request in
      if request.url.contains("page=2"), failures.tick() { return .failed(.timeout) }
      return list.answer(to: request.url)
    }
    let first = harness.ask("/v1/lists/items?limit=20")
    let cursor = try #require(first.next)
    for _ in 0..<3 { #expect(harness.ask("/v1/lists/items?limit=20&cursor=\(cursor)").status == 504) }
    let second = harness.ask("/v1/lists/items?limit=20&cursor=\(cursor)")
    #expect(second.items == Array(list.items[20..<40]))
  }

  @Test("a slice whose second page fails is short, says so, and goes on at that page")
  func shortSlice() throws {
    let list = PagedList(count: 57)
    let failures = Countdown(1)
    let harness = try Harness(pagedConfiguration) { request in
      if request.url.contains("page=2"), failures.tick() { return .body("<html>", status: 500) }
      return list.answer(to: request.url)
    }
    let first = harness.ask("/v1/lists/items?limit=50")
    #expect(first.items == Array(list.items[..<20]))
    #expect(first.warnings == ["page_failed:upstream_fault"])
    let second = harness.ask("/v1/lists/items?limit=50&cursor=\(try #require(first.next))")
    #expect(second.items == Array(list.items[20...]))
  }

  @Test("an unreachable upstream says when to come back, and what went wrong on the way")
  func unreachableFields() throws {
    let answer = try Harness(pagedConfiguration) { _ in .failed(.connect) }.ask("/v1/lists/items")
    #expect(answer.fields.text(.retryAfter) == "1")
    #expect(answer.fields.text(.proxyStatus) == #"listway; error=connection_refused; next-hop="shop""#)
  }

  @Test("what an upstream answered that would not do is told in Proxy-Status")
  func receivedStatus() throws {
    let answer = try Harness(pagedConfiguration) { _ in .body("oops", status: 500) }.ask("/v1/lists/items")
    #expect(answer.fields.text(.proxyStatus) == #"listway; received-status=500; next-hop="shop""#)
  }

  @Test("an upstream that asks for rest without saying how long is left alone for a while")
  func rateLimitedWithoutTime() throws {
    let answer = try Harness(pagedConfiguration) { _ in .body("{}", status: 429) }.ask("/v1/lists/items")
    #expect(answer.status == 429)
    #expect(answer.fields.text(.retryAfter) == "5")
  }

  @Test("an upstream's code and words are passed on up to a length")
  func longWords() throws {
    let configuration = pagedConfiguration.replacing(
      #"{url: "http://127.0.0.1:1/api"}"#,
      with:
        #"{url: "http://127.0.0.1:1/api", refused: {when: /code, is_not: 0, code: /code, message: /message}}"#
    )
    let long = String(repeating: "字", count: 100_000)
    let harness = try Harness(configuration) { _ in .body(#"{"code":"\#(long)","message":"\#(long)"}"#) }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == 422)
    #expect((answer.envelope["message"] as? String)?.count == 1_000)
    #expect((answer.header["upstreamCode"] as? String)?.count == 200)
  }

  @Test(
    "the upstream's own limit is passed on with its Retry-After",
    arguments: ["17", "Thu, 24 Sep 2026 11:33:27 GMT"])
  func rateLimited(retryAfter: String) throws {
    let harness = try Harness(pagedConfiguration) { _ in
      .body(#"{"message":"slow down"}"#, status: 429, fields: [(.retryAfter, retryAfter)])
    }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == 429)
    #expect(answer.header["error"] as? String == "rate_limited")
    #expect(answer.fields.text(.retryAfter) != nil)
  }

  @Test("a refusal inside a 200 carries the upstream's code and words")
  func refused() throws {
    let configuration = pagedConfiguration.replacing(
      #"{url: "http://127.0.0.1:1/api"}"#,
      with:
        #"{url: "http://127.0.0.1:1/api", refused: {when: /code, is_not: 0, code: /code, message: /message}}"#
    )
    let harness = try Harness(configuration) { _ in
      .body(#"{"code":1001,"message":"未登录","list":null}"#)
    }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == 422)
    #expect(answer.envelope["status"] as? Int == -4)
    #expect(answer.envelope["message"] as? String == "未登录")
    #expect(answer.header["upstreamCode"] as? String == "1001")
  }

  @Test("with debug, a failure shows what the upstream said and why that would not do")
  func debug() throws {
    let harness = try Harness(pagedConfiguration) { _ in .body("<b>Warning</b>: mysql_query()") }
    let answer = harness.ask("/v1/lists/items?debug=1")
    #expect(answer.header["text"] as? String == "<b>Warning</b>: mysql_query()")
    #expect((answer.header["detail"] as? String)?.contains("line 1, column 1") == true)
    #expect(harness.ask("/v1/lists/items").header["text"] == nil)
  }

  @Test("a client that goes away ends its upstream request, and is not answered")
  func abandoned() throws {
    let harness = try Harness(pagedConfiguration) { _ in nil }
    let exchange = harness.begin("/v1/lists/items")
    while harness.upstream.requests.isEmpty { usleep(1_000) }
    harness.hangUp(exchange)
    #expect(harness.upstream.cancelled == 1)
    #expect(exchange.answerCount == 0)
    // Its loop goes on.
    #expect(harness.ask("/livez").status == 200)
  }
}
