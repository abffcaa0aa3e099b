import EventLoop
import Gateway
import HTTPSemantics
import MicrohttpdServer
import TestSupport
import Testing

@Suite("Requests and answers", .timeLimit(.minutes(10)))
struct RequestTests {
  @Test("a handler sees the request as it was sent, and the client gets what it answers")
  func asSent() throws {
    let server = try TestServer { exchange, _ in
      var fields = Fields()
      fields.append(.contentType, "text/plain")
      fields.append(.vary, "")
      fields.append(.etag, "\"1\"")
      let text = [
        exchange.method.name, String(decoding: exchange.target, as: UTF8.self), exchange.peerAddress,
        exchange.field("x-one") ?? "none", exchange.field("X-TWO") ?? "none",
        exchange.field("X-Three") ?? "none",
        exchange.listener == .service ? "service" : "admin",
      ]
      exchange.respond(
        Response(status: 203, fields: fields, content: [.bytes(Array(text.joined(separator: "|").utf8))]))
    }
    let client = try TestClient(port: server.port)
    let answer = try client.request(
      "GET", "/a%20b/%C3%A9?x=%2F&y=a+b&x", fields: [("X-One", "  1 \t"), ("x-tWO", "2"), ("X-Two", "3, 4")])
    #expect(answer.status == 203)
    #expect(answer.text == "GET|/a%20b/%C3%A9?x=%2F&y=a+b&x|127.0.0.1|1|2, 3, 4|none|service")
    #expect(answer.field("Content-Type") == "text/plain")
    #expect(answer.field("ETag") == "\"1\"")
    #expect(answer.field("Date")?.hasSuffix("GMT") == true)
    #expect(answer.field("Connection") == nil)
  }

  @Test(
    "methods come as they are",
    arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"])
  func methods(name: String) throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    #expect(try client.request(name, "/x").text == "\(name) /x ")
    #expect(try client.request(name, "/y").text == "\(name) /y ")
  }

  @Test("HEAD is told the length and gets no content, and the connection goes on")
  func head() throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    for target in ["/x", "/later"] {
      let answer = try client.request("HEAD", target)
      #expect(answer.status == 200)
      #expect(answer.field("Content-Length") == "\("HEAD \(target) ".utf8.count)")
      #expect(try client.request("GET", "/next").text == "GET /next ")
    }
  }

  @Test("204 and 304 have no content, and the connection goes on", arguments: [204, 304])
  func withoutContent(status: Int) throws {
    let server = try TestServer { exchange, _ in
      exchange.respond(Response(String(repeating: "x", count: exchange.target.count), status: status))
    }
    let client = try TestClient(port: server.port)
    for target in ["/", "/longer", "/"] {
      let answer = try client.request("GET", target)
      #expect(answer.status == status)
      #expect(answer.field("Content-Length") == (status == 304 ? "\(target.utf8.count)" : nil))
    }
    #expect(server.figures.contentBytesSent == 0)
  }

  @Test("content comes whole, by length or in chunks, however it is cut")
  func content() throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    #expect(try client.request("POST", "/x", body: Array("abc".utf8)).text == "POST /x abc")
    #expect(try client.request("POST", "/x", body: []).text == "POST /x ")
    let long = String(repeating: "0123456789", count: 1_000)
    #expect(try client.request("POST", "/later", body: Array(long.utf8)).text == "POST /later \(long)")

    let request =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "5\r\nhello\r\n00A;x=y\r\n, world!!!\r\n0\r\nX-Trailer: 1\r\n\r\n"
    try client.send(request)
    #expect(try client.answer().text == "POST /c hello, world!!!")
    for byte in request.utf8 { try client.send([byte]) }
    #expect(try client.answer().text == "POST /c hello, world!!!")
  }

  @Test("a client that expects to be told to continue is told")
  func continues() throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    try client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
    let reply = "HTTP/1.1 100 Continue\r\n\r\n"
    #expect(try client.bytes(reply.utf8.count) == Array(reply.utf8))
    try client.send("abc")
    #expect(try client.answer().text == "POST /x abc")
  }

  @Test("pipelined requests are answered in their order, those that wait and those that do not")
  func pipelined() throws {
    let server = try TestServer(echo())
    let client = try TestClient(port: server.port)
    let targets = ["/a", "/later/b", "/c", "/d", "/later/e", "/later/f", "/g"]
    let requests = targets.map { "POST \($0) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" }
    try client.send(requests.joined())
    for target in targets { #expect(try client.answer().text == "POST \(target) hi") }
    // In one turn, more than fits into the connection's memory at once.
    try client.send(String(repeating: "GET /p HTTP/1.1\r\nHost: x\r\n\r\n", count: 2_000))
    for _ in 0..<2_000 { #expect(try client.answer().text == "GET /p ") }
  }

  @Test("HTTP/1.0 closes, unless it asks to be kept; 1.1 is kept, unless it asks to be closed")
  func keeping() throws {
    let server = try TestServer(echo())
    for (version, field, isKept) in [
      ("1.0", "", false), ("1.0", "Connection: keep-alive\r\n", true), ("1.1", "", true),
      ("1.1", "Connection: close\r\n", false),
    ] {
      let client = try TestClient(port: server.port)
      for target in ["/x", "/later"] {
        let request = "GET \(target) HTTP/\(version)\r\nHost: x\r\n\(field)\r\n"
        guard (try? client.send(request)) != nil, let answer = try? client.answer() else {
          #expect(!isKept && target == "/later")
          break
        }
        #expect(answer.text == "GET \(target) ")
        #expect(isKept || target == "/x")
        #expect((answer.field("Connection") == "close") == !isKept)
      }
    }
  }

  @Test("an answer may close its connection")
  func closing() throws {
    let server = try TestServer { exchange, _ in
      var response = Response("bye")
      response.closesConnection = true
      exchange.respond(response)
    }
    let client = try TestClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
    let answer = try client.answer()
    #expect(answer.text == "bye")
    #expect(answer.field("Connection") == "close")
    #expect(try client.rest() == [])
  }

  @Test("a field can be read until the answer is given, also by a handler that answers later")
  func fieldsLater() throws {
    let journal = Journal()
    let server = try TestServer { exchange, loop in
      loop.schedule(at: loop.now + .milliseconds(10)) {
        exchange.respond(Response(exchange.field("X-A") ?? "none"))
        journal.note(exchange.field("X-A") ?? "none")
      }
    }
    let client = try TestClient(port: server.port)
    #expect(try client.request("GET", "/", fields: [("X-A", "1")]).text == "1")
    #expect(journal.all == ["none"])
  }

  @Test("an answer can come from within another request's handler")
  func crossed() throws {
    nonisolated(unsafe) var held: [any Exchange] = []
    let server = try TestServer { exchange, _ in
      if exchange.target == Array("/hold".utf8) {
        held.append(exchange)
      } else {
        for other in held { other.respond(Response("released")) }
        held = []
        exchange.respond(Response("done"))
      }
    }
    let first = try TestClient(port: server.port)
    let second = try TestClient(port: server.port)
    for _ in 0..<50 {
      try first.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(eventually { server.figures.unanswered == 1 })
      #expect(try second.request("GET", "/release").text == "done")
      #expect(try first.answer().text == "released")
    }
  }

  @Test("an exchange is answered once")
  func twice() async {
    await #expect(processExitsWith: .failure) {
      let server = try TestServer { exchange, _ in
        exchange.respond(Response("one"))
        exchange.respond(Response("two"))
      }
      _ = try TestClient(port: server.port).request("GET", "/")
    }
  }
}
