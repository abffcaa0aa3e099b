import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import JSON
import MicrohttpdServer
import Synchronization
import TestSupport
import Testing

/// Writes pieces, each when the one before has been taken, and notes what happens.
private final class Streamer: Sendable {
  let journal = Journal()
  private let written = Atomic<Int>(0)
  let count: Int
  let size: Int

  init(count: Int, size: Int) {
    self.count = count
    self.size = size
  }

  var writtenCount: Int { written.load(ordering: .acquiring) }

  func piece(_ number: Int) -> [UInt8] { Array(repeating: UInt8(truncatingIfNeeded: number), count: size) }

  var all: [UInt8] { (0..<count).flatMap(piece) }

  /// Answers at once, or after the loop's turn.
  func answer(_ exchange: any Exchange, _ loop: EventLoop) {
    exchange.whenAbandoned { [journal] in journal.note("abandoned") }
    if exchange.target == Array("/later".utf8) {
      loop.schedule(at: loop.now + .milliseconds(5)) { self.begin(exchange) }
    } else {
      begin(exchange)
    }
  }

  private func begin(_ exchange: any Exchange) {
    goOn(exchange.respond(streaming: Response(status: 200, fields: Fields(), content: [])), number: 0)
  }

  private func goOn(_ content: any ContentWriter, number: Int) {
    if number == count { return content.finish() }
    content.write([.bytes(piece(number))])
    written.add(1, ordering: .releasing)
    content.whenTaken { [self] in
      if journal.all.contains("abandoned") { return journal.note("ended") }
      goOn(content, number: number + 1)
    }
  }
}

@Suite("Streamed content", .timeLimit(.minutes(10)))
struct StreamTests {
  private static let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  @Test(
    "what is written bit by bit arrives whole, and the connection is kept",
    arguments: [(0, 0), (1, 1), (3, 5), (40, 100_000), (500, 37)], ["/", "/later"])
  func whole(sizes: (count: Int, size: Int), target: String) throws {
    let streamer = Streamer(count: sizes.count, size: sizes.size)
    let server = try TestServer { streamer.answer($0, $1) }
    let client = try TestClient(port: server.port)
    for _ in 0..<2 {
      let answer = try client.request("GET", target)
      #expect(answer.status == 200 && answer.body == streamer.all)
      #expect(answer.field("Transfer-Encoding") == "chunked")
    }
    #expect(eventually { server.figures.underWay == 0 })
    let figures = server.figures
    #expect(figures.contentBytesSent == 2 * streamer.all.count)
    #expect(figures.abortedSends == 0 && figures.abandoned == 0 && figures.unanswered == 0)
    #expect(streamer.journal.all == [])
  }

