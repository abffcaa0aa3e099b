import Gateway
import HTTPSemantics
import TestSupport
import Testing

extension CurlClientTests {
  @Suite(
    "TLS", .timeLimit(.minutes(10)),
    .enabled(if: Certificates.areAvailable, "the openssl command is not installed"))
  struct TLSTests {
    private let certificates: Certificates

    init() throws { certificates = try Certificates() }

    /// Runs `body` against `openssl s_server`, which answers any GET with a page about the connection.
    private func withServer(
      _ certificate: String, arguments: [String] = [], _ body: (Fixture, _ port: UInt16) async throws -> Void
    ) async throws {
      let port = freePort()
      let server = try Child(
        "/usr/bin/openssl",
        [
          "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificates.file("\(certificate).pem"),
          "-key",
          certificates.file("\(certificate).key"), "-www",
        ] + arguments)
      defer { server.terminate() }
      try waitForListener(port: port)
      let fixture = try Fixture()
      defer { fixture.stop() }
      try await body(fixture, port)
    }

    @Test("a certificate by a trusted authority, for the host that is asked, is accepted")
    func trusted() async throws {
      try await withServer("good") { fixture, port in
        let origin = TransportOrigin.test(trusted: certificates.file("ca.pem"))
        for host in ["127.0.0.1", "localhost"] {
          let outcome = await fixture.fetch("https://\(host):\(port)/", origin: origin)
          #expect(outcome.status == 200)
          #expect(outcome.text.contains("TLSv1.3"))
        }
      }
    }

    @Test(
      "a certificate that is not to be trusted is a TLS failure",
      arguments: [
        ("good", "127.0.0.1", nil), ("good", "127.0.0.1", "other.pem"), ("expired", "127.0.0.1", "ca.pem"),
        ("wrong", "127.0.0.1", "ca.pem"), ("wrong", "localhost", "ca.pem"),
        ("good", "127.0.0.1", "missing.pem"),
      ])
    func untrusted(certificate: String, host: String, authority: String?) async throws {
      try await withServer(certificate) { fixture, port in
        let origin = TransportOrigin.test(trusted: authority.map(certificates.file))
        let outcome = await fixture.fetch("https://\(host):\(port)/?secret=1", origin: origin)
        #expect(outcome.kind == .tls)
        #expect(!outcome.detail.isEmpty && !outcome.detail.contains("secret"))
      }
    }

    @Test("a server that speaks nothing newer than TLS 1.1 is a TLS failure")
    func oldVersion() async throws {
      try await withServer("good", arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]) { fixture, port in
        let outcome = await fixture.fetch(
          "https://127.0.0.1:\(port)/", origin: .test(trusted: certificates.file("ca.pem")))
        #expect(outcome.kind == .tls)
      }
    }

    @Test("a server that wants a certificate gets the configured one, and refuses those who have none")
    func clientCertificate() async throws {
      let arguments = ["-Verify", "1", "-verify_return_error", "-CAfile", certificates.file("ca.pem")]
      try await withServer("good", arguments: arguments) { fixture, port in
        let url = "https://127.0.0.1:\(port)/"
        let trusted = certificates.file("ca.pem")
        let with = await fixture.fetch(
          url,
          origin: .test(
            trusted: trusted, certificate: certificates.file("client.pem"),
            key: certificates.file("client.key")))
        #expect(with.status == 200)
        #expect(with.text.contains("client"))
        // In TLS 1.3 the refusal comes after the client's part of the handshake: as an alert in place of an answer.
        let without = await fixture.fetch(url, origin: .test(trusted: trusted))
        #expect(without.kind == .tls || without.kind == .resetBeforeResponse)
        let unreadable = await fixture.fetch(
          url,
          origin: .test(
            trusted: trusted, certificate: certificates.file("client.pem"),
            key: certificates.file("other.key")))
        #expect(unreadable.kind == .tls)
      }
    }

    @Test("a new connection resumes the session that another one made")
    func resumption() async throws {
      try await withServer("good") { fixture, port in
        let url = "https://127.0.0.1:\(port)/"
        let first = await fixture.fetch(url, origin: .test(trusted: certificates.file("ca.pem")))
        #expect(first.text.contains("New, TLSv1.3"))
        let second = await fixture.fetch(url, origin: .test(trusted: certificates.file("ca.pem")))
        #expect(second.text.contains("Reused, TLSv1.3"))
      }
    }

    @Test("a server that speaks no TLS, or breaks the handshake off, is a TLS failure")
    func noTLS() async throws {
      for isReset in [nil, false, true] {
        let upstream = try ScriptedUpstream { connection in
          _ = connection.read(5)
          switch isReset {
          case nil: connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
          case true?: connection.reset()
          case false?: break
          }
        }
        let fixture = try Fixture()
        let outcome = await fixture.fetch("https://127.0.0.1:\(upstream.port)/")
        #expect(outcome.kind == .tls)
        fixture.stop()
        upstream.stop()
      }
    }

    @Test("a handshake without end is a failure to connect in time, or meets the deadline")
    func stalledHandshake() async throws {
      let upstream = try ScriptedUpstream { $0.hold() }
      let fixture = try Fixture()
      let url = "https://127.0.0.1:\(upstream.port)/"
      let outcome = await fixture.fetch(url, origin: .test(connectTimeout: .milliseconds(200)))
      #expect(outcome.kind == .connect)
      #expect(await fixture.fetch(url, timeout: .milliseconds(200)).kind == .timeout)
      fixture.stop()
      upstream.stop()
    }

    @Test(
      "a deadline also holds for those who wait for another's handshake, and they do not wait in line for it")
    func waitingForHandshake() async throws {
      let upstream = try ScriptedUpstream { $0.hold() }
      let fixture = try Fixture()
      let url = "https://127.0.0.1:\(upstream.port)/"
      let origin = TransportOrigin.test()
      let outcomes = await withTaskGroup(of: Outcome.self, returning: [Outcome].self) { group in
        for _ in 0..<20 {
          group.addTask { await fixture.fetch(url, timeout: .milliseconds(400), origin: origin) }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.allSatisfy { $0.kind == .timeout && $0.elapsed < .milliseconds(1_500) })
      fixture.stop()
      upstream.stop()
    }
  }
}
