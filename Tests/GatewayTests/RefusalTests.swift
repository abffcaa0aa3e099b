import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

/// One way to say no, as an upstream's configuration describes it.
struct RefusalCase: Sendable, CustomTestStringConvertible {
  var rule: String
  var body: String
  var status = 200
  var fields: [(FieldName, String)] = []
  /// What the client is to see: `header.error`, the message, `header.upstreamCode`.
  var error: String
  var message: String
  var code: String?

  var testDescription: String { "\(status) \(body) by \(rule)" }

  static let refused = "upstream_refused"
  static let problem: (FieldName, String) = (.contentType, "application/problem+json; charset=utf-8")

  static let inside: [RefusalCase] = [
    RefusalCase(
      rule: "{when: /code, is_not: 0, message: /msg}", body: #"{"code":7,"msg":"no"}"#, error: refused,
      message: "no", code: "7"),
    RefusalCase(
      rule: "{when: /ok, is: false, code: /error, message: /error}",
      body: #"{"ok":false,"error":"not_authed"}"#,
      error: refused, message: "not_authed", code: "not_authed"),
    RefusalCase(
      rule: "{when: /status, in: [DENIED, OVER_LIMIT], message: [/error_message, /status]}",
      body: #"{"status":"DENIED","list":[]}"#, error: refused, message: "DENIED", code: "DENIED"),
    RefusalCase(
      rule: "{when: /status, not_in: [OK, ZERO_RESULTS], message: /why}", body: #"{"status":"X","why":"é"}"#,
      error: refused, message: "é", code: "X"),
    RefusalCase(
      rule: "{when: /error, present: true, code: /error/code, message: /error/message}",
      body: #"{"error":{"code":498,"message":"Invalid token."}}"#, error: refused, message: "Invalid token.",
      code: "498"),
    RefusalCase(
      rule: "{when: /result, absent: true, code: /no, message: /why}",
      body: #"{"result":null,"no":3,"why":"w"}"#,
      error: refused, message: "w", code: "3"),
    RefusalCase(
      rule: "{when: \"header:X-Error\", present: true, message: \"header:X-Error\"}", body: #"{"list":[]}"#,
      fields: [("X-Error", "bad value")], error: refused, message: "bad value", code: "bad value"),
    RefusalCase(
      rule: "{when: /errors, present: true, code: /errors/0/0, message: /errors/0/1}",
      body: #"{"errors":[["USER_REQUIRED","Please log in.",null]]}"#, error: refused,
      message: "Please log in.", code: "USER_REQUIRED"),
  ]

  static let mapped: [RefusalCase] = [
    ("1001", "session_failed", "words"), ("1002", "rate_limited", "words"), ("1003", "not_found", "words"),
    ("1005", "cursor_expired", "This position in the list is too old. Please start again from the top."),
    ("1006", "upstream_refused", "words"),
  ].map { (code: String, error: String, message: String) in
    RefusalCase(
      rule:
        "{when: /code, is_not: 0, message: /msg, cases: {\"1001\": session_expired, \"1002\": rate_limited, "
        + "\"1003\": not_found, \"1004\": end_of_list, \"1005\": cursor_expired, \"1006\": refused}}",
      body: #"{"code":"\#(code)","msg":"words"}"#, error: error, message: message, code: code)
  }

  static let byStatus: [RefusalCase] = [
    RefusalCase(
      rule: "{message: [/error/message, /error, /message]}", body: #"{"message":"Bad credentials"}"#,
      status: 401,
      error: refused, message: "Bad credentials", code: "401"),
    RefusalCase(
      rule: "{code: /code, message: /message}", body: #"{"code":20003,"message":"Authenticate"}"#,
      status: 401,
      error: refused, message: "Authenticate", code: "20003"),
    // What a refusal inside a success looks like says nothing of what stands in a refusal by status.
    RefusalCase(
      rule: "{when: /ok, is: false, message: /msg}", body: #"{"msg":"no such thing"}"#, status: 404,
      error: refused, message: "no such thing", code: "404"),
    RefusalCase(
      rule: "{message: /why}", body: #"{"why":"slow down"}"#, status: 429, fields: [(.retryAfter, "9")],
      error: "rate_limited", message: "slow down", code: "429"),
    RefusalCase(
      rule: "{message: /why, cases: {\"403\": rate_limited}}", body: #"{"why":"abuse"}"#, status: 403,
      fields: [(.retryAfter, "9")], error: "rate_limited", message: "abuse", code: "403"),
    RefusalCase(
      rule: "{code: /name, message: /why, cases: {throttled: rate_limited}}",
      body: #"{"name":"throttled","why":"wait"}"#, status: 400, fields: [(.retryAfter, "9")],
      error: "rate_limited", message: "wait", code: "throttled"),
    RefusalCase(
      rule: "{message: /why, cases: {\"401\": session_expired}}", body: "<html>", status: 401,
      error: "session_failed", message: "The server refused the request and gave no reason.", code: "401"),
    RefusalCase(
      rule: "{message: /why}", body: "Retry later\n", status: 429,
      fields: [(.contentType, "text/plain; charset=utf-8"), (.retryAfter, "9")], error: "rate_limited",
      message: "Retry later", code: "429"),
    RefusalCase(
      rule: "{message: /why}", body: "<h1>No</h1>", status: 403, fields: [(.contentType, "text/html")],
      error: refused, message: "The server refused the request and gave no reason.", code: "403"),
    RefusalCase(
      rule: "{message: /why}", body: #"{"title":"Too Many","detail":"More than 10 at once."}"#, status: 422,
      fields: [problem], error: refused, message: "More than 10 at once.", code: "422"),
    RefusalCase(
      rule: "{message: /why}", body: #"{"title":"Too Many","detail":""}"#, status: 422, fields: [problem],
      error: refused, message: "Too Many", code: "422"),
  ]
}

@Suite("Refusals", .timeLimit(.minutes(10)))
struct RefusalTests {
  static func harness(
    _ rule: String, answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?
  ) throws -> Harness {
    try Harness(
      pagedConfiguration.replacing(
        #"{url: "http://127.0.0.1:1/api"}"#, with: #"{url: "http://127.0.0.1:1/api", refused: \#(rule)}"#),
      answer: answer)
  }

  @Test(
    "the client gets the upstream's code and words, and the state that its code stands for",
    arguments: RefusalCase.inside + RefusalCase.mapped + RefusalCase.byStatus)
  func refusals(example: RefusalCase) throws {
    let harness = try Self.harness(example.rule) { _ in
      .body(example.body, status: example.status, fields: example.fields)
    }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.header["error"] as? String == example.error)
    #expect(answer.envelope["message"] as? String == example.message)
    #expect(answer.header["upstreamCode"] as? String == example.code)
    #expect(answer.envelope["body"] is NSNull)
    if example.error == "rate_limited" {
      let wait = example.fields.contains { $0.0 == .retryAfter } ? "9" : "5"
      #expect(answer.fields.text(.retryAfter) == wait)
    }
  }

  @Test(
    "an answer that the rule does not mean is none",
    arguments: [
      ("{when: /code, is_not: 0}", #"{"code":"0","list":[{"id":1}]}"#),
      ("{when: /code, is: 1}", #"{"list":[{"id":1}]}"#),
      ("{when: /status, in: [DENIED]}", #"{"status":"OK","list":[{"id":1}]}"#),
      ("{when: /status, not_in: [OK, 200]}", #"{"status":200,"list":[{"id":1}]}"#),
      ("{when: /error, present: true}", #"{"error":"","list":[{"id":1}]}"#),
      ("{when: /list, absent: true}", #"{"list":[{"id":1}]}"#),
      ("{message: /message}", #"{"message":"welcome","list":[{"id":1}]}"#),
    ])
  func successes(rule: String, body: String) throws {
    let answer = try Self.harness(rule) { _ in .body(body) }.ask("/v1/lists/items?limit=1")
    #expect(answer.items == [#"{"id":1}"#])
  }

  @Test("a code that means the end of the list ends it, on whichever page it comes")
  func endOfList() throws {
    let list = PagedList(count: 40, total: "null")
    let rule = "{when: /code, present: true, cases: {\"1004\": end_of_list}}"
    let harness = try Self.harness(rule) { request in
      request.url.contains("page=3") ? .body(#"{"code":1004}"#) : list.answer(to: request.url)
    }
    let answer = harness.ask("/v1/lists/items?limit=100")
    #expect(answer.items == list.items)
    #expect(answer.next == nil)
    let empty = try Self.harness(rule) { _ in .body(#"{"code":1004}"#) }.ask("/v1/lists/items")
    #expect(empty.status == 200 && empty.items.isEmpty && empty.next == nil)
  }

  @Test(
    "a status that ends the list does so although the body is a refusal by the rule", arguments: [404, 400])
  func endByStatus(status: Int) throws {
    let list = PagedList(count: 40, total: "null")
    let harness = try Self.harness("{when: /error, present: true, message: /error}") { request in
      request.url.contains("page=3")
        ? .body(#"{"error":"There is nothing here"}"#, status: status) : list.answer(to: request.url)
    }
    let answer = harness.ask("/v1/lists/items?limit=100")
    #expect(answer.items == list.items)
    #expect(answer.next == nil && answer.warnings == [])
  }
}
