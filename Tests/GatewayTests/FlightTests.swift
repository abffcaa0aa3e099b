import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Flights", .timeLimit(.minutes(10)))
struct FlightTests {
  private static let page = #"{"list":[{"id":1},{"id":2}],"total":9}"#

  private func harness(_ cache: String = "{}") throws -> Harness {
    try Harness(cachedConfiguration(cache)) { _ in nil }
  }

  /// Waits until all that was begun has reached the gateway.
  private func settle(_ harness: Harness) { harness.onLoop {} }

  @Test("any number of clients that ask the same page share one upstream request")
  func shared() throws {
    let harness = try harness()
    let exchanges = (0..<256).map { _ in harness.begin("/v1/lists/items") }
    settle(harness)
    #expect(harness.upstream.requests.count == 1)
    harness.upstream.answerHeld(1, with: .body(Self.page))
    let answers = exchanges.map { $0.wait() }
    #expect(answers.allSatisfy { $0.status == 200 && $0.items.count == 2 })
    #expect(harness.upstream.requests.count == 1)
    #expect(answers.filter { $0.cacheStatus == "listway; fwd=miss; stored" }.count == 1)
    #expect(answers.filter { $0.cacheStatus == "listway; fwd=miss; stored; collapsed" }.count == 255)
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_requests_total{list="items",status="ok",cache="collapsed"} 255"#))
  }

  @Test("two loads of the same page at once get the same page, and go on from it alike")
  func overlappingLoads() throws {
    let harness = try harness()
    let first = harness.begin("/v1/lists/items")
    settle(harness)
    harness.upstream.answerHeld(1, with: .body(Self.page))
    let next = first.wait().next ?? ""
    let loads = (0..<2).map { _ in harness.begin("/v1/lists/items?cursor=\(next)") }
    settle(harness)
    harness.upstream.answerHeld(1, with: .body(#"{"list":[{"id":3},{"id":4}],"total":9}"#))
    let answers = loads.map { $0.wait() }
    #expect(answers.map(\.items) == [[#"{"id":3}"#, #"{"id":4}"#], [#"{"id":3}"#, #"{"id":4}"#]])
    #expect(harness.upstream.requests.count == 2)
    #expect(answers[0].fields.text(.etag) == answers[1].fields.text(.etag))
  }

  @Test("a failure is shared by all who wait, and by nobody after them")
  func sharedFailure() throws {
    let harness = try harness()
    let exchanges = (0..<8).map { _ in harness.begin("/v1/lists/items") }
    settle(harness)
    harness.upstream.answerHeld(1, with: .body("", status: 500))
    #expect(exchanges.map { $0.wait().status } == Array(repeating: 502, count: 8))
    let later = harness.begin("/v1/lists/items")
    settle(harness)
    #expect(harness.upstream.requests.count == 2)
    harness.upstream.answerHeld(1, with: .body(Self.page))
    #expect(later.wait().status == 200)
  }

  @Test("a flight lives while somebody waits for it, and ends when the last has gone")
  func lastLeaves() throws {
    let harness = try harness()
    let exchanges = (0..<3).map { _ in harness.begin("/v1/lists/items") }
    settle(harness)
    harness.hangUp(exchanges[0])
    harness.hangUp(exchanges[1])
    #expect(harness.upstream.cancelled == 0)
    harness.hangUp(exchanges[2])
    #expect(harness.upstream.cancelled == 1)
    let next = harness.begin("/v1/lists/items")
    settle(harness)
    #expect(harness.upstream.requests.count == 2)
    harness.upstream.answerHeld(2, with: .body(Self.page))
    #expect(next.wait().status == 200)
  }

  @Test("the older answer of a superseded request only feeds the cache")
  func superseded() throws {
    let harness = try harness("{fresh: 30s}")
    let slot: [(FieldName, String)] = [(.listwaySlot, "search")]
    let older = harness.begin("/v1/lists/items?word=a", .get, slot)
    settle(harness)
    let newer = harness.begin("/v1/lists/items?word=b", .get, slot)
    settle(harness)
    #expect(older.wait().status == 409)
    #expect(harness.upstream.cancelled == 0)
    // The older one's answer comes last.
    harness.upstream.answerHeld(2, with: .body(Self.page))
    #expect(newer.wait().status == 200)
    settle(harness)
    #expect(older.answerCount == 1)
    let again = harness.ask("/v1/lists/items?word=a")
    #expect(again.cacheStatus?.hasPrefix("listway; hit") == true)
    #expect(harness.upstream.requests.count == 2)
  }

  @Test("what one client wants nobody to keep is not shared with others")
  func alone() throws {
    let harness = try harness()
    let alone = harness.begin("/v1/lists/items", .get, [(.cacheControl, "no-store")])
    let other = harness.begin("/v1/lists/items")
    settle(harness)
    #expect(harness.upstream.requests.count == 2)
    harness.upstream.answerHeld(2, with: .body(Self.page))
    #expect([alone, other].map { $0.wait().status } == [200, 200])
  }
}
