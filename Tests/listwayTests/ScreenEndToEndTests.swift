import Foundation
import Synchronization
import TestSupport
import Testing

/// The recommended users, as an app shows them: the real program in front of a scripted upstream, over real sockets.
@Suite("Screens, end to end", .timeLimit(.minutes(10)), .serialized)
struct ScreenEndToEndTests {
  /// Forty-five users a category, twenty a page; category 9 is slow as long as the gate is shut.
  private final class Social: Sendable {
    let gate = Mutex(false)
    let asked = Mutex<[String]>([])

    static func user(_ category: Int, _ row: Int) -> String {
      #"{"uid":\#(category * 1_000_000_000_000_000 + row),"name":"\#(category)/\#(row)"}"#
    }

    func upstream() throws -> ScriptedUpstream {
      try ScriptedUpstream { [self] connection in
        while let request = connection.request() {
          asked.withLock { $0.append(request.target) }
          let values = URLComponents(string: request.target)?.queryItems ?? []
          func value(_ name: String) -> Int? { values.first { $0.name == name }?.value.flatMap { Int($0) } }
          let body: String
          if let category = value("category_id") {
            while category == 9, !gate.withLock({ $0 }) { usleep(2_000) }
            let page = value("page") ?? 1
            let rows = ((page - 1) * 20)..<min(45, page * 20)
            body =
              #"{"total":45,"total_page":3,"list":[\#(rows.map { Self.user(category, $0) }.joined(separator: ","))]}"#
          } else {
            body = #"{"list":[{"id":7,"name":"a"},{"id":8,"name":"b"},{"id":9,"name":"c"}]}"#
          }
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
          )
        }
      }
    }
  }

  private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func service(_ port: UInt16) throws -> Service {
    let path = top.appendingPathComponent("config/examples/recommended-users.yaml")
    return try Service(
      try String(contentsOf: path, encoding: .utf8),
      environment: ["SOCIAL_URL": "http://127.0.0.1:\(port)"])
  }

  private static func sections(_ answer: TestClient.Answer) throws -> [String: [String: Any]] {
    let envelope = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    return try #require(envelope["body"] as? [String: [String: Any]])
  }

  @Test(
    "categories and the first one's users in one request, then each category's users by their own cursors")
  func recommend() throws {
    let social = Social()
    let upstream = try social.upstream()
    defer { upstream.stop() }
    let service = try Self.service(upstream.port)
    let answer = try service.get("/v1/screens/recommend")
    #expect(answer.status == 200)
    #expect(social.asked.withLock { $0.count } == 2)
    let sections = try Self.sections(answer)
    let categories = try #require(sections["categories"]?["body"] as? [[String: Any]])
    #expect(categories.compactMap { $0["id"] as? Int } == [7, 8, 9])
    // The app goes on where the screen ended.
    let header = try #require(sections["users"]?["header"] as? [String: Any])
    #expect(header["parameters"] as? [String: String] == ["category_id": "7"])
    #expect(answer.text.contains(Social.user(7, 19)))
    var items: [String] = []
    var cursor = header["next"] as? String
    while let next = cursor {
      let more = try EnvelopeReader(service.get("/v1/lists/users?category_id=7&cursor=\(next)").body)
      items += more.items
      cursor = more.next
    }
    #expect(items == (20..<45).map { Social.user(7, $0) })
    // And the other categories by walks of their own.
    #expect(
      try service.walk("/v1/lists/users?category_id=8", limit: 13) == (0..<45).map { Social.user(8, $0) })
    #expect(service.program.stop() == 0)
  }

  @Test("quick switching shows no other category's rows")
  func switching() throws {
    let social = Social()
    let upstream = try social.upstream()
    defer {
      social.gate.withLock { $0 = true }
      upstream.stop()
    }
    let service = try Self.service(upstream.port)
    let slow = { social.asked.withLock { $0.count { $0.contains("category_id=9") } } }
    for round in 0..<10 {
      // The user taps the slow category, and another (or opens the screen anew) before its rows are there.
      let left = try TestClient(port: service.port)
      let before = slow()
      // What the one before asked for goes on for the cache; this one is not to wait in it.
      try left.send(
        "GET /v1/lists/users?category_id=9 HTTP/1.1\r\nHost: x\r\nListway-Slot: users\r\n"
          + "Cache-Control: no-store\r\n\r\n")
      let end = ContinuousClock.now + .seconds(10)
      while slow() == before && ContinuousClock.now < end { usleep(1_000) }
      try #require(slow() > before, "round \(round)")
      let category = 7 + round % 2
      let target = round == 9 ? "/v1/screens/recommend" : "/v1/lists/users?category_id=\(category)"
      let answer = try service.get(target, fields: [("Listway-Slot", "users")])
      #expect(answer.status == 200)
      if round < 9 {
        #expect(try EnvelopeReader(answer.body).items == (0..<20).map { Social.user(category, $0) })
      }
      let superseded = try left.answer()
      #expect(superseded.status == 409)
      #expect(!superseded.text.contains(#""uid""#))
    }
  }
}
