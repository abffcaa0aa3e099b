import Foundation
import HTTPSemantics
import Testing

@testable import Gateway

@Suite("Slots", .timeLimit(.minutes(10)))
struct SlotTests {
  private static let page = #"{"list":[{"id":1}],"total":1}"#

  @Test("the latest in a slot wins: the older is told at once, and what it asked for goes on for the cache")
  func latestWins() throws {
    let harness = try Harness(pagedConfiguration) { $0.url.contains("w=b") ? .body(Self.page) : nil }
    let slot: [(FieldName, String)] = [(.listwaySlot, "search")]
    let older = harness.begin("/v1/lists/items?word=a", .get, slot)
    while harness.upstream.requests.isEmpty { usleep(1_000) }
    #expect(harness.ask("/v1/lists/items?word=b", .get, slot).status == 200)
    let answer = older.wait()
    #expect(answer.status == 409)
    #expect(answer.header["error"] as? String == "superseded")
    #expect(answer.envelope["status"] as? Int == -13)
    #expect(harness.upstream.cancelled == 0)
    #expect(older.answerCount == 1)
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_requests_total{list="items",status="superseded",cache="none"} 1"#))
  }

  @Test("requests in other slots, of other clients, and without a slot do not mind each other")
  func apart() throws {
    let harness = try Harness(pagedConfiguration) { _ in nil }
    let exchanges = [
      [(.listwaySlot, "a")], [(.listwaySlot, "b")], [(.listwaySlot, "a"), (.authorization, "Bearer x")], [],
    ].enumerated().map { (number: Int, fields: [(FieldName, String)]) in
      harness.begin("/v1/lists/items?word=\(number)", .get, fields)
    }
    while harness.upstream.requests.count < 4 { usleep(1_000) }
    harness.upstream.answerHeld(4, with: .body(Self.page))
    #expect(exchanges.map { $0.wait().status } == [200, 200, 200, 200])
  }

  @Test("an answered request is not superseded any more")
  func answered() throws {
    let harness = try Harness(pagedConfiguration) { _ in .body(Self.page) }
    for _ in 0..<3 { #expect(harness.ask("/v1/lists/items", .get, [(.listwaySlot, "a")]).status == 200) }
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(!figures.contains("superseded"))
  }

  @Test("a slot's name is checked", arguments: ["", "a\u{7F}", "ü", String(repeating: "x", count: 257)])
  func names(name: String) throws {
    let harness = try Harness(pagedConfiguration) { _ in .body(Self.page) }
    let answer = harness.ask("/v1/lists/items", .get, [(.listwaySlot, name)])
    #expect(answer.status == 400)
    #expect(answer.header["parameter"] as? String == "Listway-Slot")
  }
}
