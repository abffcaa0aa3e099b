import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import MicrohttpdServer
import Synchronization
import TestSupport
import Testing

@Suite("Listening", .timeLimit(.minutes(10)))
struct ListeningTests {
  private func connect(unix path: String) -> TestClient? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafeBytes(of: &name) {
      Glibc.connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    let client = TestClient(connected: descriptor)
    return result == 0 ? client : nil
  }

  private func connect(ipv6 port: UInt16) -> TestClient? {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    name.sin6_addr = in6addr_loopback
    let result = withUnsafeBytes(of: &name) {
      Glibc.connect(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    let client = TestClient(connected: descriptor)
    return result == 0 ? client : nil
  }

  private static let hasIPv6: Bool = {
    let socket = try? ListeningSocket.open(
      .ipv6(Array(repeating: 0, count: 15) + [1], port: 0), count: 1)
    return socket != nil
  }()

  private let peer: TestServer.Handle = { exchange, _ in
    exchange.respond(Response("<\(exchange.peerAddress)>"))
  }

  @Test("addresses are shown as they are written")
  func shown() {
    #expect(Address.ipv4([10, 0, 0, 255], port: 80).description == "10.0.0.255:80")
    #expect(Address.ipv6(Array(repeating: 0, count: 15) + [1], port: 8080).description == "[::1]:8080")
    #expect(Address.any(port: 1).description == "*:1")
    #expect(Address.unix(path: "/run/x.sock", mode: 0o660).description == "unix:/run/x.sock")
  }

  @Test("every address takes IPv4 and IPv6, and peers are shown by the address they have")
  func dualStack() throws {
    for address in [Address.any(port: 0), .ipv6(Array(repeating: 0, count: 16), port: 0)] where Self.hasIPv6 {
      let server = try TestServer(at: address, peer)
      #expect(try TestClient(port: server.port).request("GET", "/").text == "<127.0.0.1>")
      #expect(try connect(ipv6: server.port)?.request("GET", "/").text == "<::1>")
    }
    let server = try TestServer(peer)
    #expect(connect(ipv6: server.port) == nil)
  }

  @Test("IPv6 alone takes no IPv4", .enabled(if: hasIPv6))
  func ipv6() throws {
    let server = try TestServer(at: .ipv6(Array(repeating: 0, count: 15) + [1], port: 0), peer)
    #expect(try connect(ipv6: server.port)?.request("GET", "/").text == "<::1>")
    #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port) }
  }

  @Test("a Unix socket serves as a port does, replaces what an earlier process left, and goes in the end")
  func unix() throws {
    let path = "/tmp/listway-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
    defer { unlink(path) }
    // What a killed process leaves behind.
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafeBytes(of: &name) {
      bind(stale, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    #expect(bound == 0)
    close(stale)

    let journal = Journal()
    let inner = echo(journal)
    let server = try TestServer(at: .unix(path: path, mode: 0o600), loops: 2) { exchange, loop in
      if exchange.target == Array("/peer".utf8) {
        return exchange.respond(Response("<\(exchange.peerAddress)>"))
      }
      inner(exchange, loop)
    }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let failure = #expect(throws: ServerFailure.self) {
      try ListeningSocket.open(.unix(path: path, mode: 0o600), count: 1)
    }
    #expect(
      failure?.description
        == "unix:\(path) is in use already: stop the process that listens there, or choose another path")

    for _ in 0..<10 {
      let client = try #require(connect(unix: path))
      #expect(try client.request("GET", "/peer").text == "<>")
      #expect(try client.request("POST", "/later", body: Array("abc".utf8)).text == "POST /later abc")
      client.shutdownSending()
      #expect(try client.rest() == [])
    }
    let client = try #require(connect(unix: path))
    try client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(journal.has("waiting /never"))
    client.close()
    #expect(journal.has("abandoned /never"))
    server.stop()
    withExtendedLifetime(server) {}
    #expect(stat(path, &status) != 0)
  }

  @Test("a taken port is told of, even by another that would share it")
  func taken() throws {
    let server = try TestServer(loops: 2, echo())
    for count in 1...2 {
      let failure = #expect(throws: ServerFailure.self) {
        try ListeningSocket.open(server.address, count: count)
      }
      #expect(failure?.kind == .addressInUse)
      #expect(
        failure?.description
          == "127.0.0.1:\(server.port) is in use already: stop the process that listens there, "
          + "or choose another port")
    }
    let port = server.port
    server.stop()
    // The port is free again at once.
    _ = try ListeningSocket.open(.ipv4([127, 0, 0, 1], port: port), count: 2)
  }

  @Test("what cannot be listened on is told with what to do")
  func unusable() throws {
    func text(_ address: Address) -> String? {
      (#expect(throws: ServerFailure.self) { try ListeningSocket.open(address, count: 1) })?.description
    }
    #expect(
      text(.ipv4([192, 0, 2, 1], port: 0))
        == "cannot listen on 192.0.2.1:0: this machine has no such address; choose one of its own, or all of them"
    )
    let long = "/tmp/" + String(repeating: "x", count: 103)
    #expect(
      text(.unix(path: long, mode: 0o600))
        == "cannot listen on unix:\(long): the path is longer than 107 bytes; choose a shorter one")
    #expect(
      text(.unix(path: "/nonexistent/x.sock", mode: 0o600))
        == "cannot listen on unix:/nonexistent/x.sock: No such file or directory; create the directory, or choose "
        + "another path")
    #expect(
      text(.unix(path: "/tmp", mode: 0o600))
        == "cannot listen on unix:/tmp: there is a file there that is not a socket; move it away, or choose another path"
    )
  }

  @Test("several loops on one port all get connections")
  func severalLoops() throws {
    let server = try TestServer(loops: 3, echo())
    let clients = try (0..<200).map { _ in try TestClient(port: server.port) }
    for client in clients { #expect(try client.request("GET", "/later").status == 200) }
    let shares = (0..<3).map { index in server.on(index) { $0.figures.accepted } }
    #expect(shares.reduce(0, +) == 200)
    #expect(shares.allSatisfy { $0 > 20 })
  }
}
