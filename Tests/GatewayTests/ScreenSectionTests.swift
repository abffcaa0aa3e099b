import Foundation
import HTTPSemantics
import OpenSSLSealer
import TestSupport
import Testing

@testable import Gateway

/// Sections that are merged lists, and sections that are not for everybody.
@Suite("What sections can be", .timeLimit(.minutes(5)))
struct ScreenSectionTests {
  private static func section(_ name: String, of answer: Answered) -> [String: Any] {
    (answer.envelope["body"] as? [String: Any])?[name] as? [String: Any] ?? [:]
  }
  private static func header(_ name: String, of answer: Answered) -> [String: Any] {
    section(name, of: answer)["header"] as? [String: Any] ?? [:]
  }

  // MARK: Merged lists

  private static let merged =
    "debug: true\nupstreams: {all: {url: \"http://127.0.0.1:1\", retries: {attempts: 1}}}\nlists:\n"
    + FourLists.names.indices.map { FourLists.list($0, upstream: "all") }.joined() + """
        feed:
          merge: [pages, offsets, tokens, urls]
          order: \(FourLists.order)
          tag: source
        all: {concat: [feed, more]}
        more: {interleave: [pages, tokens]}
      calls:
        author: {upstream: all, parameters: {id: {required: true}}, request: {path: "/author/{id}"}}
      screens:
        home:
          feed: {list: feed, limit: 5}
          all: {list: all, limit: 2}
          author: {call: author, with: {id: feed/1/item/id}}
      """

  private static func harness(_ lists: FourLists, away: String = "none") throws -> Harness {
    try Harness(merged) { request in
      let target = String(request.url.dropFirst("http://127.0.0.1:1".count))
      if target.hasPrefix("/\(away)") { return .body("{}", status: 500) }
      if target.hasPrefix("/author/") { return .body(#"{"of":"\#(target.dropFirst(8))"}"#) }
      return lists.body(of: target).map { .body($0) }
    }
  }

  @Test("a merged list is a section as others are, with a cursor that goes on in it, and others look into it")
  func mergedSection() throws {
    let lists = FourLists(counts: [9, 9, 9, 9])
    let harness = try Self.harness(lists)
    let answer = harness.ask("/v1/screens/home")
    #expect(answer.status == 200 && answer.warnings == [], "\(answer.text)")
    let tagged = FourLists.names.indices.map {
      #"{"source":"\#(FourLists.names[$0])","item":\#(lists.item(0, of: $0))}"#
    }
    #expect(answer.text.contains(#""body":[\#(tagged.joined(separator: ",")),{"source":"pages","#))
    #expect(Self.header("feed", of: answer)["list"] as? String == "feed")
    #expect(Self.header("feed", of: answer)["total"] as? Int == 36)
    #expect((Self.section("all", of: answer)["body"] as? [Any])?.count == 2)
    #expect(Self.section("author", of: answer)["body"] as? [String: String] == ["of": "offsets-0"])
    let next = try #require(Self.header("feed", of: answer)["next"] as? String)
    let rest = harness.ask("/v1/lists/feed?limit=100&cursor=\(next)")
    #expect(rest.items.count == 31 && rest.next == nil)
    #expect(rest.items[0].contains(lists.item(1, of: 1)))
  }

  @Test("a merged section of which a source is away is there without it; with all away it has failed")
  func mergedAway() throws {
    let harness = try Self.harness(FourLists(counts: [9, 9, 9, 9]), away: "offsets")
    let answer = harness.ask("/v1/screens/home")
    #expect(answer.status == 200 && answer.warnings == [])
    #expect(Self.header("feed", of: answer)["warnings"] as? [String] == ["section_failed:offsets"])
    #expect(Self.section("author", of: answer)["body"] as? [String: String] == ["of": "tokens-0"])
    let gone = try Self.harness(FourLists(counts: [9, 9, 9, 9]), away: "")
    let failed = gone.ask("/v1/screens/home")
    #expect(failed.status == 503)
    #expect(Self.header("feed", of: failed)["error"] as? String == "upstream_fault")
  }

  // MARK: Who may see them

  private static func digest(_ key: String) -> String {
    OpenSSLVerifier.sha256(Array(key.utf8)).map { String(format: "%02x", $0) }.joined()
  }

  private static let guardedConfiguration = """
    access:
      keys: [{name: app, sha256: \(digest("app-key"))}, {name: partner, sha256: \(digest("partner-key"))}]
      jwt:
        issuer: \(TokenVectors.all.issuer)
        audience: \(TokenVectors.all.audience)
        jwks: https://id.example.com/keys
    upstreams: {api: {url: "http://api.example.com", reachability: {probe: none}}}
    lists:
      items: {upstream: api, request: {path: /items}, paging: {style: whole}, items: {at: "", id: /id}}
      mine:
        upstream: api
        access: token
        parameters: {sid: {type: integer, from: token, min: 1}, tag: {}}
        request: {path: /mine, query: {sid: "{sid}", tag: "{tag}"}}
        paging: {style: page, page: {query: page}, size: {value: 2}}
        items: {at: "", id: /id}
        limit: 2
    screens:
      open: {items: {list: items}}
      home: {items: {list: items}, mine: {list: mine, with: {tag: items/0/id}}}
    """

  private static func guarded() throws -> Harness {
    try Harness(guardedConfiguration) { request in
      if request.url == "https://id.example.com/keys" {
        return .body(TokenVectors.json(TokenVectors.all.jwks))
      }
      return .body(#"[{"id":1},{"id":2}]"#)
    }
  }

  @Test("a section is asked for by the screen's own client: with its credential, and what its token says")
  func credentials() throws {
    let harness = try Self.guarded()
    #expect(harness.ask("/v1/screens/open").status == 401)
    let key = harness.ask("/v1/screens/open", .get, [(.authorization, "Bearer app-key")])
    #expect(key.status == 200 && key.warnings == [], "\(key.text)")
    let token = [(FieldName.authorization, "Bearer \(TokenVectors.all.tokens["ES256"] ?? "")")]
    let answer = harness.ask("/v1/screens/home", .get, token)
    #expect(answer.status == 200 && answer.warnings == [], "\(answer.text)")
    #expect(harness.upstream.urls.contains("http://api.example.com/mine?sid=7&tag=1&page=1"))
    // What the token says is not for the client to send along with the cursor.
    #expect(Self.header("mine", of: answer)["parameters"] as? [String: String] == ["tag": "1"])
    let next = try #require(Self.header("mine", of: answer)["next"] as? String)
    #expect(harness.ask("/v1/lists/mine?tag=1&cursor=\(next)", .get, token).status == 200)
    // The list is for tokens, and the screen shows it to nobody else.
    let refused = harness.ask("/v1/screens/home", .get, [(.authorization, "Bearer app-key")])
    #expect(refused.status == 401 && refused.envelope["body"] is NSNull)
  }
}
