import EventLoop
import Gateway
import HTTPSemantics
import MicrohttpdServer
import TestSupport
import Testing

@Suite("Limits", .timeLimit(.minutes(10)))
struct LimitTests {
  /// Asks with raw bytes; the status, and whether the connection was closed after it.
  private func ask(_ port: UInt16, _ request: String) throws -> (status: Int, text: String, isClosed: Bool) {
    let client = try TestClient(port: port)
    try? client.send(request)
    let answer = try client.answer()
    client.shutdownSending()
    return (answer.status, answer.text, try client.rest().isEmpty && answer.field("Connection") == "close")
  }

  @Test("a request line, a header section and content may be as long as the limit says, and no byte longer")
  func exact() throws {
    let server = try TestServer(echo())
    let line = "GET / HTTP/1.1".utf8.count
    func request(target: Int) -> String {
      "GET /\(String(repeating: "t", count: target - line)) HTTP/1.1\r\nHost: x\r\n\r\n"
    }
    #expect(try ask(server.port, request(target: 2_000)).status == 200)
    #expect(try ask(server.port, request(target: 2_001)) == (414, "fault", true))

    let rest = "GET / HTTP/1.1\r\nHost: x\r\nA: \r\n\r\n".utf8.count
    func request(headers: Int) -> String {
      "GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: headers - rest))\r\n\r\n"
    }
    #expect(try ask(server.port, request(headers: 4_000)).status == 200)
    #expect(try ask(server.port, request(headers: 4_001)) == (431, "fault", true))

    func request(content: Int) -> String {
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(content)\r\n\r\n\(String(repeating: "c", count: content))"
    }
    #expect(try ask(server.port, request(content: 10_000)).status == 200)
    #expect(try ask(server.port, request(content: 10_001)) == (413, "fault", true))
  }

  @Test("what is far too long is refused too, by the library where its memory ends")
  func farTooLong() throws {
    let server = try TestServer(echo())
    let long = String(repeating: "x", count: 100_000)
    #expect(try ask(server.port, "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n").status == 414)
    #expect(try ask(server.port, "GET / HTTP/1.1\r\nHost: x\r\nA: \(long)\r\n\r\n").status == 431)
    let fields = (0..<5_000).map { "A\($0): b\r\n" }.joined()
    #expect(try ask(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n").status == 431)
    #expect(try ask(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
  }

  @Test("a query of a thousand parameters costs no memory for each")
  func manyParameters() throws {
    let server = try TestServer(echo())
    let query = String(repeating: "a&", count: 950)
    #expect(try ask(server.port, "GET /?\(query) HTTP/1.1\r\nHost: x\r\n\r\n").text == "GET /?\(query) ")
  }

  @Test("a hundred fields and a long cookie fit")
  func manyFields() throws {
    var limits = TestServer.limits
    limits.headers = 8_192
    let server = try TestServer(limits: limits, echo())
    let fields = (0..<50).map { "X-Field-\($0): value \($0)\r\n" }.joined()
    let cookie = "Cookie: session=\(String(repeating: "c", count: 2_000))\r\n"
    #expect(try ask(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\(fields)\(cookie)\r\n").status == 200)
  }

  @Test(
    "the longest header section, of forty fields, leaves room for that of an answer",
    arguments: [(1_000, 4_000), (8_192, 10_240), (16_384, 18_000)])
  func fullHead(requestLine: Int, headers: Int) throws {
    var limits = TestServer.limits
    limits.requestLine = requestLine
    limits.headers = headers
    let long = String(repeating: "l", count: 1_600)
    let server = try TestServer(limits: limits) { exchange, loop in
      loop.schedule(at: loop.now + .milliseconds(1)) {
        var fields = Fields()
        fields.append("Link", long)
        for index in 0..<5 { fields.append("ETag", "\"0123456789-\(index)\"") }
        exchange.respond(Response(status: exchange.faultStatus ?? 200, fields: fields, content: []))
      }
    }
    let client = try TestClient(port: server.port)
    for target in [1, requestLine - 14] {
      var head = "GET /\(String(repeating: "t", count: target - 1)) HTTP/1.1\r\nHost: x\r\n"
      for index in 10..<48 { head += "X-\(index): value\r\n" }
      let rest = headers - head.utf8.count - "X-Pad: \r\n\r\n".utf8.count
      head += "X-Pad: \(String(repeating: "p", count: rest))\r\n\r\n"
      #expect(head.utf8.count == headers)
      try client.send(head)
      let answer = try client.answer()
      #expect(answer.status == 200)
      #expect(answer.field("Link") == long)
    }
  }

  @Test("content that is announced as too long is refused before it is sent, and the answer arrives")
  func refusedAtOnce() throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999\r\nExpect: 100-continue\r\n\r\n")
    #expect(String(decoding: try client.bytes(12), as: UTF8.self) == "HTTP/1.1 413")

