import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import Synchronization
import TestSupport
import Testing

private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

extension CurlClientTests {
  @Suite("Connections", .timeLimit(.minutes(10)))
  struct ConnectionTests {
    @Test("requests one after another share a connection, whatever their method and status")
    func reuse() async throws {
      let upstream = try ScriptedUpstream { connection in
        while let request = connection.request() {
          connection.send("HTTP/1.1 \(request.target.dropFirst()) X\r\nContent-Length: 2\r\n\r\n")
          if request.method != "HEAD" { connection.send("ok") }
        }
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      for method in [Method.get, .head, .post, .get] {
        for status in [200, 404, 503] {
          let outcome = await fixture.fetch(upstream.url("/\(status)"), method: method, origin: origin)
          #expect(outcome.status == status)
        }
      }
      let figures = await fixture.ask { client, _ in client.figures.connections }
      #expect(figures == 1)
      fixture.stop()
      upstream.stop()
      #expect(upstream.connectionCount == 1)
      #expect(upstream.requests.count == 12)
    }

    @Test("a connection that the server says it closes is not used again")
    func connectionClose() async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      for _ in 0..<5 { #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok") }
      fixture.stop()
      upstream.stop()
      #expect(upstream.connectionCount == 5)
    }

    @Test("a kept connection that was closed while idle is replaced before it is used")
    func closedWhileIdle() async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send(ok)
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      for method in [Method.get, .post, .get, .post] {
        #expect(await fixture.fetch(upstream.url(), method: method, origin: origin).text == "ok")
        try await Task.sleep(for: .milliseconds(30))
      }
      fixture.stop()
      upstream.stop()
      #expect(upstream.requests.count == 4)
    }