  @Test("a client of HTTP/1.0 gets it as it is, up to the end of the connection")
  func oldClient() throws {
    let streamer = Streamer(count: 30, size: 10_000)
    let server = try TestServer { streamer.answer($0, $1) }
    let client = try TestClient(port: server.port)
    try client.send("GET /later HTTP/1.0\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.status == 200 && answer.body == streamer.all)
    #expect(answer.field("Transfer-Encoding") == nil && answer.field("Content-Length") == nil)
    #expect(try client.rest() == [])
  }

  @Test("HEAD gets the head alone, with the end of the connection", arguments: ["/", "/later"])
  func head(target: String) throws {
    let streamer = Streamer(count: 3, size: 10)
    let server = try TestServer { streamer.answer($0, $1) }
    let client = try TestClient(port: server.port)
    let answer = try client.request("HEAD", target)
    #expect(answer.status == 200 && answer.field("Content-Length") == nil)
    #expect(try client.rest() == [])
    #expect(eventually { server.figures.underWay == 0 })
    #expect(server.figures.abortedSends == 0)
    #expect(streamer.journal.all == [])
  }

  @Test("what has been written is sent without waiting for what follows")
  func early() throws {
    nonisolated(unsafe) var content: (any ContentWriter)?
    let server = try TestServer { exchange, _ in
      content = exchange.respond(
        streaming: Response(status: 200, fields: Fields(), content: [.bytes(Array("first".utf8))]))
    }
    let client = try TestClient(port: server.port)
    try client.send(Self.request)
    var seen = ""
    while !seen.hasSuffix("5\r\nfirst\r\n") { seen += String(decoding: try client.bytes(1), as: UTF8.self) }
    server.on { _ in
      content?.write([.bytes([]), .slice(Bytes(copying: Array("second".utf8)), 0..<3), .bytes([0x21])])
    }
    #expect(String(decoding: try client.bytes(9), as: UTF8.self) == "4\r\nsec!\r\n")
    server.on { _ in
      content?.finish()
      content = nil
    }
    #expect(String(decoding: try client.bytes(5), as: UTF8.self) == "0\r\n\r\n")
  }

  @Test("a reader that stands still gets nothing more written for it, and all of it when it reads on")
  func slowReader() throws {
    let streamer = Streamer(count: 200, size: 500_000)
    let server = try TestServer { streamer.answer($0, $1) }
    let client = try TestClient(port: server.port)
    try client.send(Self.request)
    #expect(eventually { streamer.writtenCount > 0 })
    // Whatever the system takes in for it: far less than all.
    usleep(300_000)
    #expect(streamer.writtenCount < 100)
    #expect(try client.answer().body == streamer.all)
    #expect(eventually { server.figures.underWay == 0 })
  }

  @Test(
    "a client that vanishes while it takes nothing is told of, and what waits goes on",
    arguments: [true, false])
  func vanishesWhileSending(isReset: Bool) throws {
    let streamer = Streamer(count: 200, size: 500_000)
    let server = try TestServer { streamer.answer($0, $1) }
    let client = try TestClient(port: server.port)
    try client.send(Self.request)
    #expect(eventually { streamer.writtenCount > 0 })
    if isReset { client.resetOnClose() }
    client.close()
    #expect(streamer.journal.has("ended"))
    #expect(streamer.journal.all == ["abandoned", "ended"])
    #expect(streamer.writtenCount < 200)
    #expect(eventually { server.figures.open == 0 && server.figures.underWay == 0 })
    #expect(server.figures.abortedSends == 1 && server.figures.abandoned == 0)
  }

  @Test(
    "a client that vanishes while more is waited for is told of at once",
    arguments: ["close", "reset", "half"])
  func vanishesWhileWaiting(way: String) throws {
    struct Weak { weak var exchange: (any Exchange)? }
    let journal = Journal()
    nonisolated(unsafe) var exchanges: [Weak] = []
    nonisolated(unsafe) var content: (any ContentWriter)?
    let server = try TestServer { exchange, _ in
      exchanges.append(Weak(exchange: exchange))
      exchange.whenAbandoned { journal.note("abandoned") }
      content = exchange.respond(
        streaming: Response(status: 200, fields: Fields(), content: [.bytes([1, 2, 3])]))
      content?.whenTaken { journal.note("taken") }
    }
    let client = try TestClient(port: server.port)
    try client.send(Self.request)
    #expect(journal.has("taken"))
    switch way {
    case "half": client.shutdownSending()
    case "reset":
      client.resetOnClose()
      client.close()
    default: client.close()
    }
    #expect(journal.has("abandoned"))
    #expect(eventually { server.figures.open == 0 && server.figures.underWay == 0 })
    server.on { _ in
      // Too late, and no harm; who waits is not kept waiting.
      content?.write([.bytes([4, 5, 6])])
      content?.whenTaken { journal.note("taken by nobody") }
      content?.finish()
      content = nil
    }
    #expect(journal.all == ["taken", "abandoned", "taken by nobody"])
    #expect(server.on { _ in exchanges.allSatisfy { $0.exchange == nil } })
    #expect(server.figures.abortedSends == 1)
  }

  @Test("a half-closed client gets what need not be waited for, to its end")
  func halfClosed() throws {
    let streamer = Streamer(count: 50, size: 200_000)
    let server = try TestServer { streamer.answer($0, $1) }
    for _ in 0..<5 {
      let client = try TestClient(port: server.port)
      try client.send(Self.request)
      client.shutdownSending()
      #expect(try client.answer().body == streamer.all)
    }
    #expect(eventually { server.figures.open == 0 })
    #expect(streamer.journal.all == [])
  }

  @Test("a reader that takes each block too slowly is cut off, with whoever writes told of it")
  func trickle() throws {
    var limits = TestServer.limits
    limits.sendTimeout = .milliseconds(300)
    limits.sendRate = 1_000_000
    let streamer = Streamer(count: 1_000, size: 500_000)
    let server = try TestServer(limits: limits) { exchange, loop in streamer.answer(exchange, loop) }
    let slow = try TestClient(port: server.port)
    try slow.send(Self.request)
    #expect(
      eventually {
        _ = try? slow.bytes(10)
        return server.figures.slowReaders == 1
      })
    #expect(streamer.journal.has("ended"))
    #expect(eventually { server.figures.open == 0 })
  }

