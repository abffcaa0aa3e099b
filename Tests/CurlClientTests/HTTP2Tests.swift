import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite(
    "HTTP/2", .timeLimit(.minutes(10)),
    .enabled(
      if: Certificates.areAvailable && NGINX.isAvailable, "nginx or the openssl command is not installed"
    ))
  struct HTTP2Tests {
    @Test("HTTP/2 is spoken where TLS negotiates it or it is known, and many requests share one connection")
    func multiplexed() async throws {
      let nginx = try NGINX()
      let fixture = try Fixture()
      for (url, origin) in nginx.variants("/which") {
        let outcomes = await withTaskGroup(of: Outcome.self, returning: [Outcome].self) { group in
          for _ in 0..<90 { group.addTask { await fixture.fetch(url, origin: origin) } }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.status == 200 && $0.text.hasPrefix("HTTP/2.0 ") }, "\(outcomes[0])")
        // Without TLS libcurl shares connections from 8.0.0 on.
        let connections = Set(outcomes.map(\.text)).count
        #expect(url.hasPrefix("https") ? connections == 1 : connections <= 90)
      }
      fixture.stop()
      nginx.stop()
    }

    @Test("an origin that is told to speaks HTTP/1.1")
    func version1() async throws {
      let nginx = try NGINX()
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        "https://127.0.0.1:\(nginx.securePort)/which",
        origin: .test(version: .http1, trusted: nginx.certificates.file("ca.pem")))
      #expect(outcome.text.hasPrefix("HTTP/1.1 "))
      fixture.stop()
      nginx.stop()
    }

    @Test("large, compressed, empty and refused answers arrive as with HTTP/1.1")
    func answers() async throws {
      let nginx = try NGINX()
      let fixture = try Fixture()
      let large = try nginx.certificates.folder.read("files/large")
      for path in ["/large", "/gzip"] {
        for (url, origin) in nginx.variants(path) {
          let outcome = await fixture.fetch(url, origin: origin)
          let isWhole = outcome.body == large
          #expect(isWhole, "\(url) \(outcome.status) \(outcome.body.count) \(outcome.detail)")
        }
      }
      for (url, origin) in nginx.variants("/large", bodyLimit: 500_000) {
        #expect(await fixture.fetch(url, origin: origin).kind == .tooLarge)
        let head = await fixture.fetch(url, method: .head, origin: origin)
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head.fields.text("Content-Length") == "1000000")
      }
      for (url, origin) in nginx.variants("/missing") {
        #expect(await fixture.fetch(url, origin: origin).status == 404)
        #expect(
          await fixture.fetch(url, method: .post, content: Array("a=1".utf8), origin: origin).status == 404)
      }
      fixture.stop()
      nginx.stop()
    }

    @Test("a transfer that is cancelled, or meets its deadline, leaves the others on its connection alone")
    func cancelledStream() async throws {
      let nginx = try NGINX()
      let fixture = try Fixture()
      let large = try nginx.certificates.folder.read("files/large")
      for (url, origin) in nginx.variants("/slow").dropFirst() {
        async let kept = fixture.fetch(url.replacing("/slow", with: "/large"), origin: origin)
        async let late = fixture.fetch(url, timeout: .milliseconds(300), origin: origin)
        let cancelled = await withCheckedContinuation { continuation in
          fixture.onLoop { client, loop in
            let request = TransportRequest.test(url, deadline: .now + .seconds(20), origin: origin)
            let transfer = client.start(request) { continuation.resume(returning: Outcome($0)) }
            loop.schedule(at: .now + .milliseconds(100)) { transfer.cancel() }
          }
        }
        #expect(cancelled.kind == .cancelled)
        #expect(await late.kind == .timeout)
        let isWhole = await kept.body == large
        #expect(isWhole)
        let after = await fixture.fetch(url.replacing("/slow", with: "/which"), origin: origin)
        #expect(after.status == 200)
      }
      fixture.stop()
      nginx.stop()
    }

    @Test("a server that goes away is reset or refused, and its return is noticed")
    func restart() async throws {
      let nginx = try NGINX()
      let fixture = try Fixture()
      let variants = nginx.variants("/which")
      for (url, origin) in variants { #expect(await fixture.fetch(url, origin: origin).status == 200) }
      nginx.stop()
      for (url, origin) in variants { #expect(await fixture.fetch(url, origin: origin).kind == .connect) }
      let upstream = try ScriptedUpstream(port: nginx.plainPort) { connection in
        connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      let outcome = await fixture.fetch(variants[2].url, origin: variants[2].origin)
      #expect(outcome.kind == .protocol || outcome.kind == .resetBeforeResponse)
      fixture.stop()
      upstream.stop()
    }
  }
}
