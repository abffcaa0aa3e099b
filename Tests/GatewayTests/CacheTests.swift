import Foundation
import HTTPSemantics
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// A list whose items the test changes: `{"list":[{"id":…}],"total":N,"more":…}` by page number, 2 a page.
final class ChangingList: Sendable {
  private let state: Mutex<(ids: [Int], failure: Harness.Outcome?)>

  init(_ ids: [Int]) { state = Mutex((ids, nil)) }

  func set(_ ids: [Int]) { state.withLock { $0.ids = ids } }
  func fail(_ outcome: Harness.Outcome?) { state.withLock { $0.failure = outcome } }

  func answer(to url: String, fields: [(FieldName, String)] = []) -> Harness.Outcome {
    let (ids, failure) = state.withLock { $0 }
    if let failure { return failure }
    let page = url.firstMatch(of: #/page=(\d+)/#).flatMap { Int($0.1) } ?? 1
    let part = ids.dropFirst((page - 1) * 2).prefix(2).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    return .body(
      #"{"list":[\#(part)],"total":\#(ids.count),"more":\#(page * 2 < ids.count)}"#, fields: fields)
  }
}

/// A configuration with one list that is kept as `cache` says.
func cachedConfiguration(_ cache: String) -> String {
  """
  upstreams:
    # The breaker goes by the loop's time, which no test moves.
    shop: {url: "http://127.0.0.1:1", retries: {attempts: 1}, breaker: {volume: 10000}}
  lists:
    items:
      upstream: shop
      parameters: {word: {type: string}}
      request: {path: /items, query: {w: "{word}"}}
      paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 2}}
      items: {at: /list, id: /id}
      says: {total: /total, hasMore: /more}
      limit: 2
      cache: \(cache)
  """
}

extension Answered {
  var cacheStatus: String? { fields.text(.cacheStatus) }
  var isStale: Bool? { header["stale"] as? Bool }
  var age: Int? { header["age"] as? Int }
}

@Suite("Known pages", .timeLimit(.minutes(10)))
struct CacheTests {
  private func harness(_ cache: String, _ list: ChangingList) throws -> Harness {
    try Harness(cachedConfiguration(cache)) { list.answer(to: $0.url) }
  }

  @Test("a fresh page is answered without asking, and tells its age and what is left of it")
  func fresh() throws {
    let harness = try harness("{fresh: 30s}", ChangingList([1, 2, 3]))
    let first = harness.ask("/v1/lists/items")
    #expect(first.cacheStatus == "listway; fwd=miss; ttl=30; stored")
    #expect(first.fields.text(.cacheControl) == "private, max-age=30")
    #expect(first.fields.text(.age) == nil)
    harness.clock.advance(by: .seconds(10))
    let second = harness.ask("/v1/lists/items")
    #expect(harness.upstream.requests.count == 1)
    #expect(second.items == first.items)
    #expect(second.isStale == false)
    #expect(second.age == 10)
    #expect(second.fields.text(.age) == "10")
    #expect(second.fields.text(.cacheStatus) == "listway; hit; ttl=20")
    #expect(second.fields.text(.etag) == first.fields.text(.etag))
    let figures = harness.ask("/metrics", listener: .admin).text
    #expect(figures.contains(#"listway_requests_total{list="items",status="ok",cache="hit"} 1"#))
    #expect(figures.contains(#"listway_requests_total{list="items",status="ok",cache="miss"} 1"#))
  }

  @Test("arguments tell pages apart")
  func arguments() throws {
    let harness = try harness("{fresh: 30s}", ChangingList([1, 2]))
    for word in ["a", "b", "", "a"] { _ = harness.ask("/v1/lists/items?word=\(word)") }
    _ = harness.ask("/v1/lists/items")
    #expect(harness.upstream.requests.count == 4)
  }

  @Test("a page past its freshness is served while one request renews it")
  func revalidation() throws {
    let list = ChangingList([1, 2, 3])
    let harness = try harness("{fresh: 30s, stale: 10m}", list)
    _ = harness.ask("/v1/lists/items")
    list.set([7, 1, 2, 3])
    harness.clock.advance(by: .seconds(60))
    let stale = harness.ask("/v1/lists/items")
    #expect(stale.items == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(stale.isStale == true)
    #expect(stale.age == 60)
    #expect(stale.cacheStatus?.contains("hit; ttl=-30") == true)
    #expect(stale.cacheStatus?.contains("detail=\"revalidating\"") == true)
    #expect(stale.fields.text(.cacheControl) == "private, no-cache")
    var renewed = stale
    while renewed.isStale == true { renewed = harness.ask("/v1/lists/items") }
    #expect(renewed.items == [#"{"id":7}"#, #"{"id":1}"#])
    #expect(harness.upstream.requests.count == 2)
  }

  @Test(
    "an upstream that cannot be reached or is faulty is stood in for by what is held of it",
    arguments: [
      Harness.Outcome.failed(.connect), .failed(.timeout), .body("", status: 503), .body("<html>"),
    ])
  func standsIn(failure: Harness.Outcome) throws {
    let list = ChangingList([1, 2, 3])
    let harness = try harness("{fresh: 30s, keep: 1h}", list)
    let first = harness.ask("/v1/lists/items")
    list.fail(failure)
    harness.clock.advance(by: .seconds(1_800))
    let stale = harness.ask("/v1/lists/items")
    #expect(stale.status == 200)
    #expect(stale.items == first.items)
    #expect(stale.isStale == true)
    #expect(stale.age == 1_800)
    #expect(stale.cacheStatus?.contains("detail=\"unavailable\"") == true)
    harness.clock.advance(by: .seconds(1_801))
    #expect(harness.ask("/v1/lists/items").status >= 500)
  }

  @Test("without a word about it, a page is asked for each time, and held for a day for bad times")
  func defaults() throws {
    let list = ChangingList([1, 2])
    let harness = try harness("{}", list)
    for _ in 0..<2 { #expect(harness.ask("/v1/lists/items").isStale == false) }
    #expect(harness.upstream.requests.count == 2)
    list.fail(.failed(.connect))
    harness.clock.advance(by: .seconds(80_000))
    #expect(harness.ask("/v1/lists/items").isStale == true)
    harness.clock.advance(by: .seconds(10_000))
    #expect(harness.ask("/v1/lists/items").status == 503)
  }

  @Test("a refusal is an answer, and nothing stands in for it")
  func refusal() throws {
    let list = ChangingList([1, 2])
    let harness = try harness("{}", list)
    _ = harness.ask("/v1/lists/items")
    list.fail(.body(#"{"error":"no"}"#, status: 403))
    #expect(harness.ask("/v1/lists/items").status == 422)
  }

  @Test("while the upstream is known to be down, what is held is answered without asking or waiting")
  func down() throws {
    let list = ChangingList([1, 2])
    let harness = try harness("{keep: 1h}", list)
    _ = harness.ask("/v1/lists/items")
    list.fail(.failed(.connect))
    harness.upstream.setThere(false)
    while !harness.process.upstreams[0].isDown { _ = harness.ask("/v1/lists/items") }
    let count = harness.upstream.requests.count
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.isStale == true)
    #expect(answer.cacheStatus?.hasPrefix("listway; hit") == true)
    #expect(harness.upstream.requests.count == count)
  }

  @Test("a failure is shared for as long as the list says, and no longer")
  func sharedFailure() throws {
    let list = ChangingList([1, 2])
    let harness = try harness("{failure: 5s}", list)
    list.fail(.body("", status: 500))
    for _ in 0..<3 { #expect(harness.ask("/v1/lists/items").status == 502) }
    #expect(harness.upstream.requests.count == 1)
    list.fail(nil)
    harness.clock.advance(by: .seconds(6))
    #expect(harness.ask("/v1/lists/items").status == 200)
  }

  @Test("a walk goes on in the edition that it began in, while that is held")
  func editions() throws {
    let list = ChangingList([1, 2, 3, 4, 5, 6])
    let harness = try harness("{fresh: 30s, stale: 10m}", list)
    let first = harness.ask("/v1/lists/items")
    _ = harness.ask("/v1/lists/items?cursor=\(first.next ?? "")")
    // Another reader refreshes the top, which has moved.
    list.set([8, 7, 1, 2, 3, 4, 5, 6])
    let refreshed = harness.ask("/v1/lists/items", .get, [(.cacheControl, "no-cache")])
    #expect(refreshed.items == [#"{"id":8}"#, #"{"id":7}"#])
    let second = harness.ask("/v1/lists/items?cursor=\(first.next ?? "")")
    #expect(second.items == [#"{"id":3}"#, #"{"id":4}"#])
    #expect(second.warnings == [])
    let other = harness.ask("/v1/lists/items?cursor=\(refreshed.next ?? "")")
    #expect(other.items == [#"{"id":1}"#, #"{"id":2}"#])
    // What is not held of its edition is read as the list is now, and the seam is found.
    let third = harness.ask("/v1/lists/items?cursor=\(second.next ?? "")")
    #expect(third.items.first == #"{"id":5}"#)
  }

  @Test("what the client asks of caches is honoured")
  func directives() throws {
    let list = ChangingList([1, 2])
    let harness = try harness("{fresh: 30s, keep: 1h}", list)
    func ask(_ directives: String) -> Answered {
      harness.ask("/v1/lists/items", .get, [(.cacheControl, directives)])
    }
    let unknown = ask("only-if-cached")
    #expect(unknown.status == 504)
    #expect(unknown.envelope["status"] as? Int == -14)
    #expect(unknown.header["error"] as? String == "not_cached")
    #expect(harness.upstream.requests.isEmpty)
    _ = ask("max-age=100")
    #expect(harness.upstream.requests.count == 1)
    #expect(ask("only-if-cached").status == 200)
    harness.clock.advance(by: .seconds(20))
    _ = ask("max-age=30")
    #expect(harness.upstream.requests.count == 1)
    _ = ask("max-age=10")
    #expect(harness.upstream.requests.count == 2)
    _ = ask("min-fresh=29")
    #expect(harness.upstream.requests.count == 2)
    harness.clock.advance(by: .seconds(5))
    _ = ask("min-fresh=29")
    #expect(harness.upstream.requests.count == 3)
    harness.clock.advance(by: .seconds(60))
    let old = ask("max-stale=100")
    #expect(old.isStale == true)
    #expect(harness.upstream.requests.count == 3)
    list.set([5])
    #expect(ask("no-cache").items == [#"{"id":5}"#])
    #expect(harness.ask("/v1/lists/items", .get, [("Pragma", "no-cache")]).isStale == false)
    #expect(harness.upstream.requests.count == 5)
    list.set([6])
    #expect(ask("no-store, no-cache").items == [#"{"id":6}"#])
    #expect(ask("only-if-cached").items == [#"{"id":5}"#])
  }

  @Test("where the upstream is obeyed, its own words count, and a 304 renews what is held")
  func obeyed() throws {
    let list = ChangingList([1, 2])
    let harness = try Harness(cachedConfiguration("upstream")) { request in
      if request.fields.text(.ifNoneMatch) == "\"v1\"" {
        return .body("", status: 304, fields: [(.cacheControl, "max-age=100")])
      }
      return list.answer(to: request.url, fields: [(.cacheControl, "max-age=60"), (.etag, "\"v1\"")])
    }
    #expect(harness.ask("/v1/lists/items").fields.text(.cacheControl) == "private, max-age=60")
    harness.clock.advance(by: .seconds(59))
    #expect(harness.ask("/v1/lists/items").age == 59)
    #expect(harness.upstream.requests.count == 1)
    harness.clock.advance(by: .seconds(2))
    let renewed = harness.ask("/v1/lists/items")
    #expect(renewed.items == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(renewed.cacheStatus == "listway; fwd=stale; fwd-status=304; ttl=100; stored")
    harness.clock.advance(by: .seconds(90))
    _ = harness.ask("/v1/lists/items")
    #expect(harness.upstream.requests.count == 2)
  }

  @Test("an answer that the upstream wants nobody to keep is not kept", arguments: ["no-store", "private"])
  func unkept(directive: String) throws {
    let list = ChangingList([1, 2])
    let harness = try Harness(cachedConfiguration("upstream")) { request in
      list.answer(to: request.url, fields: [(.cacheControl, directive)])
    }
    #expect(harness.ask("/v1/lists/items").cacheStatus == "listway; fwd=miss")
    list.fail(.failed(.connect))
    #expect(harness.ask("/v1/lists/items").status == 503)
  }
}
