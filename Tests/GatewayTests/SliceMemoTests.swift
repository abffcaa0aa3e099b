import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Answers given before", .timeLimit(.minutes(10)))
struct SliceMemoTests {
  private func harness(_ list: ChangingList) throws -> Harness {
    try Harness(cachedConfiguration("{fresh: 30s, stale: 10m}")) { list.answer(to: $0.url) }
  }

  private static func masked(_ answer: Answered) -> String {
    answer.text.replacing(#/"requestId":"[^"]*"/#, with: "").replacing(#/"age":\d+/#, with: "")
      .replacing(#/"next":"[^"]*"/#, with: "")
  }

  @Test("an answer given before is the same but for its age and its request's id")
  func same() throws {
    let harness = try harness(ChangingList([1, 2, 3, 4, 5]))
    let first = harness.ask("/v1/lists/items?word=a")
    var age = 0
    for step in [0, 1, 4, 24] {
      age += step
      harness.clock.advance(by: .seconds(step))
      for id in ["one", "two"] {
        let again = harness.ask("/v1/lists/items?word=a", .get, [(.xRequestID, id)])
        #expect(again.status == 200)
        #expect(Self.masked(again) == Self.masked(first))
        #expect(again.age == age)
        #expect(again.fields.text(.age) == String(age))
        #expect(again.header["requestId"] as? String == id)
        #expect(again.fields.text(.xRequestID) == id)
        #expect(again.fields.text(.etag) == first.fields.text(.etag))
        #expect(again.cacheStatus == "listway; hit; ttl=\(30 - age)")
        #expect(again.fields.text(.cacheControl) == "private, max-age=\(30 - age)")
        let next = try #require(again.next)
        #expect(again.fields.text(.link)?.contains(next) == true)
        #expect(harness.ask("/v1/lists/items?word=a&cursor=\(next)").items == [#"{"id":3}"#, #"{"id":4}"#])
      }
    }
    #expect(harness.upstream.requests.count == 2)
    let tag = try #require(first.fields.text(.etag))
    let unchanged = harness.ask("/v1/lists/items?word=a", .get, [(.ifNoneMatch, tag)])
    #expect(unchanged.status == 304)
    #expect(unchanged.content.isEmpty)
  }

  @Test("it is not given again once it is not fresh, another page has come, or pages were forgotten")
  func over() throws {
    let list = ChangingList([1, 2, 3])
    let harness = try harness(list)
    let target = "/v1/lists/items"
    for _ in 0..<3 { #expect(harness.ask(target).items == [#"{"id":1}"#, #"{"id":2}"#]) }
    list.set([9, 1, 2, 3])
    #expect(harness.ask(target, .get, [(.cacheControl, "no-cache")]).items.first == #"{"id":9}"#)
    for _ in 0..<3 { #expect(harness.ask(target).items.first == #"{"id":9}"#) }
    list.set([8, 9])
    #expect(harness.ask("/purge?list=items", .post, listener: .admin).header["count"] as? Int == 2)
    for _ in 0..<3 { #expect(harness.ask(target).items.first == #"{"id":8}"#) }
    harness.clock.advance(by: .seconds(31))
    #expect(harness.ask(target).isStale == true)
  }

  @Test("what a client asks of caches is looked at each time")
  func directives() throws {
    let harness = try harness(ChangingList([1, 2, 3]))
    for _ in 0..<3 { _ = harness.ask("/v1/lists/items") }
    harness.clock.advance(by: .seconds(20))
    _ = harness.ask("/v1/lists/items", .get, [(.cacheControl, "max-age=10")])
    #expect(harness.upstream.requests.count == 2)
  }
}
