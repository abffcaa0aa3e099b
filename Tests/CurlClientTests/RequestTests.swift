import CurlClient
import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite("Requests on the wire", .timeLimit(.minutes(10)))
  struct RequestTests {
    private func sent(
      _ target: String = "/", method: Method = .get, fields: [(FieldName, String)] = [],
      content: [UInt8]? = nil
    ) async throws -> ScriptedUpstream.Request {
      let upstream = try ScriptedUpstream(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        upstream.url(target), method: method, fields: fields, content: content)
      fixture.stop()
      upstream.stop()
      #expect(outcome.status == 200)
      return try #require(upstream.requests.first)
    }

    @Test(
      "a GET has the target as it was given, and nothing of libcurl's but Host, Accept and Accept-Encoding")
    func plainGet() async throws {
      let request = try await sent("/a/../b%2Fc?q=%20x&q=/./", fields: [("X-Trace", "7")])
      #expect(request.method == "GET")
      #expect(request.target == "/a/../b%2Fc?q=%20x&q=/./")
      #expect(request.version == "HTTP/1.1")
      #expect(request.fields.map(\.name).sorted() == ["accept", "accept-encoding", "host", "x-trace"])
      #expect(request["Accept-Encoding"] == "deflate, gzip, br, zstd")
      #expect(request["X-Trace"] == "7")
    }

    @Test(
      "a target begins with a slash, and is ASCII, without a fragment",
      arguments: [
        ("", "/"), ("?a=1", "/?a=1"), ("#f", "/"), ("/a?b#c?d", "/a?b"), ("?#", "/?"),
        ("/?b=/c:@d", "/?b=/c:@d"),
        ("/é/日?ö=%E9&%c3", "/%C3%A9/%E6%97%A5?%C3%B6=%E9&%c3"), ("//b//c", "//b//c"),
      ])
    func targets(given: String, sent: String) async throws {
      let request = try await self.sent(given)
      #expect(request.target == sent)
    }

    @Test("fields are sent in their order, with the same name several times, empty, and with any UTF-8")
    func fieldsAsGiven() async throws {
      let fields: [(FieldName, String)] = [
        ("Accept", "application/json"), ("X-A", "1"), ("X-B", ""), ("X-A", "2"), ("User-Agent", "listway/0"),
        ("X-C", "日本; \"q\""), ("Authorization", "Bearer s3cret"),
      ]
      let request = try await sent(fields: fields)
      let given = Set(fields.map { $0.0.text.lowercased() })
      let received = request.fields.filter { given.contains($0.name) }
      #expect(received.map(\.name) == fields.map { $0.0.text.lowercased() })
      #expect(received.map(\.value) == fields.map(\.1))
    }

    @Test("fields that frame or carry the message are not taken from the request")
    func transportFields() async throws {
      let fields: [(FieldName, String)] = [
        ("Content-Length", "7"), ("Transfer-Encoding", "chunked"), ("Connection", "close"),
        ("TE", "trailers"),
        ("Expect", "100-continue"), ("Upgrade", "h2c"), ("X-Kept", "yes"),
      ]
      let request = try await sent(method: .post, fields: fields, content: Array("ab".utf8))
      #expect(request["Content-Length"] == "2")
      for (name, _) in fields.dropFirst().dropLast() { #expect(request[name.text] == nil) }
      #expect(request["X-Kept"] == "yes")
    }

    @Test("a value cannot smuggle a second line, and a name that is no token is left out")
    func injection() async throws {
      let upstream = try ScriptedUpstream(answering: "HTTP/1.1 204 No Content\r\n\r\n")
      let fixture = try Fixture()
      let outcome: Outcome = await withCheckedContinuation { continuation in
        fixture.onLoop { client, _ in
          var request = TransportRequest.test(upstream.url(), deadline: .now + .seconds(9), origin: .test())
          request.fields.append("X-A", "a\r\nX-Evil: 1")
          request.fields.append("X-B\r\nX-Evil".utf8Span.span, "2".utf8Span.span)
          _ = client.start(request) { continuation.resume(returning: Outcome($0)) }
        }
      }
      fixture.stop()
      upstream.stop()
      #expect(outcome.status == 204)
      #expect(upstream.requests.first?["X-Evil"] == nil)
      #expect(upstream.requests.first?["X-A"] == "a  X-Evil: 1")
    }

    @Test(
      "content arrives byte for byte, with its own type or none, and no wait for 100 Continue",
      arguments: [0, 1, 40, 65_535, 65_536, 1_100_000])
    func contentBytes(count: Int) async throws {
      var random = SeededRandom(seed: UInt64(count))
      let content = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let request = try await sent(method: .post, content: content)
      #expect(request.method == "POST")
      #expect(request["Content-Length"] == "\(count)")
      #expect(request["Content-Type"] == nil)
      #expect(request["Expect"] == nil)
      let isSame = request.content == content
      #expect(isSame)
    }

    @Test("a form and a JSON body keep the type they were given")
    func contentType() async throws {
      for type in ["application/x-www-form-urlencoded", "application/json; charset=utf-8"] {
        let request = try await sent(
          method: .post, fields: [("content-type", type)], content: Array("a=1&b=%20".utf8))
        #expect(request.fields.filter { $0.name == "content-type" }.map(\.value) == [type])
        #expect(String(decoding: request.content, as: UTF8.self) == "a=1&b=%20")
      }
    }

    private static let methods: [(Method, String?, name: String, length: String?)] = [
      (.get, nil, "GET", nil), (.get, "x", "GET", "1"), (.post, nil, "POST", "0"), (.put, nil, "PUT", "0"),
      (.put, "xy", "PUT", "2"), (.patch, "x", "PATCH", "1"), (.delete, nil, "DELETE", nil),
      (.delete, "x", "DELETE", "1"), (.options, nil, "OPTIONS", nil), (.other("REPORT"), "x", "REPORT", "1"),
      (.other("PURGE"), nil, "PURGE", nil), (.head, nil, "HEAD", nil), (.get, nil, "GET", nil),
      (.head, nil, "HEAD", nil), (.post, "x", "POST", "1"), (.get, nil, "GET", nil),
      (.head, nil, "HEAD", nil), (.put, "x", "PUT", "1"), (.head, nil, "HEAD", nil),
    ]

    @Test("every method goes out under its name, one after another on the same connection")
    func methods() async throws {
      let upstream = try ScriptedUpstream { connection in
        while let request = connection.request() {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
          if request.method != "HEAD" { connection.send("ok") }
        }
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      for (method, content, _, _) in Self.methods {
        let outcome = await fixture.fetch(
          upstream.url(), method: method, content: content.map { Array($0.utf8) }, origin: origin)
        #expect(outcome.status == 200)
        #expect(outcome.text == (method == .head ? "" : "ok"))
      }
      fixture.stop()
      upstream.stop()
      #expect(upstream.requests.map(\.method) == Self.methods.map(\.name))
      #expect(upstream.requests.map { $0["Content-Length"] } == Self.methods.map(\.length))
      #expect(upstream.connectionCount == 1)
    }

    private static let malformed = [
      "file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1/", "", "http://", "http://127.0.0.1:99999/",
      "http://127.0.0.1/a b", "http://127.0.0.1/\u{0}x", "gopher://127.0.0.1/", "http:///etc/passwd",
      "HTTP+unix://127.0.0.1/",
    ]

    @Test("what is no http or https URL is refused", arguments: malformed)
    func malformedURL(url: String) async throws {
      let fixture = try Fixture()
      let outcome = await fixture.fetch(url)
      fixture.stop()
      #expect(outcome.kind == .protocol)
      #expect(!outcome.detail.isEmpty)
    }

    @Test("what is no method is refused", arguments: ["", "GE T", "G\r\nX: 1\r\n", "é"])
    func malformedMethod(name: String) async throws {
      let fixture = try Fixture()
      let outcome = await fixture.fetch("http://127.0.0.1:1/", method: .other(name))
      fixture.stop()
      #expect(outcome.kind == .protocol)
    }
  }
}
