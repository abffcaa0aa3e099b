import Access
import Configuration
import Foundation
import HTTPSemantics
import OpenSSLSealer
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// What an issuer answers when it is asked for its keys.
enum KeyAnswer: Sendable {
  case answer(Int, String)
  case failure

  static func set(_ keys: TokenVectors.Set) -> KeyAnswer { .answer(200, TokenVectors.json(keys)) }

  var outcome: Harness.Outcome {
    switch self {
    case .answer(let status, let body): .body(body, status: status)
    case .failure: .failed(.connect)
    }
  }
}

@Suite("Who may ask")
struct AccessTests {
  private static let vectors = TokenVectors.all
  private static let keys = ["app-key", "new-app-key", "partner-key"]

  private static func digest(_ key: String) -> String {
    OpenSSLVerifier.sha256(Array(key.utf8)).map { String(format: "%02x", $0) }.joined()
  }

  private static let configuration = """
    access:
      keys:
        - {name: app, sha256: \(digest(keys[0]))}
        - {name: app, sha256: \(digest(keys[1]))}
        - {name: partner, sha256: \(digest(keys[2]))}
      jwt:
        issuer: \(vectors.issuer)
        audience: \(vectors.audience)
        jwks: https://id.example.com/keys
    upstreams: {api: {url: "http://api.example.com", reachability: {probe: none}}}
    lists:
      open: {upstream: api, access: none, \(rest)}
      any: {upstream: api, \(rest)}
      partners: {upstream: api, access: {require: key, keys: [partner]}, \(rest)}
      orders: {upstream: api, access: {require: token, scopes: ["orders:read"], claims: {role: clerk}}, \(rest)}
      mine:
        upstream: api
        access: token
        parameters:
          sid: {type: integer, from: token, min: 1}
          tenant: {from: token, claim: /tenant/id}
          tag: {}
        request: {path: "/{tenant}", query: {sid: "{sid}", tag: "{tag}"}}
        paging: {style: page, page: {query: page, first: 1}}
        items: {at: "", id: /id}
    """
  private static let rest =
    #"request: {path: /items}, paging: {style: page, page: {query: page, first: 1}}, items: {at: "", id: /id}"#

  /// - Parameter keys: what the issuer answers, in turn; the last for ever.
  private static func harness(keys: [KeyAnswer] = [.set(vectors.jwks)]) throws
    -> Harness
  {
    let fetches = Atomic<Int>(0)
    return try Harness(configuration) { request in
      guard request.url != "https://id.example.com/keys" else {
        return keys[min(fetches.add(1, ordering: .relaxed).oldValue, keys.count - 1)].outcome
      }
      return .body(#"[{"id":1},{"id":2},{"id":3}]"#)
    }
  }

  private static func bearer(_ text: String) -> [(FieldName, String)] { [(.authorization, "Bearer \(text)")] }
  private static func token(_ name: String) -> [(FieldName, String)] { bearer(vectors.tokens[name] ?? "") }

  private func keyFetches(_ harness: Harness) -> Int {
    harness.upstream.urls.count { $0.hasPrefix("https://id.") }
  }

  @Test("each list is read by those it is for, and by nobody else")
  func matrix() throws {
    let harness = try Self.harness()
    let clients: [(String, [(FieldName, String)])] = [
      ("nobody", []), ("app", Self.bearer("app-key")), ("app, rotated", [(.xAPIKey, "new-app-key")]),
      ("partner", [(.xAPIKey, "partner-key")]), ("anna", Self.token("ES256")),
      ("ben", Self.token("another tenant")),
      ("another's basic", [(.authorization, "Basic YTpi")]), ("unknown key", Self.bearer("no-key")),
      ("forged", Self.token("signature: its own key within")),
      ("both", Self.bearer("app-key") + [(.xAPIKey, "app-key")]),
    ]
    let expected: [String: [Int]] = [
      "/v1/lists/open": [200, 200, 200, 200, 200, 200, 200, 200, 200, 200],
      "/v1/lists/any": [401, 200, 200, 200, 200, 200, 401, 401, 401, 401],
      "/v1/lists/any/all": [401, 200, 200, 200, 200, 200, 401, 401, 401, 401],
      "/v1/lists/partners": [401, 403, 403, 200, 401, 401, 401, 401, 401, 401],
      "/v1/lists/orders": [401, 401, 401, 401, 200, 403, 401, 401, 401, 401],
      "/v1/lists/mine": [401, 401, 401, 401, 200, 200, 401, 401, 401, 401],
      "/v1/lists": [401, 200, 200, 200, 200, 200, 401, 401, 401, 401],
      "/v1/lists/none": [401, 404, 404, 404, 404, 404, 401, 401, 401, 401],
      "/livez": Array(repeating: 200, count: 10),
    ]
    for (path, statuses) in expected {
      for ((name, fields), status) in zip(clients, statuses) {
        let answer = harness.ask(path, .get, fields)
        #expect(answer.status == status, "\(name) at \(path)")
        #expect(
          (answer.fields.first(.wwwAuthenticate) != nil) == [401, 403].contains(status), "\(name) at \(path)")
        if status == 401 || status == 403 {
          #expect(answer.envelope["status"] as? Int == -9)
          #expect(answer.header["error"] as? String == (status == 401 ? "unauthorized" : "forbidden"))
        }
      }
    }
    #expect(keyFetches(harness) == 1)
  }

