import Foundation
import TestSupport
import Testing

@Suite("Compression, end to end", .timeLimit(.minutes(5)))
struct CompressionEndToEndTests {
  private static let configuration = """
    upstreams: {shop: {url: "http://127.0.0.1:PORT"}}
    lists:
      items:
        upstream: shop
        request: {path: /items}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 100}}
        items: {at: /list, id: /id}
        says: {total: /total}
        cache: {fresh: 1h}
    """

  @Test(
    "curl reads each coding: a slice as it comes, from what is known, by HEAD, and the explorer's files",
    arguments: ["zstd", "br", "gzip"])
  func curl(_ coding: String) throws {
    let items = (1...200).map { #"{"id":\#($0),"title":"Somebody approved invoice \#($0)"}"# }
    let upstream = try ListUpstream(items: items) { part, _, _ in
      #"{"list":[\#(part.joined(separator: ","))],"total":200}"#
    }
    defer { upstream.stop() }
    let service = try Service(Self.configuration.replacing("PORT", with: "\(upstream.port)"))
    let folder = try TemporaryFolder()
    func ask(_ target: String, _ more: String...) throws -> (head: String, content: String) {
      let curl = try Child(
        "/usr/bin/curl",
        ["-s", "--compressed", "-H", "Accept-Encoding: \(coding)", "-D", folder.path + "/head"] + more
          + ["-o", folder.path + "/content", "http://127.0.0.1:\(service.port)\(target)"])
      #expect(curl.wait() == 0)
      return (
        String(decoding: try folder.read("head"), as: UTF8.self),
        String(decoding: try folder.read("content"), as: UTF8.self)
      )
    }
    for _ in 0..<6 {
      let answer = try ask("/v1/lists/items?limit=100")
      #expect(answer.head.contains("Content-Encoding: \(coding)\r\n"))
      #expect(try EnvelopeReader(Array(answer.content.utf8)).items == Array(items.prefix(100)))
    }
    let head = try ask("/v1/lists/items?limit=100", "-H", "X-Request-Id: a", "-I")
    let whole = try ask("/v1/lists/items?limit=100", "-H", "X-Request-Id: a")
    let lengths = [head.head, whole.head].map { $0.firstMatch(of: #/Content-Length: (\d+)/#)?.1 }
    #expect(lengths[0] != nil && lengths[0] == lengths[1])
    for path in ["/", "/explorer.js", "/openapi.json"] {
      let plain = try service.get(path)
      #expect(plain.field("Vary") == "Accept-Encoding")
      for _ in 0..<2 {
        let answer = try ask(path)
        #expect(answer.head.contains("Content-Encoding: \(coding)\r\n"))
        #expect(answer.content == plain.text)
      }
    }
  }
}
