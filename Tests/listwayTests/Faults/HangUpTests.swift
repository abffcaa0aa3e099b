import Foundation
import Synchronization
import TestSupport
import Testing

/// Clients that hang up before they are answered.
@Suite("Hanging up", .timeLimit(.minutes(10)))
struct HangUpTests {
  private struct Seen {
    /// By key, how often it was asked for, and how often the asking was ended.
    var asked: [Int: Int] = [:]
    var ended: [Int: Int] = [:]
    var isReleased = false
  }

  private static func key(of target: String) -> Int {
    target.split(separator: "key=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? -1
  }

  @Test("of a thousand clients, what nobody waits for is ended upstream, and nothing that somebody waits for")
  func thousand() throws {
    let seen = Mutex(Seen())
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let key = Self.key(of: request.target)
        seen.withLock { $0.asked[key, default: 0] += 1 }
        while !seen.withLock(\.isReleased) {
          if connection.isClosed(within: .milliseconds(20)) {
            seen.withLock { $0.ended[key, default: 0] += 1 }
            return
          }
        }
        connection.send(FaultyUpstream.response(200, #"{"list":[{"id":\#(key)}]}"#))
      }
    }
    defer { upstream.stop() }
    let service = try Service(
      """
      upstreams:
        far:
          url: http://127.0.0.1:\(upstream.port)
          connections: 1200
          queue: {concurrent: 1200, waiting: 0}
          timeout: {total: 2m}
          reachability: {probe: none}
      lists:
        items:
          upstream: far
          parameters: {key: {type: integer}}
          request: {path: /items, query: {key: "{key}"}}
          paging: {style: page, page: {query: page}}
          items: {at: /list, id: /id}
      """)
    // Two clients for each key: of the first half both hang up, of the second half one does.
    let clients = try (0..<1_000).map { number in
      let client = try TestClient(port: service.port, timeout: 60)
      try client.send("GET /v1/lists/items?key=\(number / 2) HTTP/1.1\r\nHost: a\r\n\r\n")
      return client
    }
    func wait(_ what: Comment, until condition: (Seen) -> Bool) throws {
      let deadline = Date(timeIntervalSinceNow: 60)
      while !seen.withLock({ condition($0) }) {
        try #require(Date() < deadline, what)
        usleep(5_000)
      }
    }
    try wait("all keys are asked for") { $0.asked.count == 500 }
    for (number, client) in clients.enumerated() where number < 500 || number % 2 == 0 { client.close() }
    try wait("what nobody waits for is ended") { seen in
      (0..<250).allSatisfy { seen.ended[$0, default: 0] == seen.asked[$0, default: 0] }
    }
    // Whoever is left is answered: theirs was not ended with their neighbour's.
    seen.withLock { $0.isReleased = true }
    for (number, client) in clients.enumerated() where number >= 500 && number % 2 == 1 {
      let answer = try client.answer()
      #expect(answer.status == 200)
      #expect(try EnvelopeReader(answer.body).items == [#"{"id":\#(number / 2)}"#])
    }
    seen.withLock { seen in
      for key in 250..<500 { #expect(seen.ended[key, default: 0] < seen.asked[key, default: 0]) }
    }
  }
}