  @Test("a refusal says how to do better, and nothing of what was sent")
  func challenges() throws {
    let harness = try Self.harness()
    let cases: [(String, [(FieldName, String)], String)] = [
      ("any", [], #"Bearer realm="listway""#),
      (
        "any", Self.token("expired: an hour ago"),
        #"Bearer realm="listway", error="invalid_token", error_description="the token has expired""#
      ),
      (
        "any", Self.bearer("no-key"),
        #"Bearer realm="listway", error="invalid_token", error_description="the API key is unknown""#
      ),
      (
        "orders", Self.token("another tenant"),
        #"Bearer realm="listway", error="insufficient_scope", scope="orders:read""#
      ),
    ]
    for (list, fields, challenge) in cases {
      let answer = harness.ask("/v1/lists/\(list)", .get, fields)
      #expect(answer.fields.text(.wwwAuthenticate) == challenge)
      #expect(answer.fields.text(.cacheControl) == "no-store")
    }
    let chinese = harness.ask("/v1/lists/any", .get, [(.acceptLanguage, "zh")])
    #expect(chinese.envelope["message"] as? String == "请先登录")
  }

  @Test("what comes from the token goes upstream, and cannot be set or seen by the client")
  func claims() throws {
    let harness = try Self.harness()
    #expect(harness.ask("/v1/lists/mine?tag=a", .get, Self.token("ES256")).status == 200)
    // The pages after it may be fetched ahead at once.
    let first = { (tenant: Int) in harness.upstream.urls.first { $0.contains("sid=\(tenant)") } }
    #expect(first(7) == "http://api.example.com/t-1?sid=7&tag=a&page=1")
    let answer = harness.ask("/v1/lists/mine?tag=a", .get, Self.token("ES256"))
    #expect(
      answer.fields.combined(.vary)?.text
        == "Accept, Accept-Encoding, Accept-Language, Authorization, X-API-Key")
    #expect(harness.ask("/v1/lists/mine", .get, Self.token("another tenant")).status == 200)
    #expect(first(8) == "http://api.example.com/t-1?sid=8&page=1")
    for name in ["sid", "tenant"] {
      let answer = harness.ask("/v1/lists/mine?\(name)=8", .get, Self.token("ES256"))
      #expect(answer.status == 400)
      #expect(answer.header["parameter"] as? String == name)
      #expect(
        answer.envelope["message"] as? String
          == "\"\(name)\": unknown parameter. Allowed: tag, limit, cursor.")
    }
    for name in ["without sid", "sid that is no number", "sid that is a list"] {
      let before = harness.upstream.urls.count
      #expect(harness.ask("/v1/lists/mine", .get, Self.token(name)).status == 403, "\(name)")
      #expect(harness.upstream.urls.count == before, "nothing is asked without it")
    }
    let catalogue = harness.ask("/v1/lists", .get, Self.token("ES256")).text
    #expect(catalogue.contains(#""name":"tag""#))
    #expect(!catalogue.contains(#""name":"sid""#))
  }

  @Test("a cursor of one tenant is none of another's")
  func cursors() throws {
    let harness = try Self.harness()
    let next = try #require(harness.ask("/v1/lists/mine?limit=2", .get, Self.token("ES256")).next)
    let target = "/v1/lists/mine?limit=2&cursor=\(next)"
    #expect(harness.ask(target, .get, Self.token("ES256")).status == 200)
    let other = harness.ask(target, .get, Self.token("another tenant"))
    #expect(other.status == 400)
    #expect(other.header["error"] as? String == "invalid_cursor")
    #expect(harness.ask(target).status == 401)
  }

  @Test("a token of an unknown key does not have the keys fetched again too soon")
  func rotation() throws {
    let harness = try Self.harness(keys: [
      .set(Self.vectors.jwks), .set(Self.vectors.rotated),
    ])
    #expect(harness.ask("/v1/lists/any", .get, Self.token("ES256")).status == 200)
    #expect(keyFetches(harness) == 1)
    // It is too early for a second fetch.
    #expect(harness.ask("/v1/lists/any", .get, Self.token("rotated")).status == 401)
    #expect(harness.ask("/v1/lists/any", .get, Self.token("unknownKey: another id")).status == 401)
    #expect(keyFetches(harness) == 1)
  }

  @Test("requests that come while the keys are fetched wait for them, all for the same fetch")
  func waiting() throws {
    let harness = try Harness(Self.configuration) { request in
      request.url.hasPrefix("https://id.") ? nil : .body("[]")
    }
    let exchanges = (0..<10).map { number in
      harness.begin("/v1/lists/any", .get, Self.token(number % 2 == 0 ? "ES256" : "rotated"))
    }
    harness.onLoop {}
    #expect(exchanges.map(\.answerCount) == Array(repeating: 0, count: 10))
    harness.hangUp(exchanges[0])
    harness.upstream.answerHeld(1, with: .body(TokenVectors.json(Self.vectors.jwks)))
    for (number, exchange) in exchanges.enumerated() where number > 0 {
      #expect(exchange.wait().status == (number % 2 == 0 ? 200 : 401))
    }
    #expect(exchanges[0].answerCount == 0)
    #expect(keyFetches(harness) == 1)
  }

  @Test(
    "without the issuer's keys no token counts, and the client is told that it is not its fault",
    arguments: [KeyAnswer.failure, .answer(500, ""), .answer(200, "no JSON"), .answer(200, #"{"keys":[]}"#)])
  func unreachableIssuer(_ outcome: KeyAnswer) throws {
    let harness = try Self.harness(keys: [outcome])
    for _ in 0..<3 {
      let answer = harness.ask("/v1/lists/any", .get, Self.token("ES256"))
      #expect(answer.status == 503)
      #expect(answer.header["error"] as? String == "upstream_unreachable")
      #expect(answer.fields.contains(.retryAfter))
    }
    #expect(keyFetches(harness) == 1)
    #expect(harness.ask("/v1/lists/any", .get, Self.bearer("app-key")).status == 200)
    #expect(harness.ask("/v1/lists/open", .get, Self.token("ES256")).status == 200)
  }

  @Test("the program itself reads every list, and says what a token would")
  func itself() throws {
    let list = try #require(Harness.configuration(Self.configuration).lists.first { $0.name == "mine" })
    let target = try Target(parsing: Array("/v1/lists/mine?sid=7&tenant=t-9".utf8).span)
    let asked = try ListRequest(target, of: list, .whole, by: .itself, allowingDebug: false)
    #expect(asked.arguments.values.map { $0?.description } == ["7", "t-9", nil])
    #expect(throws: GatewayError.self) {
      try ListRequest(target, of: list, .whole, by: .anonymous, allowingDebug: false)
    }
  }
}
