import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Limits and other origins")
struct LimitTests {
  private static let list = """
    upstreams: {api: {url: "http://api.example.com", reachability: {probe: none}}}
    lists:
      things:
        upstream: api
        request: {path: /things}
        paging: {style: page, page: {query: page, first: 1}}
        items: {at: "", id: /id}
    """

  private static func harness(_ configuration: String) throws -> Harness {
    try Harness(configuration + "\n" + list) { _ in .body(#"[{"id":1}]"#) }
  }

  @Test(
    "a client beyond its limit is told so, and when to come back; health checks and others are not touched")
  func limit() throws {
    let harness = try Self.harness(
      """
      access: {keys: [{name: app, sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae}], require: none}
      limits: {rate: {requests: 2, per: 1h}}
      """)
    let answers = (0..<3).map { _ in harness.ask("/v1/lists/things") }
    #expect(answers.map(\.status) == [200, 200, 429])
    #expect(
      answers.map { $0.fields.text(.rateLimitPolicy) } == Array(repeating: #""client";q=2;w=3600"#, count: 3))
    #expect(answers[0].fields.text(.rateLimit) == #""client";r=1;t=1800"#)
    #expect(answers[2].header["error"] as? String == "rate_limited")
    #expect(answers[2].envelope["status"] as? Int == -11)
    #expect(answers[2].fields.text(.retryAfter) == "1800")
    #expect(harness.ask("/livez").status == 200)
    #expect(harness.ask("/metrics", listener: .admin).status == 200)
    // A key's client has a bucket of its own, wherever it comes from.
    let key: [(FieldName, String)] = [(.xAPIKey, "foo")]
    #expect((0..<3).map { _ in harness.ask("/v1/lists/things", .get, key).status } == [200, 200, 429])
    #expect(harness.ask("/v1/lists/things", .get, [(.xAPIKey, "wrong")]).status == 429)
  }

  @Test("behind a trusted proxy each address has its own limit, and one made up does not help")
  func proxies() throws {
    // The harness' clients come from 192.0.2.1.
    let harness = try Self.harness(
      "proxies: {trusted: [192.0.2.0/24]}\nlimits: {rate: {requests: 1, per: 1h}}")
    func ask(_ forwarded: String) -> Int {
      harness.ask("/v1/lists", .get, [(.xForwardedFor, forwarded)]).status
    }
    #expect(ask("198.51.100.1") == 200)
    #expect(ask("198.51.100.2") == 200)
    #expect(ask("198.51.100.1") == 429)
    #expect(ask("203.0.113.9, 198.51.100.1") == 429)
    // A household's IPv6 addresses are one client's.
    #expect(ask("2001:db8:1:2::1") == 200)
    #expect(ask("2001:db8:1:2:ffff::2") == 429)
    #expect(ask("2001:db8:1:3::1") == 200)
    let direct = try Self.harness("limits: {rate: {requests: 1, per: 1h}}")
    #expect(direct.ask("/v1/lists", .get, [(.xForwardedFor, "198.51.100.1")]).status == 200)
    #expect(direct.ask("/v1/lists", .get, [(.xForwardedFor, "198.51.100.2")]).status == 429)
  }

  @Test("pages of declared origins may read, after asking, and pages of others may not")
  func origins() throws {
    let harness = try Self.harness("cors: {origins: [\"https://app.example.com\"], maxAge: 10m}")
    let origin: [(FieldName, String)] = [(.origin, "https://app.example.com")]
    let other: [(FieldName, String)] = [(.origin, "https://evil.example.com")]
    let answer = harness.ask("/v1/lists/things", .get, origin)
    #expect(answer.status == 200)
    #expect(answer.fields.text(.accessControlAllowOrigin) == "https://app.example.com")
    #expect(answer.fields.text(.accessControlExposeHeaders)?.contains("Link") == true)
    for fields in [[], other] {
      let answer = harness.ask("/v1/lists/things", .get, fields)
      #expect(answer.status == 200)
      #expect(!answer.fields.contains(.accessControlAllowOrigin))
      #expect(answer.fields.combined(.vary)?.text == "Accept, Accept-Encoding, Accept-Language, Origin")
    }
    // Failures too: an app has to be able to read them.
    #expect(harness.ask("/v1/lists/none", .get, origin).fields.contains(.accessControlAllowOrigin))

    let asking: [(FieldName, String)] = [(.accessControlRequestMethod, "GET")]
    let preflight = harness.ask("/v1/lists/things", .options, origin + asking)
    #expect(preflight.status == 204)
    #expect(preflight.content.isEmpty)
    #expect(preflight.fields.text(.accessControlAllowOrigin) == "https://app.example.com")
    #expect(preflight.fields.text(.accessControlMaxAge) == "600")
    #expect(preflight.fields.text(.accessControlAllowHeaders)?.contains("Authorization") == true)
    #expect(preflight.fields.text(.accessControlAllowMethods) == "GET, HEAD, POST")
    let refused = harness.ask("/v1/lists/things", .options, other + asking)
    #expect(refused.status == 204)
    #expect(!refused.fields.contains(.accessControlAllowOrigin))
    #expect(harness.ask("/v1/lists/things", .options, origin).status == 405)
  }

  @Test("every origin may where the star says so, and none where nothing is said")
  func star() throws {
    let open = try Self.harness("cors: {origins: [\"*\"]}")
    let fields: [(FieldName, String)] = [
      (.origin, "https://any.example"), (.accessControlRequestMethod, "GET"),
    ]
    let answer = open.ask("/v1/lists", .get, fields)
    #expect(answer.fields.text(.accessControlAllowOrigin) == "*")
    #expect(answer.fields.combined(.vary)?.text == "Accept, Accept-Encoding, Accept-Language")
    let closed = try Self.harness("")
    #expect(!closed.ask("/v1/lists", .get, fields).fields.contains(.accessControlAllowOrigin))
    #expect(closed.ask("/v1/lists", .options, fields).status == 405)
  }
}
