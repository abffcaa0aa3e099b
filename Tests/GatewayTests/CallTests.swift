import Foundation
import HTTPSemantics
import Testing

@testable import Gateway

@Suite("Calls", .timeLimit(.minutes(10)))
struct CallTests {
  static let configuration = """
    debug: true
    upstreams:
      erp:
        url: http://erp.example/api
        refused: {when: /code, is_not: 0, code: /code, message: /message}
        retries: {base: 1ms, cap: 1ms}
    lists:
      orders: {upstream: erp, paging: {style: whole}, items: {at: /data, id: /id}}
    calls:
      order:
        upstream: erp
        title: An order
        parameters:
          id: {type: integer, required: true, min: 1}
          lang: {type: string}
        request: {path: "/orders/{id}", query: {lang: "{lang}"}}
        answer: {body: /data}
      find:
        upstream: erp
        method: GET
        idempotent: true
        parameters: {word: {required: true}}
        request: {method: POST, path: /find, form: {word: "{word}"}}
        answer: {body: /data, absent: empty}
      place:
        upstream: erp
        parameters:
          customer: {type: object}
          lines: {type: array, required: true}
          note: {type: string, maxLength: 5}
          count: {type: integer, default: 1}
          gift: {type: boolean}
        request:
          method: POST
          path: /orders
          json: {customer: "{customer}", lines: "{lines}", note: "{note}", count: "{count}", gift: "{gift}"}
        answer: {body: /data}
    """

  private static func harness(
    _ answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?
  ) throws -> Harness {
    try Harness(configuration, answer: answer)
  }

  @Test("the payload is the upstream's own bytes, whatever they are")
  func bytes() throws {
    let payloads = [
      #"{"id":9007199254740993,"price":1.10,"b":1,"a":2,"a":3,"t":"\u00e9"}"#, "[1.0,2e5]", #""text""#,
      "null",
      "12345678901234567890", "true",
    ]
    for payload in payloads {
      let harness = try Self.harness { _ in .body("{\"code\":0, \"data\":  \(payload)  }") }
      let answer = harness.ask("/v1/calls/order?id=7")
      #expect(answer.status == 200)
      let head =
        #"{"status":0,"header":{"call":"order","requestId":"\#(answer.fields.value(.xRequestID))","warnings":[]}"#
      #expect(answer.text == head + #","body":\#(payload),"message":"ok"}"#)
      #expect(harness.upstream.urls == ["http://erp.example/api/orders/7"])
    }
  }

