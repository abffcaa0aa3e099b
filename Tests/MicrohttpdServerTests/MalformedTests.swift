import EventLoop
import Gateway
import HTTPSemantics
import MicrohttpdServer
import TestSupport
import Testing

@Suite("Malformed requests", .timeLimit(.minutes(10)))
struct MalformedTests {
  /// None may be taken for a request. What follows each in one packet must not be taken for one either.
  static let requests: [String] = [
    // Request lines.
    "GET\r\nHost: x\r\n\r\n",
    "GET /\r\nHost: x\r\n\r\n",
    "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
    "GET / HTTP/0.9\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.11\r\nHost: x\r\n\r\n",
    "GET / http/1.1\r\nHost: x\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /  HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /a\tb HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /a\u{1}b HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /a\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /a\rb HTTP/1.1\r\nHost: x\r\n\r\n",
    "G(T / HTTP/1.1\r\nHost: x\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET\u{0} / HTTP/1.1\r\nHost: x\r\n\r\n",
    "/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\n",
    // Lines that end otherwise than they should.
    "GET / HTTP/1.1\nHost: x\n\n",
    "GET / HTTP/1.1\r\nHost: x\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n\n",
    "GET / HTTP/1.1\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n",
    // Fields.
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA B: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA\u{0}: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\u{0}b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\u{7F}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\u{1B}[2J\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\rb\r\n\r\n",
    "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\r\n b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nA: a\r\n\tb\r\nB: c\r\n\r\n",
    // Framing.
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 0\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\nabc",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    // Chunks.
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\ng\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3 \r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nbroken trailer\r\n\r\n",
  ]

  private func isServing(_ server: TestServer) throws -> Bool {
    try TestClient(port: server.port).request("GET", "/fine").text == "GET /fine "
  }

  @Test(
    "each gets a refusal or nothing, then its connection is closed, and the server serves on",
    arguments: requests)
  func refused(request: String) throws {
    let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    let journal = Journal()
    let server = try TestServer { exchange, _ in
      if exchange.fault == nil { journal.note(String(decoding: exchange.target, as: UTF8.self)) }
      exchange.echo()
    }
    let client = try TestClient(port: server.port)
    try? client.send(request + smuggled)
    client.shutdownSending()
    let answer = String(decoding: try client.rest(), as: UTF8.self)
    #expect(
      answer.isEmpty || ["400", "413", "414", "431", "505"].contains(answer.dropFirst(9).prefix(3)),
      "\(answer)")
    #expect(journal.all == [])
    #expect(try isServing(server))
    #expect(eventually { server.figures.open <= 1 && server.figures.underWay == 0 })
  }

  @Test("what is unusual and right is taken")
  func unusual() throws {
    let server = try TestServer(echo())
    for request in [
      "\r\n\r\nGET /u HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /u HTTP/1.1\r\nhOST:x\r\n\r\n",
      "GET /u HTTP/1.1\r\nHost:\t x\t \r\nEmpty:\r\n\r\n",
      "GET /u HTTP/1.1\r\nHost: x\r\nA: \u{E9}\u{4E2D}\r\n\r\n",
      "GET /u HTTP/1.0\r\n\r\n",
      "GET /u HTTP/1.2\r\nHost: x\r\n\r\n",
      "GET /u HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
      "GET /u HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n",
    ] {
      let client = try TestClient(port: server.port)
      try client.send(request)
      #expect(try client.answer().text == "GET /u ", "\(request)")
    }
    let client = try TestClient(port: server.port)
    try client.send("GET http://h/p?q HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try client.answer().text == "GET http://h/p?q ")
    try client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try client.answer().text == "OPTIONS * ")
    try client.send("GET /\u{4E2D} HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try client.answer().text == "GET /\u{4E2D} ")
  }

  @Test("ten thousand blobs of random bytes, and of broken requests, harm nothing")
  func blobs() throws {
    let server = try TestServer(echo())
    var random = SeededRandom(seed: 7)
    let pieces = [
      "GET ", "POST ", "/later ", "HTTP/1.1", "\r\n", "\n", "Host: x\r\n", "Content-Length: ",
      "Transfer-Encoding: chunked\r\n",
      "Cookie: ", "Expect: 100-continue\r\n", "Connection: close\r\n", "\r\n\r\n", "0\r\n\r\n", ": ", " ",
      "\t", "\u{0}", ";", "=",
      "?", "&", "%", "5", "ffffffff",
    ].map { Array($0.utf8) }
    for number in 0..<10_000 {
      var blob: [UInt8] = []
      let length = Int.random(in: 1...400, using: &random)
      while blob.count < length {
        if number % 2 == 0 || Int.random(in: 0..<6, using: &random) == 0 {
          blob.append(UInt8.random(in: 0...255, using: &random))
        } else {
          blob += pieces.randomElement(using: &random)!
        }
      }
      let client = try TestClient(port: server.port)
      try? client.send(blob)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: client.resetOnClose()
      case 1:
        client.shutdownSending()
        _ = try? client.rest()
      default: break
      }
      client.close()
    }
    #expect(try isServing(server))
    #expect(eventually { server.figures.open == 0 })
    #expect(server.figures.underWay == 0)
    #expect(server.figures.unanswered == 0)
  }
}