  @Test("a reader that takes no byte is cut off when its time is up; one that waits for bytes is not")
  func deadline() throws {
    var limits = TestServer.limits
    limits.idleTimeout = .seconds(1)
    let streamer = Streamer(count: 200, size: 500_000)
    nonisolated(unsafe) var waiting: (any ContentWriter)?
    let server = try TestServer(limits: limits) { exchange, loop in
      if exchange.target != Array("/waiting".utf8) { return streamer.answer(exchange, loop) }
      waiting = exchange.respond(
        streaming: Response(status: 200, fields: Fields(), content: [.bytes([7])]))
    }
    let patient = try TestClient(port: server.port)
    try patient.send("GET /waiting HTTP/1.1\r\nHost: x\r\n\r\n")
    let still = try TestClient(port: server.port)
    try still.send(Self.request)
    #expect(streamer.journal.has("ended"))
    #expect(streamer.journal.all == ["abandoned", "ended"])
    #expect(eventually { server.figures.open == 1 })
    server.on { _ in
      waiting?.write([.bytes([8])])
      waiting?.finish()
      waiting = nil
    }
    #expect(try patient.answer().body == [7, 8])
  }

  @Test(
    "a server that stops tells those that write, whether they wait or not, and what they write goes nowhere")
  func stop() throws {
    let journal = Journal()
    nonisolated(unsafe) var contents: [any ContentWriter] = []
    let server = try TestServer { exchange, _ in
      exchange.whenAbandoned { journal.note("abandoned") }
      let size = exchange.target == Array("/long".utf8) ? 30_000_000 : 1
      contents.append(
        exchange.respond(
          streaming: Response(
            status: 200, fields: Fields(), content: [.bytes(Array(repeating: 1, count: size))])))
    }
    let clients = try (0..<4).map { _ in try TestClient(port: server.port) }
    for client in clients.dropFirst() { try client.send(Self.request) }
    try clients[0].send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { server.figures.exchanges == 4 && server.figures.unanswered == 0 })
    let figures = server.on { server in
      server.stop()
      return server.figures
    }
    #expect(journal.all == ["abandoned", "abandoned", "abandoned", "abandoned"])
    #expect(figures.open == 0 && figures.underWay == 0 && figures.abortedSends == 4)
    server.on { _ in
      for content in contents {
        content.write([.bytes([2])])
        content.finish()
      }
      contents = []
    }
    server.stop()
  }

  @Test("the bytes that were written are let go as they are taken")
  func released() throws {
    struct WeakBytes: Sendable { weak var bytes: Bytes? }
    let pieces = Mutex<[WeakBytes]>([])
    let most = Atomic<Int>(0)
    let server = try TestServer { exchange, _ in
      let content = exchange.respond(streaming: Response(status: 200, fields: Fields(), content: []))
      func goOn() {
        let alive = pieces.withLock { pieces in
          let bytes = Bytes(copying: Array(repeating: 7, count: 300_000))
          content.write([.slice(bytes, 0..<bytes.count)])
          pieces.append(WeakBytes(bytes: bytes))
          return pieces.count { $0.bytes != nil }
        }
        most.max(alive, ordering: .relaxed)
        content.whenTaken {
          if pieces.withLock({ $0.count }) < 100 { goOn() } else { content.finish() }
        }
      }
      goOn()
    }
    let client = try TestClient(port: server.port)
    #expect(try client.request("GET", "/").body.count == 30_000_000)
    #expect(most.load(ordering: .relaxed) <= 2)
    #expect(eventually { pieces.withLock { $0.allSatisfy { $0.bytes == nil } } })
  }
}
