import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite("Redirects", .timeLimit(.minutes(10)))
  struct RedirectTests {
    /// An upstream that answers `from?a=1`, in any folder, with a redirect to `location` and everything else with what it was asked.
    private func upstream(_ status: Int, to location: String) throws -> ScriptedUpstream {
      try ScriptedUpstream { connection in
        while let request = connection.request() {
          if request.target.hasSuffix("/from?a=1") {
            connection.send(
              "HTTP/1.1 \(status) R\r\nLocation: \(location)\r\nX-First: 1\r\nContent-Length: 4\r\n\r\ngone")
          } else {
            let body =
              "\(request.method) \(request.target) \(String(decoding: request.content, as: UTF8.self))"
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
          }
        }
      }
    }

    private func outcome(
      _ status: Int, in folder: String = "", to location: String, method: Method = .get,
      content: [UInt8]? = nil
    ) async throws -> Outcome {
      let upstream = try upstream(status, to: location)
      let fixture = try Fixture()
      let url = upstream.url("\(folder)/from?a=1")
      let outcome = await fixture.fetch(url, method: method, content: content)
      fixture.stop()
      upstream.stop()
      return outcome
    }

    @Test("a GET follows every kind of redirect within the origin", arguments: [301, 302, 303, 307, 308])
    func followed(status: Int) async throws {
      for (folder, location, target) in [
        ("", "/to?b=%20", "/to?b=%20"), ("", "to", "/to"), ("", "./a/../to", "/to"),
        ("/x/y", "?b=2", "/x/y/from?b=2"), ("/x/y", "to/", "/x/y/to/"), ("/x/y", "../a%2Fb#c", "/x/a%2Fb"),
      ] {
        let outcome = try await outcome(status, in: folder, to: location)
        #expect(outcome.status == 200)
        #expect(outcome.text == "GET \(target) ")
        #expect(outcome.redirectedTarget == target)
        #expect(!outcome.fields.contains("X-First"))
      }
    }

    @Test("an absolute URL of the same origin is followed, whatever its letter case")
    func absolute() async throws {
      let port = freePort()
      for location in [
        "http://127.0.0.1:\(port)/to", "HTTP://127.0.0.1:\(port)/to", "//127.0.0.1:\(port)/to",
      ] {
        let upstream = try ScriptedUpstream(port: port) { connection in
          while let request = connection.request() {
            connection.send(
              request.target == "/from"
                ? "HTTP/1.1 302 R\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          }
        }
        let fixture = try Fixture()
        let outcome = await fixture.fetch(upstream.url("/from"))
        fixture.stop()
        upstream.stop()
        #expect(outcome.text == "ok")
      }
    }

    @Test(
      "a redirect out of the origin is a failure, and is not followed",
      arguments: [
        "http://127.0.0.1:1/to", "https://127.0.0.1/to", "http://localhost/to", "file:///etc/passwd",
        "//example.invalid/",
        "gopher://127.0.0.1/", "http://user:pass@127.0.0.1/", "http://127.0.0.1.example.invalid/",
        "http://[::1]/", "http://",
      ])
    func refused(location: String) async throws {
      for status in [302, 307] {
        let outcome = try await outcome(status, to: location)
        #expect(outcome.kind == .protocol)
        #expect(outcome.detail == "a redirect out of the origin")
      }
    }

    @Test("another port, or user information, is another origin")
    func refusedWithPort() async throws {
      let other = try ScriptedUpstream(answering: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      let outcome = try await outcome(302, to: other.url("/to"))
      other.stop()
      #expect(outcome.kind == .protocol)
      #expect(other.connectionCount == 0)
    }

    @Test("a POST follows only where it stays a POST, with its content")
    func post() async throws {
      for status in [307, 308] {
        let outcome = try await outcome(status, to: "/to", method: .post, content: Array("a=1".utf8))
        #expect(outcome.text == "POST /to a=1")
      }
      for status in [301, 302, 303] {
        let outcome = try await outcome(status, to: "/to", method: .post, content: Array("a=1".utf8))
        #expect(outcome.status == status)
        #expect(outcome.text == "gone")
        #expect(outcome.fields.text("Location") == "/to")
      }
    }

    @Test("a redirect without a Location, and other 3xx, are answers like others")
    func delivered() async throws {
      for status in [300, 304, 305, 306] {
        #expect(try await outcome(status, to: "http://127.0.0.1:1/").status == status)
      }
      let upstream = try ScriptedUpstream(answering: "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhm")
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url())
      fixture.stop()
      upstream.stop()
      #expect(outcome.status == 302)
      #expect(outcome.text == "hm")
    }

    @Test("five redirects are followed, the sixth is a failure", arguments: [5, 6])
    func many(count: Int) async throws {
      let upstream = try ScriptedUpstream { connection in
        while let request = connection.request() {
          let number = Int(request.target.dropFirst()) ?? 0
          connection.send(
            number < count
              ? "HTTP/1.1 302 R\r\nLocation: /\(number + 1)\r\nContent-Length: 0\r\n\r\n"
              : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url("/0"))
      fixture.stop()
      upstream.stop()
      #expect(outcome.kind == (count == 5 ? nil : .protocol))
      #expect(upstream.requests.count == 6)
      #expect(upstream.connectionCount == 1)
    }

    @Test("the deadline covers the redirects, too")
    func deadline() async throws {
      let upstream = try ScriptedUpstream { connection in
        while let request = connection.request() {
          connection.sleep(.milliseconds(120))
          connection.send("HTTP/1.1 302 R\r\nLocation: \(request.target)x\r\nContent-Length: 0\r\n\r\n")
        }
      }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(upstream.url(), timeout: .milliseconds(300))
      #expect(outcome.kind == .timeout)
      #expect(outcome.elapsed < .seconds(2))
      fixture.stop()
      upstream.stop()
    }
  }
}