    @Test(
      "a kept connection that is closed or reset just as it is used again is replaced, and the request sent again, once",
      arguments: [Method.get, .post], [false, true])
    func closedWhenUsed(method: Method, isReset: Bool) async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil else { return }
        connection.send(ok)
        guard connection.request() != nil, connection.index > 0 else {
          if isReset { connection.reset() }
          return
        }
        connection.send(ok)
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      let content = Array("a=1".utf8)
      for _ in 0..<2 {
        #expect(
          await fixture.fetch(upstream.url(), method: method, content: content, origin: origin).text == "ok")
      }
      fixture.stop()
      upstream.stop()
      #expect(upstream.requests.map(\.connection) == [0, 0, 1])
      #expect(upstream.requests.allSatisfy { $0.content == content })
    }

    @Test("when every kept connection dies, a request fails with a reset and does not go on for ever")
    func everyConnectionDies() async throws {
      let upstream = try ScriptedUpstream { connection in
        guard connection.request() != nil, connection.index == 0 else { return }
        connection.send(ok)
        _ = connection.request()
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      #expect(await fixture.fetch(upstream.url(), origin: origin).kind == .resetBeforeResponse)
      fixture.stop()
      upstream.stop()
      #expect(upstream.requests.count == 3)
    }

    @Test("a server that talks to an idle connection does not keep the loop busy")
    func chatter() async throws {
      let upstream = try ScriptedUpstream { connection in
        while connection.request() != nil {
          connection.send(ok)
          connection.sleep(.milliseconds(20))
          connection.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
        }
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test()
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      try await Task.sleep(for: .milliseconds(100))
      let before = fixture.loop.figures.turns
      try await Task.sleep(for: .milliseconds(300))
      #expect(fixture.loop.figures.turns - before < 20)
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      fixture.stop()
      upstream.stop()
    }

    @Test("no more connections are open at once than the origin allows, and nobody is forgotten")
    func limit() async throws {
      let open = Mutex((now: 0, most: 0))
      let upstream = try ScriptedUpstream { connection in
        while connection.request() != nil {
          open.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          connection.sleep(.milliseconds(2))
          open.withLock { $0.now -= 1 }
          connection.send(ok)
        }
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test(connectionLimit: 4)
      let outcomes = await withTaskGroup(of: Outcome.self, returning: [Outcome].self) { group in
        for _ in 0..<100 { group.addTask { await fixture.fetch(upstream.url(), origin: origin) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let figures = await fixture.ask { client, _ in "\(client.figures)" }
      #expect(figures == "(running: 0, waiting: 0, connections: 4)")
      fixture.stop()
      upstream.stop()
      #expect(outcomes.allSatisfy { $0.text == "ok" })
      #expect(upstream.connectionCount == 4)
      #expect(open.withLock { $0.most } == 4)
    }

    @Test("a request that waits for a connection ends at its deadline, or when it is cancelled")
    func waiting() async throws {
      let upstream = try ScriptedUpstream { connection in
        while connection.request() != nil { connection.hold() }
      }
      let fixture = try Fixture()
      let origin = TransportOrigin.test(connectionLimit: 1)
      let ends: [String] = await withCheckedContinuation { continuation in
        fixture.onLoop { client, loop in
          var ends: [String] = []
          func start(_ target: String, _ timeout: Duration) -> any Transfer {
            let request = TransportRequest.test(
              upstream.url(target), deadline: .now + timeout, origin: origin)
            return client.start(request) {
              ends.append("\(target) \(Outcome($0).kind.map { "\($0)" } ?? "answered")")
              if ends.count == 3 { continuation.resume(returning: ends) }
            }
          }
          _ = start("/first", .seconds(1))
          _ = start("/late", .milliseconds(200))
          let cancelled = start("/cancelled", .seconds(9))
          loop.schedule(at: .now + .milliseconds(50)) { cancelled.cancel() }
        }
      }
      #expect(ends == ["/cancelled cancelled", "/late timeout", "/first timeout"])
      fixture.stop()
      upstream.stop()
      #expect(upstream.requests.map(\.target) == ["/first"])
    }

    @Test("an address is not used for longer than its age, also on a connection that is kept")
    func addressAge() async throws {
      let upstream = try ScriptedUpstream(answering: ok)
      let fixture = try Fixture()
      let origin = TransportOrigin.test(addressAge: .milliseconds(500))
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      #expect(upstream.connectionCount == 1)
      try await Task.sleep(for: .milliseconds(2_100))
      #expect(await fixture.fetch(upstream.url(), origin: origin).text == "ok")
      fixture.stop()
      upstream.stop()
      #expect(upstream.connectionCount == 2)
    }

    @Test("origins do not hold each other up")
    func origins() async throws {
      let upstream = try ScriptedUpstream { connection in
        while let request = connection.request() {
          if request.target == "/stuck" { return connection.hold() }
          connection.send(ok)
        }
      }
      let fixture = try Fixture()
      let stuck = TransportOrigin.test(connectionLimit: 1)
      fixture.onLoop { client, _ in
        for _ in 0..<3 {
          let request = TransportRequest.test(
            upstream.url("/stuck"), deadline: .now + .seconds(9), origin: stuck)
          _ = client.start(request) { _ in }
        }
      }
      for _ in 0..<50 {
        #expect(await fixture.fetch(upstream.url(), origin: .test(connectionLimit: 1)).text == "ok")
      }
      let figures = await fixture.ask { client, _ in client.figures }
      #expect(figures.running == 1 && figures.waiting == 2)
      fixture.stop()
      upstream.stop()
    }

    @Test("the environment's proxies are not used")
    func environment() async throws {
      let upstream = try ScriptedUpstream(answering: ok)
      setEnvironment("http_proxy", "http://127.0.0.1:1/")
      setEnvironment("ALL_PROXY", "http://127.0.0.1:1/")
      let fixture = try Fixture()
      #expect(await fixture.fetch(upstream.url()).text == "ok")
      fixture.stop()
      upstream.stop()
      setEnvironment("http_proxy", nil)
      setEnvironment("ALL_PROXY", nil)
    }
  }
}
