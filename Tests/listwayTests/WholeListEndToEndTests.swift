import Foundation
import TestSupport
import Testing

/// Whole lists from the real program, over real sockets.
@Suite("Whole lists end to end", .timeLimit(.minutes(10)), .serialized)
struct WholeListEndToEndTests {
  /// Long enough that sockets do not hold a list of some thousands of them.
  private static func items(_ count: Int, padding: Int = 0) -> [String] {
    let pad = String(repeating: "x", count: padding)
    return (0..<count).map {
      #"{"id":\#(9_007_199_254_740_993 + $0),"amount":\#($0).10,"name":"é ☕️ \#(pad)"}"#
    }
  }

  private static func upstream(_ items: [String]) throws -> ListUpstream {
    try ListUpstream(items: items) { part, _, _ in
      "{\"list\":[\(part.joined(separator: ",\n"))],\"total\":\(items.count)}"
    }
  }

  private func configuration(_ port: UInt16) -> String {
    """
    cursor: {keys: ["\(String(repeating: "k", count: 32))"]}
    upstreams:
      shop: {url: "http://127.0.0.1:\(port)", timeout: {connect: 1s, total: 20s}}
    lists:
      items:
        upstream: shop
        request: {path: /items}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
        items: {at: /list, id: /id}
        says: {total: /total}
    """
  }

  private func lines(_ body: [UInt8]) -> [String] {
    body.withUnsafeBytes { bytes in
      var lines: [String] = []
      var start = 0
      while start < bytes.count, let end = memchr(bytes.baseAddress! + start, 10, bytes.count - start) {
        let next = bytes.baseAddress!.distance(to: end)
        lines.append(String(decoding: bytes[start..<next], as: UTF8.self))
        start = next + 1
      }
      #expect(start == bytes.count)
      return lines
    }
  }

  @Test("a list comes whole, byte for byte, to clients of both versions", arguments: [0, 1, 20, 57, 2_000])
  func whole(count: Int) throws {
    let items = Self.items(count)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    let answer = try service.get("/v1/lists/items/all")
    #expect(answer.status == 200 && answer.field("Content-Type") == "application/x-ndjson")
    let old = try TestClient(port: service.port)
    try old.send("GET /v1/lists/items/all HTTP/1.0\r\n\r\n")
    for body in [answer.body, try old.answer().body] {
      let lines = lines(body)
      #expect(Array(lines.dropLast()) == items)
      let outcome = try EnvelopeReader(Array(#require(lines.last).utf8))
      #expect(outcome.status == "0" && outcome.text("/header/complete") == "true" && outcome.next == nil)
      #expect(outcome.text("/header/count") == "\(count)")
    }
    #expect(service.program.stop() == 0)
  }

  @Test("a reader that stands still has the upstream left alone, and gets all when it reads on")
  func slowReader() throws {
    let items = Self.items(4_000, padding: 8_000)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    let client = try TestClient(port: service.port)
    try client.send("GET /v1/lists/items/all HTTP/1.1\r\nHost: a\r\n\r\n")
    while upstream.pagesAsked.isEmpty { usleep(2_000) }
    usleep(500_000)
    #expect(upstream.pagesAsked.count < 150)
    #expect(lines(try client.answer().body).dropLast().elementsEqual(items))
    #expect(upstream.pagesAsked.count <= 201)
  }

  @Test("a client that vanishes in the middle ends the walk, and the log has a line for it")
  func vanishes() throws {
    let upstream = try Self.upstream(Self.items(4_000, padding: 8_000))
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    let client = try TestClient(port: service.port)
    try client.send("GET /v1/lists/items/all HTTP/1.1\r\nHost: a\r\n\r\n")
    _ = try client.bytes(100_000)
    client.resetOnClose()
    client.close()
    let deadline = Date(timeIntervalSinceNow: 20)
    while !service.program.errorText.contains(#""message":"request abandoned""#), Date() < deadline {
      usleep(5_000)
    }
    #expect(service.program.errorText.contains(#""message":"request abandoned""#))
    #expect(service.program.errorText.contains(#""route":"/v1/lists/{list}/all""#))
    #expect(upstream.pagesAsked.count < 200)
    #expect(try service.get("/livez").status == 200)
  }

  @Test("SIGTERM ends a stream with a cursor, from which another process goes on", arguments: [true, false])
  func stops(isWaitingForUpstream: Bool) throws {
    let items = Self.items(4_000, padding: 8_000)
    let upstream = try Self.upstream(items)
    defer { upstream.stop() }
    let service = try Service(configuration(upstream.port))
    if isWaitingForUpstream { upstream.fail(page: 3, with: .delay(.seconds(15))) }
    let client = try TestClient(port: service.port)
    try client.send("GET /v1/lists/items/all HTTP/1.1\r\nHost: a\r\n\r\n")
    while upstream.pagesAsked.count < 3 { usleep(2_000) }
    service.program.signal(SIGTERM)
    while !service.program.errorText.contains(#""message":"stopping""#) { usleep(2_000) }
    let first = lines(try client.answer().body)
    #expect(service.program.waitForEnd() == 0)
    let outcome = try EnvelopeReader(Array(#require(first.last).utf8))
    #expect(outcome.status == "-12" && outcome.error == "overloaded")
    #expect(outcome.text("/header/complete") == "false")
    #expect(first.count - 1 < items.count && Array(first.dropLast()) == Array(items.prefix(first.count - 1)))
    if isWaitingForUpstream { #expect(first.count == 41) }
    let other = try Service(configuration(upstream.port))
    let rest = lines(try other.get("/v1/lists/items/all?cursor=\(#require(outcome.next))").body)
    #expect(Array(first.dropLast()) + Array(rest.dropLast()) == items)
  }
}
