import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite("Failures", .timeLimit(.minutes(10)))
  struct FailureTests {
    /// How a request to an upstream with `script` ends, and after how long.
    private func outcome(
      method: Method = .get, timeout: Duration = .seconds(20), origin: TransportOrigin = .test(),
      _ script: @escaping @Sendable (ScriptedUpstream.Connection) -> Void
    ) async throws -> Outcome {
      let upstream = try ScriptedUpstream(script)
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        upstream.url("/?secret=1"), method: method, timeout: timeout, origin: origin)
      fixture.stop()
      upstream.stop()
      #expect(!outcome.detail.contains("secret"))
      return outcome
    }

    // MARK: The network

    @Test("a port that nobody listens on is a failure to connect")
    func refused() async throws {
      let fixture = try Fixture()
      for host in ["127.0.0.1", "[::1]", "localhost"] {
        let outcome = await fixture.fetch("http://\(host):\(freePort())/?secret=1")
        #expect(outcome.kind == .connect)
        #expect(!outcome.detail.isEmpty && !outcome.detail.contains("secret"))
      }
      fixture.stop()
    }

    @Test("an address without a route is told apart from one that refuses")
    func noRoute() async throws {
      let fixture = try Fixture()
      // TCP has no route to a broadcast address: this one is the loopback device's.
      let outcome = await fixture.fetch("http://127.255.255.255:\(freePort())/")
      fixture.stop()
      #expect(outcome.kind == .noRoute)
    }

    @Test(
      "a name that does not resolve is told as such, and the loop turns meanwhile",
      arguments: ["nowhere.invalid", "a..b", "\(String(repeating: "x", count: 80)).example"])
    func unresolved(host: String) async throws {
      let fixture = try Fixture()
      let outcome = await fixture.fetch("http://user:pass@\(host)/?secret=1")
      fixture.stop()
      #expect(outcome.kind == .nameResolution)
      #expect(!outcome.detail.contains("pass") && !outcome.detail.contains("secret"))
    }

    @Test("a look-up that is cancelled is not waited for")
    func cancelledLookUp() async throws {
      let fixture = try Fixture()
      let elapsed = await withCheckedContinuation { continuation in
        fixture.onLoop { client, loop in
          let request = TransportRequest.test(
            "http://nowhere.invalid/", deadline: .now + .seconds(9), origin: .test())
          let start = ContinuousClock.now
          let transfer = client.start(request) { _ in continuation.resume(returning: .now - start) }
          loop.schedule(at: .now + .milliseconds(10)) { transfer.cancel() }
        }
      }
      #expect(elapsed < .seconds(1))
      fixture.stop()
    }

    @Test("a connection attempt without an answer fails after the connect timeout")
    func connectTimeout() async throws {
      let unanswered = try UnansweredPort()
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        "http://127.0.0.1:\(unanswered.port)/", origin: .test(connectTimeout: .milliseconds(150)))
      #expect(outcome.kind == .connect)
      #expect(outcome.elapsed >= .milliseconds(149) && outcome.elapsed < .seconds(2))
      fixture.stop()
    }

    @Test("the deadline ends a connection attempt, too")
    func deadlineDuringConnect() async throws {
      let unanswered = try UnansweredPort()
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        "http://127.0.0.1:\(unanswered.port)/", timeout: .milliseconds(150))
      #expect(outcome.kind == .timeout)
      #expect(outcome.elapsed >= .milliseconds(149) && outcome.elapsed < .seconds(2))
      fixture.stop()
    }

    // MARK: Time

    @Test("a deadline that has passed ends the request without a connection")
    func passedDeadline() async throws {
      let upstream = try ScriptedUpstream(answering: "HTTP/1.1 204 No Content\r\n\r\n")
      let fixture = try Fixture()
      for timeout in [Duration.zero, .seconds(-5)] {
        #expect(await fixture.fetch(upstream.url(), timeout: timeout).kind == .timeout)
      }
      fixture.stop()
      #expect(upstream.connectionCount == 0)
      upstream.stop()
    }

    private static let slow: [(String, @Sendable (ScriptedUpstream.Connection) -> Void)] = [
      ("no answer", { $0.hold() }),
      (
        "half a head",
        {
          $0.send("HTTP/1.1 200 OK\r\nContent-"); $0.hold()
        }
      ),
      (
        "half a body",
        {
          $0.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"); $0.hold()
        }
      ),
      (
        "a slow drip",
        {
          $0.drip("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\nabcdefg", every: .milliseconds(30));
          $0.hold()
        }
      ),
      (
        "a stuck chunk",
        {
          $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"); $0.hold()
        }
      ),
    ]

    @Test("the deadline holds at every point of the answer", arguments: slow.map(\.0))
    func deadline(name: String) async throws {
      let script = try #require(Self.slow.first { $0.0 == name }?.1)
      let outcome = try await outcome(timeout: .milliseconds(250)) { connection in
        guard connection.request() != nil else { return }
        script(connection)
      }
      #expect(outcome.kind == .timeout)
      #expect(outcome.elapsed >= .milliseconds(249) && outcome.elapsed < .seconds(2))
    }

    @Test("the deadline holds while a large content is not taken")
    func deadlineWhileSending() async throws {
      let upstream = try ScriptedUpstream { $0.sleep(.seconds(9)) }
      let fixture = try Fixture()
      let outcome = await fixture.fetch(
        upstream.url(), method: .post, content: [UInt8](repeating: 1, count: 50_000_000),
        timeout: .milliseconds(300))
      #expect(outcome.kind == .timeout)
      fixture.stop()
      upstream.stop()
    }

    // MARK: Resets and truncation

    @Test("a connection that ends before the first byte of an answer", arguments: [false, true])
    func beforeResponse(isReset: Bool) async throws {
      let outcome = try await outcome { connection in
        guard connection.request() != nil else { return }
        if isReset { connection.reset() }
      }
      #expect(outcome.kind == .resetBeforeResponse)
    }

    @Test("a connection that is closed at once, before the request was read", arguments: [false, true])
    func beforeRequest(isReset: Bool) async throws {
      let outcome = try await outcome { connection in
        if isReset { connection.reset() }
      }
      #expect(outcome.kind == .resetBeforeResponse)
    }

    private static let partial = [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ]

    @Test("a connection that ends within the answer", arguments: partial)
    func withinResponse(text: String) async throws {
      for isReset in [false, true] {
        let outcome = try await outcome { connection in
          guard connection.request() != nil else { return }
          connection.send(text)
          // A reset overtakes what was not read yet.
          connection.sleep(.milliseconds(50))
          if isReset { connection.reset() }
        }
        #expect(outcome.kind == .resetWithinResponse, "\(isReset) \(outcome.detail)")
      }
    }
  }
}
