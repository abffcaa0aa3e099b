import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import JSON
import MicrohttpdServer
import Synchronization
import TestSupport
import Testing

@Suite("Connections from their start to their end", .timeLimit(.minutes(10)))
struct LifeTests {
  // MARK: Hang-up

  @Test(
    "a client that goes away while it waits abandons its request, once",
    arguments: ["close", "reset", "half"])
  func hangUp(way: String) throws {
    let journal = Journal()
    let server = try TestServer(echo(journal))
    let client = try TestClient(port: server.port)
    try client.send("GET /never HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(journal.has("waiting /never"))
    #expect(server.figures.unanswered == 1)
    if way == "half" {
      client.shutdownSending()
      #expect(try client.rest() == [])
    } else {
      if way == "reset" { client.resetOnClose() }
      client.close()
    }
    #expect(journal.has("abandoned /never"))
    #expect(eventually { server.figures.open == 0 })
    #expect(journal.all == ["waiting /never", "abandoned /never"])
    #expect(server.figures.unanswered == 0)
    #expect(server.figures.underWay == 0)
    #expect(server.figures.abandoned == 1)
    #expect(try TestClient(port: server.port).request("GET", "/").status == 200)
  }

  @Test("a half-closed client gets what can be answered at once, and no more")
  func halfClosed() throws {
    let journal = Journal()
    let server = try TestServer(echo(journal))
    let request = { (target: String) in "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }
    for _ in 0..<20 {
      let client = try TestClient(port: server.port)
      try client.send(request("/a") + request("/b") + request("/c"))
      client.shutdownSending()
      for target in ["/a", "/b", "/c"] { #expect(try client.answer().text == "GET \(target) ") }
      #expect(try client.rest() == [])
    }
    let client = try TestClient(port: server.port)
    _ = try client.request("GET", "/")
    try client.send(request("/a") + request("/never") + request("/c"))
    client.shutdownSending()
    #expect(try client.answer().text == "GET /a ")
    #expect(try client.rest() == [])
    #expect(eventually { server.figures.open == 0 })
    #expect(server.figures.abandoned == 1)
  }

  @Test("a half-closed client gets a long answer whole")
  func halfClosedLong() throws {
    let server = try TestServer { exchange, _ in
      exchange.respond(
        Response(status: 200, fields: Fields(), content: [.bytes(Array(repeating: 5, count: 20_000_000))]))
    }
    let client = try TestClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    client.shutdownSending()
    usleep(50_000)
    #expect(try client.answer().body.count == 20_000_000)
    #expect(try client.rest() == [])
    #expect(eventually { server.figures.open == 0 })
  }

  @Test("an idle connection that the client closes is closed")
  func idleClose() throws {
    let server = try TestServer(echo())
    for isUsed in [false, true] {
      let client = try TestClient(port: server.port)
      if isUsed { _ = try client.request("GET", "/") }
      #expect(eventually { server.figures.open == 1 })
      client.close()
      #expect(eventually { server.figures.open == 0 })
    }
  }

  @Test("who asks to be told of a hang-up after it is told at once")
  func toldAtOnce() throws {
    let journal = Journal()
    let server = try TestServer { exchange, loop in
      journal.note("asked")
      loop.schedule(at: loop.now + .milliseconds(200)) {
        exchange.whenAbandoned { journal.note("abandoned") }
        exchange.respond(Response("late"))
      }
    }
    let client = try TestClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(journal.has("asked"))
    client.close()
    #expect(journal.has("abandoned"))
  }

  // MARK: Content

  @Test("content of many pieces and any size arrives whole, to fast readers and slow ones")
  func pieces() throws {
    let shared = Bytes(copying: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let content = { @Sendable (count: Int) -> [Response.Segment] in
      (0..<count).map { index in
        switch index % 3 {
        case 0: .bytes(Array("[\(index)]".utf8))
        case 1: .slice(shared, index % 1_000..<index % 1_000 + index * 7 % 50_000)
        default: .bytes([])
        }
      }
    }
    let server = try TestServer { exchange, loop in
      let count = Int(String(decoding: exchange.target.dropFirst(), as: UTF8.self)) ?? 0
      loop.start { exchange.respond(Response(status: 200, fields: Fields(), content: content(count))) }
    }
    let client = try TestClient(port: server.port)
    for count in [0, 1, 2, 3, 10, 30, 100, 500, 3_000] {
      var expected: [UInt8] = []
      for segment in content(count) {
        switch segment {
        case .bytes(let bytes): expected += bytes
        case .slice(let bytes, let range): expected += bytes[range]
        }
      }
      try client.send("GET /\(count) HTTP/1.1\r\nHost: x\r\n\r\n")
      if count == 3_000 { usleep(300_000) }
      #expect(try client.answer().body == expected)
    }
    #expect(eventually { server.figures.underWay == 0 })
    #expect(server.figures.abortedSends == 0)
  }

  @Test(
    "the bytes of a body are let go when they were sent, and when the client goes away", arguments: [1, 40])
  func released(segmentCount: Int) throws {
    struct WeakBytes: Sendable { weak var bytes: Bytes? }
    final class Box: Sendable { let content = Mutex(WeakBytes()) }
    let box = Box()
    let server = try TestServer { exchange, _ in
      let bytes = Bytes(copying: Array(repeating: 7, count: 8_000_000))
      box.content.withLock { $0.bytes = bytes }
      let size = bytes.count / segmentCount
      exchange.respond(
        Response(
          status: 200, fields: Fields(),
          content: (0..<segmentCount).map { .slice(bytes, $0 * size..<($0 + 1) * size) }))
    }
    let client = try TestClient(port: server.port)
    #expect(try client.request("GET", "/").body.count == 8_000_000)
    #expect(eventually { box.content.withLock { $0.bytes == nil } })
    #expect(server.figures.contentBytesSent == 8_000_000)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { box.content.withLock { $0.bytes != nil } })
    client.resetOnClose()
    client.close()
    #expect(eventually { box.content.withLock { $0.bytes == nil } })
    #expect(eventually { server.figures.abortedSends == 1 && server.figures.underWay == 0 })
  }

  // MARK: Leaks

  @Test("every exchange is let go, however it ends")
  func exchangesReleased() throws {
    struct Weak { weak var exchange: (any Exchange)? }
    nonisolated(unsafe) var seen: [Weak] = []
    let journal = Journal()
    let inner = echo(journal)
    let server = try TestServer { exchange, loop in
      seen.append(Weak(exchange: exchange))
      inner(exchange, loop)
    }
    for number in 0..<30 {
      let client = try TestClient(port: server.port)
      _ = try client.request("GET", "/")
      _ = try client.request("POST", "/later", body: [1, 2, 3])
      try client.send(
        [
          "GET /never HTTP/1.1\r\nHost: x\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
          "GET /later HTTP/1.1\r\n", "GET / HTTP/9\r\n\r\n", "GET /later HTTP/1.1\r\nHost: x\r\n\r\n",
        ][number % 5])
      if number % 2 == 0 { usleep(2_000) }
      client.close()
    }
    #expect(eventually { server.figures.open == 0 })
    #expect(eventually { server.on { _ in seen.allSatisfy { $0.exchange == nil } } })
    #expect(server.on { _ in seen.count } >= 60)
    let figures = server.figures
    #expect(figures.accepted == 30 && figures.underWay == 0 && figures.unanswered == 0)
  }

  // MARK: The end

  @Test("a server that takes no more serves what it has, and refuses new connections")
  func stopAccepting() throws {
    let journal = Journal()
    let server = try TestServer(echo(journal))
    let client = try TestClient(port: server.port)
    #expect(try client.request("GET", "/").status == 200)
    // What the system has taken in already is not lost.
    let mayStop = Atomic<Bool>(false)
    server.loops.all[0].execute {
      while !mayStop.load(ordering: .acquiring) { usleep(200) }
      server.servers[0].stopAccepting()
      server.servers[0].stopAccepting()
    }
    let queued = try (0..<25).map { _ in try TestClient(port: server.port) }
    mayStop.store(true, ordering: .releasing)
    #expect(server.figures.accepted == 26)
    #expect(throws: TestClient.Failure.self) { try TestClient(port: server.port) }
    #expect(try client.request("GET", "/later").text == "GET /later ")
    for client in queued { #expect(try client.request("GET", "/q").text == "GET /q ") }
  }

  @Test("a server that stops abandons what waits, closes what is open, and a late answer does nothing")
  func stopWhileWaiting() throws {
    nonisolated(unsafe) var held: [any Exchange] = []
    let journal = Journal()
    let server = try TestServer { exchange, _ in
      exchange.whenAbandoned { journal.note("abandoned") }
      held.append(exchange)
      if exchange.target == Array("/sent".utf8) {
        exchange.respond(
          Response(status: 200, fields: Fields(), content: [.bytes(Array(repeating: 1, count: 30_000_000))]))
      }
    }
    let clients = try (0..<5).map { _ in try TestClient(port: server.port) }
    for client in clients.dropLast(2) { try client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n") }
    try clients[3].send("GET /sent HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { server.figures.exchanges == 4 && server.figures.open == 5 })
    let figures = server.on { server in
      server.stop()
      server.stop()
      return server.figures
    }
    #expect(journal.all == ["abandoned", "abandoned", "abandoned"])
    #expect(
      figures.open == 0 && figures.underWay == 0 && figures.unanswered == 0 && figures.abortedSends == 1)
    for client in clients.dropLast(2) { #expect(try client.rest() == []) }
    server.on { _ in
      for exchange in held where exchange.target == Array("/wait".utf8) { exchange.respond(Response("late")) }
      held = []
    }
    server.stop()
  }

  @Test("a server can be dropped without a word")
  func dropped() throws {
    let loops = try Loops(count: 1)
    final class Mute: RequestHandler { func handle(_ exchange: any Exchange) {} }
    let socket = try ListeningSocket.open(TestServer.local, count: 1)[0]
    let address = socket.address
    do {
      _ = try Server.make(
        listening: socket, limits: TestServer.limits, handler: Mute(), loop: loops.all[0], listener: .admin)
    }
    try loops.start()
    usleep(20_000)
    loops.stopAndWait()
    #expect(throws: TestClient.Failure.self) { try TestClient(port: address.port ?? 0) }
  }
}
