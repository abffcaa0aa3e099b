import Foundation
import TestSupport
import Testing

@Suite("Known pages, end to end", .timeLimit(.minutes(10)))
struct CachingEndToEndTests {
  private static let items = (1...40).map { #"{"id":\#($0)}"# }

  private func upstream() throws -> ListUpstream {
    try ListUpstream(items: Self.items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":40}"#
    }
  }

  private func configuration(_ port: UInt16, cache: String) -> String {
    """
    upstreams: {shop: {url: "http://127.0.0.1:\(port)", retries: {attempts: 1}}}
    lists:
      items:
        upstream: shop
        request: {path: /items}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 20}}
        items: {at: /list, id: /id}
        says: {total: /total}
        cache: \(cache)
    """
  }

  @Test("256 clients on both loops that ask a cold page of a slow upstream cost it one request")
  func flights() throws {
    let upstream = try upstream()
    defer { upstream.stop() }
    upstream.fail(page: 1, with: .delay(.seconds(1)))
    let service = try Service(configuration(upstream.port, cache: "{fresh: 1h}"))
    let clients = try (0..<256).map { _ in try TestClient(port: service.port) }
    for client in clients { try client.send("GET /v1/lists/items HTTP/1.1\r\nHost: a\r\n\r\n") }
    let answers = try clients.map { try $0.answer() }
    #expect(answers.allSatisfy { $0.status == 200 })
    #expect(Set(answers.compactMap { $0.field("ETag") }).count == 1)
    #expect(upstream.pagesAsked == [1])
  }

  @Test("what is known outlives its upstream, until it is forgotten")
  func outlives() throws {
    let upstream = try upstream()
    let text = configuration(upstream.port, cache: "{keep: 1h}")
    let service = try Service(text)
    let first = try EnvelopeReader(service.get("/v1/lists/items").body)
    upstream.stop()
    let stale = try service.get("/v1/lists/items")
    #expect(stale.status == 200)
    #expect(try EnvelopeReader(stale.body).items == first.items)
    #expect(stale.text.contains(#""stale":true"#))
    let file = "admin: {address: 127.0.0.1, port: \(service.adminPort)}\n" + text
    let purge = try Program(["purge", "{folder}/a.yaml", "items"], files: ["a.yaml": file])
    #expect(purge.waitForEnd() == 0)
    #expect(purge.outputText.contains("1 pages forgotten"))
    #expect(try service.get("/v1/lists/items").status == 503)
    let wrong = try Program(["purge", "{folder}/a.yaml", "other"], files: ["a.yaml": file])
    #expect(wrong.waitForEnd() == 2)
  }
}
