import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Forgetting", .timeLimit(.minutes(10)))
struct PurgeTests {
  private func harness() throws -> Harness {
    let list = ChangingList([1, 2, 3])
    return try Harness(cachedConfiguration("{fresh: 1h}")) { list.answer(to: $0.url) }
  }

  @Test(
    "all, a list's, or those with certain parameters",
    arguments: [
      ("/purge", 3, 3), ("/purge?list=items", 3, 3), ("/purge?list=items&word=a", 1, 1),
      ("/purge?list=items&word=x", 0, 0),
    ])
  func extent(target: String, count: Int, asked: Int) throws {
    let harness = try harness()
    let targets = ["/v1/lists/items", "/v1/lists/items?word=a", "/v1/lists/items?word=b"]
    for target in targets { _ = harness.ask(target) }
    let answer = harness.ask(target, .post, listener: .admin)
    #expect(answer.status == 200)
    #expect(answer.header["count"] as? Int == count)
    for target in targets { _ = harness.ask(target) }
    #expect(harness.upstream.requests.count == 3 + asked)
  }

  @Test("what was asked for before is not kept, and joined by nobody after")
  func underWay() throws {
    let harness = try Harness(cachedConfiguration("{fresh: 1h}")) { _ in nil }
    let before = harness.begin("/v1/lists/items")
    harness.onLoop {}
    #expect(harness.ask("/purge", .post, listener: .admin).status == 200)
    let after = harness.begin("/v1/lists/items")
    harness.onLoop {}
    #expect(harness.upstream.requests.count == 2)
    harness.upstream.answerHeld(1, with: .body(#"{"list":[{"id":1}],"total":1}"#))
    #expect(before.wait().items == [#"{"id":1}"#])
    harness.upstream.answerHeld(1, with: .body(#"{"list":[{"id":2}],"total":1}"#))
    #expect(after.wait().items == [#"{"id":2}"#])
    #expect(harness.ask("/v1/lists/items").items == [#"{"id":2}"#])
  }

  @Test("what it cannot mean is refused, and other methods and clients too")
  func refused() throws {
    let harness = try harness()
    #expect(harness.ask("/purge?list=other", .post, listener: .admin).status == 404)
    #expect(harness.ask("/purge?word=a", .post, listener: .admin).header["parameter"] as? String == "list")
    let unknown = harness.ask("/purge?list=items&size=1", .post, listener: .admin)
    #expect(unknown.header["parameter"] as? String == "size")
    let method = harness.ask("/purge", .get, listener: .admin)
    #expect(method.status == 405)
    #expect(method.fields.text(.allow) == "POST")
    #expect(harness.ask("/purge", .post).status == 404)
  }
}