  @Test("a GET can be asked for anew by its tag, and has a HEAD")
  func tags() throws {
    let harness = try Self.harness { _ in .body(#"{"code":0,"data":{"id":7}}"#) }
    let answer = harness.ask("/v1/calls/order?id=7")
    let tag = answer.fields.value(.etag)
    #expect(answer.fields.value(.cacheStatus) == "listway; fwd=bypass")
    #expect(harness.ask("/v1/calls/order?id=7", .get, [(.ifNoneMatch, tag)]).status == 304)
    #expect(harness.ask("/v1/calls/order?id=7", .get, [(.ifNoneMatch, "\"other\"")]).status == 200)
    #expect(harness.ask("/v1/calls/order?id=7", .head).status == 200)
  }

  @Test("a posted JSON object's members are the parameters: objects and arrays go on as they are")
  func json() throws {
    let harness = try Self.harness { _ in .body(#"{"code":0,"data":{"id":1}}"#) }
    let lines = #"[{"sku":"a","n":9007199254740993} , {"price": 1.10}]"#
    let answer = harness.ask(
      "/v1/calls/place", .post, [(.contentType, "application/json; charset=UTF-8")],
      content:
        #"{ "lines": \#(lines), "customer":{"b":1,"a":"\u00e9"}, "note":"\"q\"", "gift":false, "count": null}"#
    )
    #expect(answer.status == 200)
    #expect(answer.fields.value(.cacheStatus) == "listway; fwd=method")
    #expect(answer.fields.first(.etag) == nil)
    let sent = try #require(harness.upstream.requests.first)
    #expect(
      String(decoding: sent.content ?? [], as: UTF8.self)
        == #"{"customer":{"b":1,"a":"\u00e9"},"lines":\#(lines),"note":"\"q\"","count":1,"gift":false}"#)
    #expect(sent.method == .post)
    #expect(sent.fields.value(.contentType) == "application/json")
  }

  @Test("a posted form and the query give parameters too")
  func form() throws {
    let harness = try Self.harness { _ in .body(#"{"code":0,"data":{}}"#) }
    let answer = harness.ask(
      "/v1/calls/place?count=3", .post, [(.contentType, "application/x-www-form-urlencoded")],
      content: "lines=%5B1%2C2%5D&note=a+b&gift=true")
    #expect(answer.status == 200)
    #expect(
      harness.upstream.requests.first?.content.map { String(decoding: $0, as: UTF8.self) }
        == #"{"lines":[1,2],"note":"a b","count":3,"gift":true}"#)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var target = "/v1/calls/place"
    var method = HTTPSemantics.Method.post
    var type = "application/json"
    var content = #"{"lines":[]}"#
    var status = 400
    var parameter: String?
    var fields: [(FieldName, String)] = []
    var testDescription: String { "\(method.name) \(target) \(type) \(content)" }
  }

  @Test(
    "what is wrong with a request is said by name, and nothing is sent upstream",
    arguments: [
      Bad(content: #"{"lines":{}}"#, parameter: "lines"),
      Bad(content: #"{}"#, parameter: "lines"),
      Bad(content: #"{"lines":null}"#, parameter: "lines"),
      Bad(content: #"{"lines":[],"line":1}"#, parameter: "line"),
      Bad(content: #"{"lines":[],"lines":[1]}"#, parameter: "lines"),
      Bad(content: #"{"lines":[],"count":1.5}"#, parameter: "count"),
      Bad(content: #"{"lines":[],"count":"1"}"#, parameter: "count"),
      Bad(content: #"{"lines":[],"gift":"true"}"#, parameter: "gift"),
      Bad(content: #"{"lines":[],"note":"123456"}"#, parameter: "note"),
      Bad(content: #"{"lines":[],"note":7}"#, parameter: "note"),
      Bad(content: #"[]"#), Bad(content: #"{"lines":[}"#), Bad(content: "lines"),
      Bad(type: "text/plain", status: 415), Bad(type: "", status: 415),
      Bad(type: "application/json; charset=gbk", status: 415),
      Bad(status: 415, fields: [(.contentEncoding, "gzip")]),
      Bad(type: "application/x-www-form-urlencoded", content: "lines=%ZZ", parameter: "lines"),
      Bad(type: "application/x-www-form-urlencoded", content: "lines=[1", parameter: "lines"),
      Bad(type: "application/x-www-form-urlencoded", content: "lines=[]&lines=[]", parameter: "lines"),
      Bad(target: "/v1/calls/place?lines=[]", parameter: "lines"),
      Bad(target: "/v1/calls/place?debug=2", parameter: "debug"),
      Bad(parameter: "Idempotency-Key", fields: [(.idempotencyKey, "")]),
      Bad(target: "/v1/calls/order", method: .get, content: "", parameter: "id"),
      Bad(target: "/v1/calls/order?id=0", method: .get, content: "", parameter: "id"),
      Bad(target: "/v1/calls/order?id=7&limit=1", method: .get, content: "", parameter: "limit"),
      Bad(target: "/v1/calls/order?id=7", status: 405), Bad(method: .get, status: 405),
      Bad(method: .head, status: 405), Bad(method: .put, status: 405),
      Bad(target: "/v1/calls/none", status: 404), Bad(target: "/v1/calls/order/7", method: .get, status: 404),
    ])
  func bad(_ bad: Bad) throws {
    let harness = try Self.harness { _ in .body("{}") }
    let answer = harness.ask(
      bad.target, bad.method, [(.contentType, bad.type)] + bad.fields, content: bad.content)
    #expect(answer.status == bad.status)
    #expect(answer.header["parameter"] as? String == bad.parameter)
    #expect(answer.header["error"] as? String == (bad.status == 404 ? "not_found" : "invalid_request"))
    #expect(answer.envelope["body"] is NSNull)
    #expect(harness.upstream.requests.isEmpty)
    if bad.status == 405 {
      #expect(answer.fields.value(.allow) == (bad.target.contains("order") ? "GET, HEAD" : "POST"))
    }
  }

  @Test("content that is too large is refused in the envelope")
  func tooLarge() throws {
    let harness = try Self.harness { _ in .body("{}") }
    let answer = harness.ask("/v1/calls/place", .post, fault: .contentTooLarge)
    #expect(answer.status == 413)
    #expect(answer.header["error"] as? String == "invalid_request")
  }

  @Test(
    "an upstream's failure is a call's failure",
    arguments: [
      (Harness.Outcome.failed(.connect), 503, "upstream_unreachable"),
      (.failed(.timeout), 504, "upstream_timeout"),
      (.body("oops", status: 500), 502, "upstream_fault"), (.body("<html>"), 502, "upstream_fault"),
      (.body(#"{"code":0}"#), 502, "upstream_shape"), (.body(""), 502, "upstream_fault"),
      (.body(#"{"code":12,"message":"sold out"}"#), 422, "upstream_refused"),
      (.body(#"{"code":12,"message":"gone"}"#, status: 404), 422, "upstream_refused"),
    ])
  func failures(outcome: Harness.Outcome, status: Int, code: String) throws {
    let harness = try Self.harness { _ in outcome }
    let answer = harness.ask(
      "/v1/calls/place?debug=1", .post, [(.contentType, "application/json")], content: #"{"lines":[]}"#)
    #expect(answer.status == status)
    #expect(answer.header["error"] as? String == code)
    #expect(answer.header["call"] as? String == "place")
    #expect(answer.header["detail"] is String)
    if code == "upstream_refused" { #expect(answer.header["upstreamCode"] as? String == "12") }
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_call_requests_total{call="place",status="\#(code)"} 1"#))
  }

  @Test("a call whose payload may be absent has null")
  func absent() throws {
    for outcome in [Harness.Outcome.body(#"{"code":0}"#), .body(""), .body("", status: 204)] {
      let harness = try Self.harness { _ in outcome }
      let answer = harness.ask("/v1/calls/find?word=x")
      #expect(answer.status == 200)
      #expect(answer.envelope["body"] is NSNull)
    }
    let harness = try Self.harness { _ in .body("", status: 204) }
    #expect(harness.ask("/v1/calls/order?id=7").envelope["body"] is NSNull)
  }

  @Test(
    "a call is made once, unless it may be made again",
    arguments: [("order?id=7", "", 1), ("order?id=7", "k-1", 3), ("find?word=x", "", 3)])
  func retries(target: String, key: String, count: Int) throws {
    let harness = try Self.harness { _ in .body("", status: 503) }
    let answer = harness.ask("/v1/calls/\(target)", .get, key.isEmpty ? [] : [(.idempotencyKey, key)])
    #expect(answer.status == 502)
    let requests = harness.upstream.requests
    #expect(requests.count == count)
    #expect(requests.allSatisfy { $0.fields.value(.idempotencyKey) == key })
  }

  @Test("the latest call in a slot wins, and what a client that left had asked for is ended")
  func slotsAndHangUps() throws {
    let harness = try Self.harness { $0.url.contains("/2") ? .body(#"{"code":0,"data":2}"#) : nil }
    let older = harness.begin("/v1/calls/order?id=1", .get, [(.listwaySlot, "detail")])
    while harness.upstream.requests.isEmpty { usleep(1_000) }
    #expect(harness.ask("/v1/calls/order?id=2", .get, [(.listwaySlot, "detail")]).status == 200)
    #expect(older.wait().status == 409)
    let leaving = harness.begin("/v1/calls/order?id=3")
    while harness.upstream.requests.count < 3 { usleep(1_000) }
    harness.hangUp(leaving)
    #expect(harness.upstream.cancelled == 2)
    #expect(leaving.answerCount == 0)
  }

  @Test("calls are listed with their parameters")
  func catalogue() throws {
    let harness = try Self.harness { _ in nil }
    let answer = harness.ask("/v1/calls")
    let calls = try #require(answer.envelope["body"] as? [[String: Any]])
    #expect(calls.map { $0["name"] as? String } == ["order", "find", "place"])
    #expect(calls.map { $0["method"] as? String } == ["GET", "GET", "POST"])
    #expect(calls[0]["href"] as? String == "/v1/calls/order")
    let parameters = try #require(calls[2]["parameters"] as? [[String: Any]])
    #expect(parameters.map { $0["type"] as? String } == ["object", "array", "string", "integer", "boolean"])
    #expect(harness.ask("/v1/calls", .post).status == 405)
    #expect(harness.ask("/v1/calls?x=1").status == 400)
  }
}

extension Fields {
  /// A field's first value; empty where there is none.
  func value(_ name: FieldName) -> String { first(name).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