    // A client that sends on is not reset before it can read the answer.
    for _ in 0..<20 {
      let eager = try TestClient(port: server.port)
      let megabyte = String(repeating: "x", count: 900_000)
      try eager.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n\(megabyte)")
      #expect(try eager.answer().status == 413)
    }
  }

  @Test("content in chunks is refused once it is too long, and cut off when it does not end")
  func chunked() throws {
    let server = try TestServer(echo())
    let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunk = "3E8\r\n\(String(repeating: "c", count: 1_000))\r\n"
    let client = try TestClient(port: server.port)
    try client.send(head + String(repeating: chunk, count: 10) + "0\r\n\r\n")
    #expect(try client.answer().status == 200)
    try client.send(head + String(repeating: chunk, count: 11) + "0\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.status == 413)
    #expect(answer.field("Connection") == "close")

    let endless = try TestClient(port: server.port)
    try? endless.send(head + String(repeating: chunk, count: 500))
    #expect(try endless.rest() == [])
  }

  @Test("connections above the limit wait until one closes")
  func connections() throws {
    var limits = TestServer.limits
    limits.connections = 3
    let server = try TestServer(limits: limits, echo())
    let clients = try (0..<3).map { _ in try TestClient(port: server.port) }
    for client in clients { #expect(try client.request("GET", "/").status == 200) }
    let waiting = try TestClient(port: server.port)
    try waiting.send("GET /waited HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try clients[0].request("GET", "/").status == 200)
    #expect(server.figures.open == 3)
    clients[1].close()
    #expect(try waiting.answer().text == "GET /waited ")
    #expect(server.figures.accepted == 4)
  }

  @Test("one address has its share of connections, over all loops")
  func peers() throws {
    var limits = TestServer.limits
    limits.peers = PeerLimit(most: 4)
    let server = try TestServer(loops: 2, limits: limits, echo())
    let clients = try (0..<4).map { _ in try TestClient(port: server.port) }
    for client in clients { #expect(try client.request("GET", "/").status == 200) }
    for _ in 0..<5 {
      let refused = try TestClient(port: server.port)
      try? refused.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try refused.rest() == [])
    }
    clients[0].close()
    #expect(
      try eventually {
        let client = try TestClient(port: server.port)
        return try (try? client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")) != nil
          && !client.rest().isEmpty
      })
  }

  // MARK: Time

  private static var hasty: ServerLimits {
    var limits = TestServer.limits
    limits.headerTimeout = .milliseconds(200)
    limits.contentTimeout = .milliseconds(200)
    limits.content = 1_000_000
    limits.idleTimeout = .seconds(1)
    return limits
  }

  @Test(
    "a sender that is slow is cut off, and others are served meanwhile",
    arguments: [
      "GET /slow", "GET /slow HTTP/1.1\r\n", "GET /slow HTTP/1.1\r\nHost: x\r\nA: ",
      "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n",
      "POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFF0\r\n",
    ])
  func slow(start: String) throws {
    let server = try TestServer(limits: Self.hasty, echo())
    for isFirst in [true, false] {
      let client = try TestClient(port: server.port)
      if !isFirst { _ = try client.request("GET", "/") }
      let began = ContinuousClock.now
      try client.send(start)
      let other = try TestClient(port: server.port)
      var isCut = false
      while !isCut && .now - began < .seconds(5) {
        isCut = (try? client.send("a")) == nil
        #expect(try other.request("GET", "/").status == 200)
      }
      #expect(isCut)
      #expect(.now - began > .milliseconds(190))
      #expect(.now - began < .seconds(2))
    }
    #expect(server.figures.slowSenders == 2)
  }

  @Test("a connection may be idle longer than a header section may take, until its own time is up")
  func idle() throws {
    let server = try TestServer(limits: Self.hasty, echo())
    let silent = try TestClient(port: server.port)
    let used = try TestClient(port: server.port)
    #expect(try used.request("GET", "/").status == 200)
    let began = ContinuousClock.now
    #expect(try silent.rest() == [])
    #expect(try used.rest() == [])
    #expect(.now - began > .milliseconds(700))
    #expect(server.figures.slowSenders == 0)
  }

  @Test("a request that takes long to answer is not cut off")
  func slowAnswer() throws {
    let server = try TestServer(limits: Self.hasty) { exchange, loop in
      loop.schedule(at: loop.now + .milliseconds(2_500)) { exchange.echo() }
    }
    let client = try TestClient(port: server.port)
    #expect(try client.request("GET", "/").text == "GET / ")
  }

  @Test("a client that takes no byte of its answer is cut off")
  func slowReader() throws {
    let server = try TestServer(limits: Self.hasty) { exchange, _ in
      exchange.respond(
        Response(status: 200, fields: Fields(), content: [.bytes(Array(repeating: 1, count: 20_000_000))]))
    }
    let client = try TestClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { server.figures.abortedSends == 1 && server.figures.open == 0 })
    #expect(server.figures.underWay == 0)
    #expect(server.figures.slowReaders == 0)
  }

  @Test("a client that reads on and on, but slowly, is cut off; one that reads as fast as it must is not")
  func tricklingReader() throws {
    var limits = TestServer.limits
    limits.sendTimeout = .milliseconds(300)
    limits.sendRate = 20_000_000
    let byteCount = 20_000_000
    let server = try TestServer(limits: limits) { exchange, loop in
      loop.schedule(at: loop.now + .milliseconds(5)) {
        let content = Array(repeating: UInt8(1), count: byteCount)
        exchange.respond(Response(status: 200, fields: Fields(), content: [.bytes(content)]))
      }
    }
    let slow = try TestClient(port: server.port)
    try slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    let other = try TestClient(port: server.port)
    #expect(try other.request("GET", "/").body.count == byteCount)
    #expect(
      eventually {
        _ = try? slow.bytes(100)
        return server.figures.slowReaders == 1
      })
    #expect(eventually { server.figures.open == 1 })
    #expect(server.figures.abortedSends == 1)
    #expect(server.figures.slowSenders == 0)
    #expect(try other.request("GET", "/").body.count == byteCount)
  }
}
