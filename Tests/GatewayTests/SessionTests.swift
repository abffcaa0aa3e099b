import Configuration
import Foundation
import HTTPSemantics
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// An upstream that wants a login, and may forget about it.
private final class Guarded: Sendable {
  private struct State {
    var logins = 0
    /// The only session that is accepted; nil for none.
    var valid: String?
  }

  private let state = Mutex(State())
  private let list = PagedList(count: 57)
  private let token: @Sendable (TransportRequest) -> String?
  private let login: @Sendable (String) -> Harness.Outcome
  private let refusal: Harness.Outcome

  /// - Parameters:
  ///   - login: the login's answer, with this token in it.
  ///   - refusal: what it says to a request without a valid session.
  ///   - token: the token that a request has.
  init(
    login: @escaping @Sendable (String) -> Harness.Outcome = { .body(#"{"data":{"session_id":"\#($0)"}}"#) },
    refusal: Harness.Outcome = .body("{}", status: 401),
    token: @escaping @Sendable (TransportRequest) -> String?
  ) {
    self.login = login
    self.refusal = refusal
    self.token = token
  }

  var logins: Int { state.withLock { $0.logins } }

  func forget() { state.withLock { $0.valid = nil } }

  func answer(_ request: TransportRequest) -> Harness.Outcome? {
    if request.url.contains("/login") {
      return state.withLock { state in
        state.logins += 1
        let token = "token \(state.logins)+"
        state.valid = token
        return login(token.replacing(" ", with: "-"))
      }
    }
    guard let valid = state.withLock(\.valid)?.replacing(" ", with: "-"), token(request) == valid else {
      return refusal
    }
    return list.answer(to: request.url)
  }
}

@Suite("Sessions", .timeLimit(.minutes(10)))
struct SessionTests {
  private static let usual = """
    session: {request: {method: POST, path: /login, form: {user: "a b", password: c}}, token: /data/session_id,
      send: {query: sid}, expired: {or: {at: /code, is: 1001}}}
    """

  private func harness(
    _ session: String = usual, answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?
  ) throws -> Harness {
    let url = #"{url: "http://127.0.0.1:1/api""#
    return try Harness(pagedConfiguration.replacing("\(url)}", with: "\(url), \(session)}"), answer: answer)
  }

  @Sendable private static func query(_ request: TransportRequest) -> String? {
    request.url.split(separator: "sid=").dropFirst().first.map { String($0).removingPercentEncoding ?? "" }
  }

  @Test("logs in once for all who need it, and sends the token along")
  func once() throws {
    let upstream = Guarded(token: Self.query)
    let harness = try harness { upstream.answer($0) }
    let exchanges = (0..<8).map { harness.begin("/v1/lists/items?word=\($0)") }
    #expect(exchanges.map { $0.wait().status } == Array(repeating: 200, count: 8))
    #expect(upstream.logins == 1)
    let login = try #require(harness.upstream.requests.first)
    #expect(login.url == "http://127.0.0.1:1/api/login")
    #expect(login.content.map { String(decoding: $0, as: UTF8.self) } == "user=a+b&password=c")
    #expect(harness.upstream.requests.count == 9)
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_upstream_logins_total{upstream="shop",outcome="good"} 1"#))
  }

  @Test(
    "a session that is over in the middle of a walk is renewed once for all, and nothing is lost",
    arguments: [.body("{}", status: 401), .body(#"{"code":"1001","list":[]}"#)] as [Harness.Outcome])
  func expires(refusal: Harness.Outcome) throws {
    let upstream = Guarded(refusal: refusal, token: Self.query)
    let harness = try harness { upstream.answer($0) }
    let first = harness.ask("/v1/lists/items?limit=20")
    upstream.forget()
    let cursor = try #require(first.next)
    let exchanges = (0..<5).map { _ in harness.begin("/v1/lists/items?limit=20&cursor=\(cursor)") }
    let answers = exchanges.map { $0.wait() }
    #expect(answers.allSatisfy { $0.status == 200 && $0.items == answers[0].items })
    #expect(answers[0].items.count == 20 && answers[0].items != first.items)
    #expect(upstream.logins == 2)
  }

  @Test("a login that is refused is not tried by everybody, and says when it will be")
  func refused() throws {
    let upstream = Guarded(login: { _ in .body("no", status: 403) }, token: Self.query)
    let harness = try harness { upstream.answer($0) }
    let answers = (0..<6).map { _ in harness.ask("/v1/lists/items") }
    for answer in answers {
      #expect(answer.status == 502)
      #expect(answer.header["error"] as? String == "session_failed")
      #expect(answer.envelope["status"] as? Int == -10)
    }
    #expect(answers[1].fields.text(.retryAfter) == "1")
    #expect(harness.upstream.requests.filter { $0.url.contains("/login") }.count < 6)
    #expect(harness.upstream.requests.allSatisfy { $0.url.contains("/login") })
  }

  @Test("a network that is down while logging in is the network's fault, not the session's")
  func unreachable() throws {
    let harness = try harness { _ in .failed(.connect) }
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "upstream_unreachable")
  }

  @Test("a session that is never accepted is tried once more, not for ever")
  func neverAccepted() throws {
    let harness = try harness { request in
      request.url.contains("/login") ? .body(#"{"data":{"session_id":7}}"#) : .body("{}", status: 401)
    }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.header["error"] as? String == "session_failed")
    #expect(harness.upstream.requests.filter { !$0.url.contains("/login") }.count == 2)
  }

  @Test(
    "an answer without a token, or with one that would end a line, gives no session",
    arguments: ["", "a\\r\\nb", "a b"])
  func badToken(token: String) throws {
    let harness = try harness { request in
      request.url.contains("/login") ? .body(#"{"data":{"session_id":"\#(token)"}}"#) : .body("{}")
    }
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "session_failed")
    #expect(harness.upstream.requests.count == 1)
  }

  /// A way to get a token, and a way to send it along.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let session: String
    /// What takes the place of the list's query.
    var content = "query"
    var login: @Sendable (String) -> Harness.Outcome = { .body(#"{"token":"\#($0)"}"#) }
    /// The login request, as it is expected.
    var asked: @Sendable (TransportRequest) -> Bool = { $0.method == .get }
    /// The token that a request has.
    let token: @Sendable (TransportRequest) -> String?
  }

  private static let everyWay: [Way] = [
    Way(
      testDescription: "from a field into a field",
      session:
        #"{request: {path: /login}, token: "header:X-Token", send: {header: Authorization, prefix: "Bearer "}}"#,
      login: { .body("", fields: [("X-Token" as FieldName, $0)]) },
      token: { request in
        let values = request.fields.values(.authorization).map { String(decoding: $0, as: UTF8.self) }
        return values.count == 1 ? String(values[0].dropFirst("Bearer ".count)) : nil
      }),
    Way(
      testDescription: "from a cookie into a cookie, beside another",
      session: "{request: {path: /login, query: {k: a b}}, cookie: SID, send: {cookie: SID}}",
      login: {
        .body(
          "",
          fields: [(.setCookie, "a=b; Expires=Wed, 1 Oct 2036 1:2:3 GMT"), (.setCookie, "SID=\($0); Path=/")])
      },
      asked: { $0.url.hasSuffix("/login?k=a%20b") && !$0.followsRedirects },
      token: { request in
        request.fields.text(.cookie).flatMap { $0.hasPrefix("x=y; SID=") ? String($0.dropFirst(9)) : nil }
      }),
    Way(
      testDescription: "by JSON, into a form",
      session:
        "{request: {method: POST, path: /login, json: {user: {name: a}}}, token: /token, send: {form: s d}}",
      content: "form", asked: { $0.content == Array(#"{"user":{"name":"a"}}"#.utf8) },
      token: { form($0, "s+d=") }),
    Way(
      testDescription: "by a form, into JSON",
      session:
        "{request: {method: POST, path: /login, form: {a: b}}, token: /token, send: {json: /auth/sid}}",
      content: "json", asked: { $0.content == Array("a=b".utf8) },
      token: { request in
        let object = request.content.flatMap { try? JSONSerialization.jsonObject(with: Data($0)) }
        return ((object as? [String: Any])?["auth"] as? [String: Any])?["sid"] as? String
      }),
  ]

  private static func form(_ request: TransportRequest, _ name: String) -> String? {
    let pairs = String(decoding: request.content ?? [], as: UTF8.self).split(separator: "&")
    return pairs.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count).removingPercentEncoding ?? "" }
  }

  @Test(
    "the token comes from where the login has it, and goes where requests are to have it", arguments: everyWay
  )
  func places(_ way: Way) throws {
    let upstream = Guarded(login: way.login, token: way.token)
    let url = #"{url: "http://127.0.0.1:1/api""#
    let headers = #"headers: {Authorization: old, Cookie: "x=y"}"#
    let method = way.content == "query" ? "" : "method: POST, "
    let configuration = pagedConfiguration.replacing(
      "\(url)}", with: "\(url), \(headers), session: \(way.session)}"
    )
    .replacing("{path: /items, query:", with: "{\(method)path: /items, \(way.content):")
    let harness = try Harness(configuration) { upstream.answer($0) }
    let answer = harness.ask("/v1/lists/items?category=7&word=a")
    #expect(answer.status == 200, "\(answer.text)")
    let login = try #require(harness.upstream.requests.first)
    #expect(way.asked(login))
    // A login is a request to the upstream like others.
    #expect(login.fields.text(.cookie) == "x=y")
    #expect(upstream.logins == 1)
  }

  @Test("a login that is answered late is waited for, and one that nobody answers ends by its deadline")
  func slowLogin() throws {
    let harness = try harness("timeout: {total: 200ms}, \(Self.usual)") { _ in nil }
    let answers = (0..<3).map { _ in harness.begin("/v1/lists/items") }.map { $0.wait() }
    #expect(answers.map(\.status) == [504, 504, 504])
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("clients that go away do not end the login that others wait for")
  func abandonedLogin() throws {
    let harness = try harness { request in
      request.url.contains("/login") ? nil : .body(#"{"list":[{"id":1}],"total":1}"#)
    }
    let first = harness.begin("/v1/lists/items?word=a")
    let second = harness.begin("/v1/lists/items?word=b")
    harness.onLoop {}
    harness.hangUp(first)
    #expect(harness.upstream.cancelled == 0)
    harness.upstream.answerHeld(1, with: .body(#"{"data":{"session_id":"a"}}"#))
    #expect(second.wait().status == 200)
    #expect(first.answerCount == 0)
    #expect(harness.upstream.requests.count == 2)
  }

  @Test("a request that is not complete costs no login")
  func precondition() throws {
    let url = #"{url: "http://127.0.0.1:1/api""#
    let configuration = pagedConfiguration.replacing("\(url)}", with: "\(url), \(Self.usual)}")
      .replacing("word: {type: string}", with: "word: {type: string, required: true}")
    let harness = try Harness(configuration) { _ in .body("{}") }
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.status == 400)
    #expect(answer.header["parameter"] as? String == "word")
    #expect(harness.upstream.requests.isEmpty)
  }

  @Test(
    "what a list's or an upstream's own rule calls an expired session is renewed",
    arguments: [
      (#"{"code":7,"list":[]}"#, 200, "{when: /code, in: [7], cases: {7: session_expired}}"),
      ("gone", 403, "{cases: {403: session_expired}}"),
      (#"{"error":"x"}"#, 400, "{code: /error, cases: {x: session_expired}}"),
    ], [true, false])
  func refusals(_ said: (body: String, status: Int, rule: String), isUpstreams: Bool) throws {
    let upstream = Guarded(refusal: .body(said.body, status: said.status), token: Self.query)
    let url = #"{url: "http://127.0.0.1:1/api""#
    let session = "session: {request: {path: /login}, token: /data/session_id, send: {query: sid}}"
    let rule = "refused: \(said.rule)"
    let configuration =
      pagedConfiguration
      .replacing("\(url)}", with: "\(url), \(session)\(isUpstreams ? ", \(rule)" : "")}")
      .replacing(
        "says: {total: /total}\n    limit",
        with: "says: {total: /total}\n    \(isUpstreams ? "" : rule)\n    limit")
    let harness = try Harness(configuration) { upstream.answer($0) }
    #expect(harness.ask("/v1/lists/items").status == 200)
    upstream.forget()
    #expect(harness.ask("/v1/lists/items?limit=7").status == 200)
    #expect(upstream.logins == 2)
  }

  @Test("client credentials give a token, and another one when that is refused")
  func clientCredentials() throws {
    let logins = Mutex<[[String?]]>([])
    let harness = try harness(
      "session: {oauth2: {url: \"http://127.0.0.1:1/token\", id: me, secret: \"s&t\", scope: reading}}"
    ) { request in
      guard request.url.hasSuffix("/token") else {
        return request.fields.text(.authorization) == "Bearer t2"
          ? .body(#"{"list":[{"id":1}]}"#) : .body("{}", status: 401)
      }
      let names = ["grant_type=", "client_id=", "client_secret=", "scope="]
      let count = logins.withLock { logins in
        logins.append(names.map { Self.form(request, $0) })
        return logins.count
      }
      return .body(#"{"access_token":"t\#(count)","token_type":"Bearer","expires_in":3600}"#)
    }
    #expect(harness.ask("/v1/lists/items").items == [#"{"id":1}"#])
    #expect(harness.ask("/v1/lists/items").status == 200)
    let asked = ["client_credentials", "me", "s&t", "reading"]
    #expect(logins.withLock(\.self) == [asked, asked])
  }

  @Test("a refresh token is replaced by the one that comes with a token, until that is refused")
  func refreshes() throws {
    let asked = Mutex<[String]>([])
    let harness = try harness(
      "session: {oauth2: {url: \"http://127.0.0.1:1/token\", id: me, refresh: first, scope: a b}}"
    ) { request in
      guard request.url.hasSuffix("/token") else {
        return .body("{}", status: request.fields.text(.authorization) == "Bearer good" ? 200 : 401)
      }
      let used = Self.form(request, "refresh_token=") ?? ""
      let count = asked.withLock { asked in
        asked.append(used)
        return asked.count
      }
      #expect(Self.form(request, "grant_type=") == "refresh_token")
      #expect(Self.form(request, "client_id=") == "me")
      return count == 3
        ? .body("{}", status: 400)
        : .body(#"{"access_token":"bad","refresh_token":"r\#(count)","expires_in":60}"#)
    }
    // Neither token is accepted; from then on there is a pause between logins.
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "session_failed")
    #expect(asked.withLock(\.self) == ["first", "r1"])
    usleep(1_050_000)
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "session_failed")
    usleep(2_100_000)
    #expect(harness.ask("/v1/lists/items").header["error"] as? String == "session_failed")
    #expect(asked.withLock { Array($0.prefix(4)) } == ["first", "r1", "r2", "first"])
  }

  @Test("no debug output shows a session's token", arguments: [200, 500])
  func concealed(status: Int) throws {
    let harness = try harness { request in
      if request.url.contains("/login") { return .body(#"{"data":{"session_id":"s3&cret"}}"#) }
      let filler = String(repeating: "x", count: 2_010)
      return .body(
        #"{"list":[{"id":1}],"a":"s3&cret","b":"/?sid=s3%26cret","c":"\#(filler)s3&cret"}"#, status: status)
    }
    let answer = harness.ask("/v1/lists/items?debug=1")
    #expect(answer.text.contains("sid=***"))
    #expect(!answer.text.contains("s3&cret") && !answer.text.contains("s3%26cret"))
    #expect(!answer.text.contains("s3&"))
  }

  // MARK: Sessions of clients

  @Test("each client has a session by its own credential, and no other")
  func each() throws {
    let logins = Mutex<[String]>([])
    let harness = try harness(
      #"""
      session: {each: {header: X-User}, request: {method: POST, path: /login, json: {user: "{credential}"}},
        token: /token, send: {header: X-Session}}
      """#
    ) { request in
      if request.url.contains("/login") {
        let content = String(decoding: request.content ?? [], as: UTF8.self)
        logins.withLock { $0.append(content) }
        return .body(content.contains("eve") ? "{}" : #"{"token":"of-\#(content.count)"}"#)
      }
      return .body(#"{"list":[{"id":"\#(request.fields.text("X-Session") ?? "")"}],"total":1}"#)
    }
    func ask(_ user: String) -> Answered { harness.ask("/v1/lists/items", .get, [("X-User", user)]) }
    #expect(ask("ann").items == [#"{"id":"of-14"}"#])
    #expect(ask("robert").items == [#"{"id":"of-17"}"#])
    #expect(ask("ann").items == [#"{"id":"of-14"}"#])
    // A login that is refused is one client's trouble.
    #expect(ask("eve").header["error"] as? String == "session_failed")
    #expect(ask("ann").status == 200)
    #expect(logins.withLock(\.self) == ["ann", "robert", "eve"].map { #"{"user":"\#($0)"}"# })
    let nobody = harness.ask("/v1/lists/items")
    #expect(nobody.status == 401)
    #expect(nobody.header["error"] as? String == "unauthorized")
    #expect(harness.upstream.requests.count == 7)
  }

  @Test("a credential that is forwarded as it is belongs to its client, and so does a refusal of it")
  func forwarded() throws {
    let harness = try harness("session: {each: {header: Authorization}, send: {header: Authorization}}") {
      request in
      request.fields.text(.authorization) == "Bearer a"
        ? .body(#"{"list":[{"id":1}],"total":2}"#) : .body("{}", status: 401)
    }
    let good = harness.ask("/v1/lists/items?limit=1", .get, [(.authorization, "Bearer a")])
    #expect(good.status == 200)
    let bad = harness.ask("/v1/lists/items", .get, [(.authorization, "Bearer b")])
    #expect(bad.status == 401)
    #expect(bad.envelope["status"] as? Int == -9)
    #expect(harness.upstream.requests.count == 2)
    let absent = harness.ask("/v1/lists/items")
    #expect(absent.status == 401)
    #expect(harness.upstream.requests.count == 2)
    // A cursor is its client's own.
    let cursor = try #require(good.next)
    let stolen = harness.ask("/v1/lists/items?limit=1&cursor=\(cursor)", .get, [(.authorization, "Bearer c")])
    #expect(stolen.header["error"] as? String == "invalid_cursor")
  }

  @Test("sessions of clients are bounded, and those that nobody uses are forgotten")
  func bounded() throws {
    let text = """
      upstreams:
        a:
          url: http://127.0.0.1:1
          session: {each: {header: X-User}, request: {path: /login}, token: /token, send: {query: a}, most: 100, idle: 1m}
      lists:
        items: {upstream: a, paging: {style: page, page: {query: page}}, items: {at: /items, id: /id}}
      """
    let session = try #require(try Harness.configuration(text).upstreams[0].session)
    let table = SessionTable(session)
    let start = ContinuousClock.now
    let often = table.keeper(of: [1], at: start)
    for number in 0..<1_000 {
      let keeper = table.keeper(of: Array("user \(number)".utf8), at: start)
      #expect(keeper != nil && keeper === table.keeper(of: Array("user \(number)".utf8), at: start))
      #expect(table.keeper(of: [1], at: start) === often)
      #expect(table.count <= 101)
    }
    #expect(table.keeper(of: nil, at: start) == nil)
    #expect(table.keeper(of: [], at: start) == nil)
    #expect(table.keeper(of: [1], at: start + .seconds(59)) === often)
    #expect(table.keeper(of: [1], at: start + .seconds(600)) !== often)
    #expect(table.count == 1)
  }

  @Test(
    "a next URL's own token is replaced",
    arguments: [
      ("/a", "/a?s%20d=t%26"), ("/a?b=c", "/a?b=c&s%20d=t%26"), ("/a?s%20d=old&b=c", "/a?b=c&s%20d=t%26"),
      ("/a?b=c&s%20d", "/a?b=c&s%20d=t%26"), ("/a?", "/a?s%20d=t%26"),
    ])
  func replaced(url: String, expected: String) {
    let result = UpstreamSession.replacing("s d", by: Array("t&".utf8), inQueryOf: Array(url.utf8))
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }
}
