import Foundation
import TestSupport
import Testing

/// The real program in front of four servers that page in four ways, over real sockets.
@Suite("Merged lists end to end", .timeLimit(.minutes(10)), .serialized)
struct MergedEndToEndTests {
  private static let lists = FourLists(counts: [60, 45, 75, 30])
  private static let merged = lists.merged

  private static func server(port: UInt16 = 0) throws -> ScriptedUpstream {
    try ScriptedUpstream(port: port) { connection in
      while let request = connection.request() {
        let body = lists.body(of: request.target)
        connection.send(
          ListUpstream.response(body == nil ? 404 : 200, "application/json", Array((body ?? "{}").utf8)))
      }
    }
  }

  private static func service(_ servers: [ScriptedUpstream]) throws -> Service {
    var upstreams = ""
    var names = ""
    for (index, server) in servers.enumerated() {
      upstreams +=
        "  u\(index): {url: \"http://127.0.0.1:\(server.port)\", retries: {attempts: 1}, queue: {wait: 10ms}, "
        + "reachability: {every: 100ms}}\n"
      names += FourLists.list(index, upstream: "u\(index)")
    }
    return try Service(
      """
      upstreams:
      \(upstreams)
      lists:
      \(names)
        feed:
          merge: [pages, offsets, tokens, urls]
          order: \(FourLists.order)
          maxLimit: 1000
      """)
  }

  @Test(
    "while one server is stopped and started again nothing is lost, nothing doubled, and all is in order that was there",
    arguments: zip([1, 7, 50, 7], FourLists.names.indices))
  func restart(limit: Int, stopped: Int) throws {
    var servers = try FourLists.names.map { _ in try Self.server() }
    defer { for server in servers { server.stop() } }
    let service = try Self.service(servers)
    let client = try TestClient(port: service.port)
    var items: [String] = []
    var isDown = false
    var missing = 0
    var cursor: String?
    /// Items before it was missing, and before it had been taken up again.
    var away: (from: Int, to: Int)?
    for number in 0..<2_000 {
      // Down from the first third on, until the others have gone on for a while.
      if !isDown, missing == 0, items.count >= 70 {
        isDown = true
        servers[stopped].stop()
      } else if isDown, items.count >= 140 || missing > 60 {
        isDown = false
        servers[stopped] = try Self.server(port: servers[stopped].port)
      }
      let answer = try client.request(
        "GET", "/v1/lists/feed?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      let envelope = try EnvelopeReader(answer.body)
      guard answer.status == 200 else {
        // Nothing but the stopped server's items is left, and it has not been found to be back.
        #expect(answer.status == 503 && missing > 0, "\(number): \(answer.text)")
        usleep(20_000)
        continue
      }
      let mine = envelope.items
      items += mine
      if envelope.warnings.contains("section_failed:\(FourLists.names[stopped])") {
        missing += 1
        away = (away?.from ?? items.count - mine.count, items.count)
      }
      let ranks = mine.map { item in Self.merged.firstIndex(of: item) ?? -1 }
      #expect(ranks == ranks.sorted() && !ranks.contains(-1))
      cursor = envelope.next
      if cursor == nil { break }
    }
    #expect(cursor == nil && missing > 0)
    #expect(items.count == Self.merged.count)
    #expect(items.sorted() == Self.merged.sorted())
    // Without what came late it is as if nothing had happened.
    for list in FourLists.names.indices {
      let own = Set(Self.lists.items(of: list))
      #expect(items.filter(own.contains) == Self.lists.items(of: list))
    }
    let others = Set(FourLists.names.indices.filter { $0 != stopped }.flatMap { Self.lists.items(of: $0) })
    #expect(items.filter(others.contains) == Self.merged.filter(others.contains))
    // Before, and from when it was taken up again, it is as if nothing ever happened.
    let (from, to) = try #require(away)
    let ranks = items.map { item in Self.merged.firstIndex(of: item) ?? -1 }
    #expect(Array(ranks[..<from]) == Array(0..<from))
    #expect(ranks[to...].elementsEqual(ranks[to...].sorted()))
  }

  @Test("a merged list comes whole, and slice by slice, the same")
  func whole() throws {
    let servers = try FourLists.names.map { _ in try Self.server() }
    defer { for server in servers { server.stop() } }
    let service = try Self.service(servers)
    let answer = try service.get("/v1/lists/feed/all")
    let lines = answer.text.split(separator: "\n").map(String.init)
    #expect(Array(lines.dropLast()) == Self.merged)
    #expect(try service.walk("/v1/lists/feed", limit: 50) == Self.merged)
  }
}
