import Foundation
import TestSupport
import Testing

/// The real program in front of a scripted upstream, over real sockets.
@Suite("End to end", .timeLimit(.minutes(10)), .serialized)
struct EndToEndTests {
  private func configuration(
    _ port: UInt16, size: Int = 20, says: String = "{total: /total}", more: String = ""
  ) -> String {
    """
    log: {level: info}
    debug: true
    upstreams:
      shop: {url: "http://127.0.0.1:\(port)", timeout: {connect: 1s, total: 2s}, bodyLimit: 8MB, retries: {attempts: 1}}
    lists:
      items:
        upstream: shop
        request: {path: /items}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: \(size)}}
        items: {at: /list, id: /id}
        says: \(says)
        maxLimit: 1000
    \(more)
    """
  }

  private static func items(_ count: Int) -> [String] {
    (0..<count).map { #"{"id":\#(9_007_199_254_740_993 + $0),"amount":\#($0).10,"name":"é ☕️ \#($0)"}"# }
  }

  @Test(
    "lists of every length around the page size are walked whole, byte for byte",
    arguments: [0, 1, 19, 20, 21, 40, 57])
  func walks(count: Int) throws {
    let items = Self.items(count)
    let upstream = try ListUpstream(items: items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":\#(count)}"#
    }
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    for limit in [1, 7, 20, 100] { #expect(try service.walk("/v1/lists/items", limit: limit) == items) }
    #expect(service.program.stop() == 0)
  }

  @Test(
    "a total that lies neither cuts the list nor keeps it going",
    arguments: [
      "9999", "3", "\"57\"", "null", "-1", "1e30", "\"many\"", "{\"value\":57,\"relation\":\"eq\"}",
    ])
  func lyingTotals(total: String) throws {
    let items = Self.items(57)
    let upstream = try ListUpstream(items: items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":\#(total)}"#
    }
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    for limit in [7, 20, 100] { #expect(try service.walk("/v1/lists/items", limit: limit) == items) }
  }

  @Test("a page that fails in the middle of a walk is asked for again: nothing is lost, nothing doubled")
  func failingPage() throws {
    let items = Self.items(57)
    let upstream = try ListUpstream(items: items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":57}"#
    }
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    let whole = ListUpstream.response(
      200, "application/json", Array(#"{"list":["#.utf8) + Array(items[20].utf8))
    let faults: [(ListUpstream.Fault, status: Int, error: String)] = [
      (.status(500, contentType: "text/plain", body: "oops"), 502, "upstream_fault"),
      (.status(200, contentType: "text/html", body: "<!DOCTYPE html><html></html>"), 502, "upstream_fault"),
      (
        .status(200, contentType: "application/json", body: #"{"list":[],"total":57} trailing"#), 502,
        "upstream_fault"
      ),
      (.status(200, contentType: "application/json", body: #"{"rows":[]}"#), 502, "upstream_shape"),
      (.raw(Array(whole.dropLast(5))), 502, "upstream_fault"),
      (
        .raw(
          ListUpstream.response(
            200, "application/json", Array("{\"list\":[\"".utf8) + [0xFF] + Array("\"]}".utf8))), 502,
        "upstream_fault"
      ),
      (.close, 503, "upstream_unreachable"), (.delay(.seconds(4)), 504, "upstream_timeout"),
    ]
    var cursor = try #require(try EnvelopeReader(service.get("/v1/lists/items?limit=20").body).next)
    for (fault, status, error) in faults {
      upstream.fail(page: 2, with: fault)
      // Where a kept connection turns out to be closed, the client tries once more on a new one.
      if case .close = fault { upstream.fail(page: 2, with: fault) }
      let answer = try service.get("/v1/lists/items?limit=20&cursor=\(cursor)")
      upstream.recover()
      #expect(answer.status == status, "\(fault)")
      #expect(try EnvelopeReader(answer.body).error == error, "\(fault)")
    }
    let second = try EnvelopeReader(service.get("/v1/lists/items?limit=20&cursor=\(cursor)").body)
    #expect(second.items == Array(items[20..<40]))
    cursor = try #require(second.next)
    #expect(
      try EnvelopeReader(service.get("/v1/lists/items?limit=20&cursor=\(cursor)").body).items
        == Array(items[40...]))
  }

  @Test("a body of 20 MB against a limit of 8 MB is a fault, and the gateway goes on")
  func largeBody() throws {
    let body =
      Array(#"{"list":[],"total":0,"pad":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 20_000_000)
      + Array("\"}".utf8)
    let response = ListUpstream.response(200, "application/json", body)
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil { connection.send(response) }
    }
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port).replacing("total: 2s", with: "total: 30s"))
    let answer = try service.get("/v1/lists/items")
    #expect(answer.status == 502)
    #expect(try EnvelopeReader(answer.body).error == "upstream_fault")
    #expect(try service.get("/livez").status == 200)
  }

  @Test("an upstream that is not there is unreachable, and is reached again when it comes")
  func comesBack() throws {
    let items = Self.items(3)
    let port = freePort()
    let service = try Service(configuration(port))
    let answer = try service.get("/v1/lists/items")
    #expect(answer.status == 503)
    #expect(answer.field("Retry-After") == "5")
    let script: @Sendable (ScriptedUpstream.Connection) -> Void = { connection in
      while connection.request() != nil {
        connection.send(
          ListUpstream.response(
            200, "application/json", Array(#"{"list":[\#(items.joined(separator: ","))]}"#.utf8)))
      }
    }
    let upstream = try ScriptedUpstream(port: port, script)
    defer { upstream.stop() }
    #expect(try EnvelopeReader(service.get("/v1/lists/items").body).items == items)
  }

  @Test("a relative next URL starts from where a redirect led, not from where it was asked for")
  func nextAfterRedirect() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        switch request.target {
        case "/items":
          connection.send("HTTP/1.1 301 R\r\nLocation: /moved/here/list?v=2\r\nContent-Length: 0\r\n\r\n")
        case "/moved/here/list?v=2":
          let body = Array(#"{"list":[{"id":1}],"next":"more?page=2"}"#.utf8)
          connection.send(ListUpstream.response(200, "application/json", body))
        case "/moved/here/more?page=2":
          let body = Array(#"{"list":[{"id":2}],"next":null}"#.utf8)
          connection.send(ListUpstream.response(200, "application/json", body))
        default: connection.send(ListUpstream.response(404, "text/plain", []))
        }
      }
    }
    defer { upstream.stop() }
    let more = """
        led:
          upstream: shop
          request: {path: /items}
          paging: {style: nextURL}
          items: {at: /list, id: /id}
          says: {next: /next}
      """
    let service = try Service(configuration(upstream.port, more: more))
    for limit in [1, 20] {
      #expect(try service.walk("/v1/lists/led", limit: limit) == [#"{"id":1}"#, #"{"id":2}"#])
    }
  }

  @Test(
    "a long token makes a long cursor, which comes back whole, or a fault where no request line has room for it",
    arguments: [
      (tokenByteCount: 100, limits: "{}", hasLink: true, isServed: true), (4_500, "{}", false, true),
      (7_000, "{}", false, false), (8_000, "{requestLine: 16KiB, headers: 18KiB}", false, true),
    ])
  func longTokens(tokenByteCount: Int, limits: String, hasLink: Bool, isServed: Bool) throws {
    let token = String(repeating: "t", count: tokenByteCount)
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let isSecond = request.target == "/items?token=\(token)"
        let body = isSecond ? #"{"list":[{"id":2}]}"# : #"{"list":[{"id":1}],"next":"\#(token)"}"#
        connection.send(ListUpstream.response(200, "application/json", Array(body.utf8)))
      }
    }
    defer { upstream.stop() }
    let more = """
        led:
          upstream: shop
          request: {path: /items}
          paging: {style: token, token: {query: token}}
          items: {at: /list, id: /id}
          says: {next: /next}
      limits: \(limits)
      """
    let service = try Service(configuration(upstream.port, more: more))
    let first = try service.get("/v1/lists/led?limit=1")
    if isServed {
      #expect(try service.walk("/v1/lists/led", limit: 1) == [#"{"id":1}"#, #"{"id":2}"#])
      #expect((first.field("Link") != nil) == hasLink)
    } else {
      #expect(first.status == 502)
      #expect(try EnvelopeReader(first.body).error == "upstream_fault")
      #expect(service.program.stop() == 0)
      #expect(service.program.errorText.contains("limits.requestLine"))
    }
  }

  @Test("pages and sizes go into a form, a JSON body or a header, and pages may count from 0")
  func placements() throws {
    let items = Self.items(57)
    let upstream = try ListUpstream(items: items, first: 0) { part, _, _ in
      #"{"data":{"data":[\#(part.joined(separator: ","))],"pageCount":3}}"#
    }
    defer { upstream.stop() }
    let more = """
        form:
          upstream: shop
          parameters: {sid: {type: integer, required: true}}
          request: {method: POST, path: /items, form: {sid: "{sid}"}}
          paging: {style: page, page: {form: page, first: 0}, size: {form: size, value: 20}}
          items: {at: /data/data, id: /id}
          says: {pageCount: /data/pageCount}
      """
    let service = try Service(configuration(upstream.port, more: more))
    #expect(try service.walk("/v1/lists/form?sid=42", limit: 7) == items)
    let request = try #require(upstream.requests.first)
    #expect(request.method == "POST" && request["content-type"] == "application/x-www-form-urlencoded")
    #expect(String(decoding: request.content, as: UTF8.self) == "sid=42&page=0&size=20")
    #expect(try service.get("/v1/lists/form").status == 400)
  }

  @Test("SIGTERM finishes what is under way, takes nothing new, and exits with 0")
  func stops() throws {
    let items = Self.items(3)
    let upstream = try ListUpstream(items: items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":3}"#
    }
    defer { upstream.stop() }
    upstream.fail(page: 1, with: .delay(.seconds(1)))
    let service = try Service(configuration(upstream.port))
    let client = try TestClient(port: service.port)
    try client.send("GET /v1/lists/items HTTP/1.1\r\nHost: a\r\n\r\n")
    while upstream.pagesAsked.isEmpty { usleep(2_000) }
    service.program.signal(SIGTERM)
    let answer = try client.answer()
    #expect(answer.status == 200)
    #expect(try EnvelopeReader(answer.body).items == items)
    #expect(service.program.waitForEnd() == 0)
    #expect(throws: (any Error).self) { try TestClient(port: service.port) }
  }

  @Test("SIGTERM does not wait longer than shutdown.grace")
  func graceEnds() throws {
    let upstream = try ListUpstream(items: Self.items(3)) { part, _, _ in "{}" }
    defer { upstream.stop() }
    for _ in 0..<3 { upstream.fail(page: 1, with: .delay(.seconds(30))) }
    let service = try Service("shutdown: {grace: 200ms}\n" + configuration(upstream.port))
    let client = try TestClient(port: service.port)
    try client.send("GET /v1/lists/items HTTP/1.1\r\nHost: a\r\n\r\n")
    while upstream.pagesAsked.isEmpty { usleep(2_000) }
    service.program.signal(SIGTERM)
    // The upstream's own deadline is 2 s; well before the 30 s of its delay is what counts here.
    #expect(service.program.waitForEnd(seconds: 10) == 0)
  }

  @Test("the log has one line a request, without the query, the cursor or a secret")
  func log() throws {
    let upstream = try ListUpstream(items: Self.items(57)) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":57}"#
    }
    defer { upstream.stop() }
    let service = try Service(
      configuration(upstream.port).replacing(#"{url:"#, with: #"{headers: {X-Key: "${SECRET}"}, url:"#),
      environment: ["SECRET": "hunter2-hunter2"])
    let cursor = try #require(try EnvelopeReader(service.get("/v1/lists/items?limit=7").body).next)
    _ = try service.get("/v1/lists/items?limit=7&cursor=\(cursor)", fields: [("X-Request-Id", "mine-1")])
    // A cursor that lost its name is a parameter's name, and not to be written down either.
    #expect(try service.get("/v1/lists/items?\(cursor)").status == 400)
    #expect(upstream.requests.first?["x-key"] == "hunter2-hunter2")
    service.program.stop()
    let lines = service.program.errorText.split(separator: "\n").filter {
      $0.contains(#""message":"request""#)
    }
    #expect(lines.count == 3)
    // Each loop hands over its own lines, so those of two loops may change places.
    #expect(lines.contains { $0.contains(#""request_id":"mine-1""#) })
    #expect(!service.program.errorText.contains(cursor.prefix(40)))
    #expect(!service.program.errorText.contains("hunter2"))
  }
}
