import Caching
import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Fetching ahead", .timeLimit(.minutes(10)))
struct PrefetchTests {
  /// Pages of 50 for a reader of slices of 10.
  private static func configuration(_ prefetch: String, cache: String = "{}", upstream: String = "") -> String
  {
    """
    upstreams:
      shop: {url: "http://127.0.0.1:1", retries: {attempts: 1}\(upstream)}
    lists:
      items:
        upstream: shop
        parameters: {word: {type: string}}
        request: {path: /items, query: {w: "{word}"}}
        paging: {style: page, page: {query: page, first: 1}, size: {query: size, value: 50}}
        items: {at: /list, id: /id}
        says: {total: /total}
        limit: 10
        prefetch: \(prefetch)
        cache: \(cache)
    """
  }

  private func settle(_ harness: Harness) { harness.onLoop {} }

  /// Reads to the end, with a settled upstream between two slices.
  ///
  /// - Returns: the items, and which slices, by number from 0, had to ask the upstream.
  private func scroll(_ harness: Harness, _ target: String) -> (items: [String], waits: [Int]) {
    var (items, waits): ([String], [Int]) = ([], [])
    var cursor: String?
    var number = 0
    repeat {
      let answer = harness.ask(target + (cursor.map { "?cursor=\($0)" } ?? ""))
      #expect(answer.status == 200)
      if answer.cacheStatus?.hasPrefix("listway; fwd=") == true { waits.append(number) }
      items += answer.items
      cursor = answer.next
      number += 1
      for _ in 0..<8 { settle(harness) }
      harness.clock.advance(by: .milliseconds(500))
    } while cursor != nil
    return (items, waits)
  }

  @Test(
    "no slice but the first waits for the upstream, which is asked for each page once",
    arguments: [0.5, 0.7, 1.0], [1, 2])
  func scrolling(threshold: Double, pages: Int) throws {
    let list = PagedList(count: 237)
    let harness = try Harness(
      Self.configuration("{threshold: \(threshold), pages: \(pages)}", cache: "{fresh: 1m}")
    ) {
      list.answer(to: $0.url)
    }
    let (items, waits) = scroll(harness, "/v1/lists/items")
    #expect(items == list.items)
    #expect(waits == [0])
    #expect(harness.upstream.requests.count == 5)
  }

  @Test("a page that was fetched ahead lasts until it is read, though the list is not kept fresh")
  func holds() throws {
    let list = PagedList(count: 100)
    let harness = try Harness(Self.configuration("{threshold: 0.1, pages: 1}")) { list.answer(to: $0.url) }
    let first = harness.ask("/v1/lists/items")
    for _ in 0..<3 { settle(harness) }
    #expect(harness.upstream.urls.map { $0.contains("page=2") } == [false, true])
    let figures = harness.process.pages.prefetchFigures(of: 0)
    #expect(figures.fetched == 1 && figures.used == 0)
    let second = harness.ask("/v1/lists/items?limit=60&cursor=\(first.next ?? "")")
    #expect(second.items.count == 60)
    #expect(harness.process.pages.prefetchFigures(of: 0).used == 1)
    #expect(harness.upstream.urls.filter { $0.contains("page=2") }.count == 1)
  }

  @Test("without pages nothing is fetched ahead, and behind the last page neither")
  func nothing() throws {
    let list = PagedList(count: 50)
    let idle = try Harness(Self.configuration("{threshold: 0}", cache: "{fresh: 1m}")) {
      list.answer(to: $0.url)
    }
    _ = idle.ask("/v1/lists/items")
    settle(idle)
    #expect(idle.upstream.requests.count == 1)
    let short = try Harness(Self.configuration("{threshold: 0, pages: 2}", cache: "{fresh: 1m}")) {
      list.answer(to: $0.url)
    }
    _ = short.ask("/v1/lists/items")
    settle(short)
    #expect(short.upstream.requests.count == 1)
  }

  @Test("nothing is fetched ahead of an upstream that has no room")
  func noRoom() throws {
    let list = PagedList(count: 500)
    let harness = try Harness(
      Self.configuration(
        "{threshold: 0, pages: 1}", cache: "{fresh: 1m}", upstream: ", queue: {concurrent: 1}")
    ) { request in request.url.contains("w=slow") ? nil : list.answer(to: request.url) }
    _ = harness.ask("/v1/lists/items?word=a")
    for _ in 0..<3 { settle(harness) }
    #expect(harness.upstream.requests.count == 2)
    let slow = harness.begin("/v1/lists/items?word=slow")
    settle(harness)
    // Known, so that it needs no room itself; but the place behind it does.
    _ = harness.ask("/v1/lists/items?word=a&limit=60")
    settle(harness)
    #expect(harness.upstream.requests.count == 3)
    harness.hangUp(slow)
  }

  @Test("what is fetched ahead is joined by the reader, and ended when that one turns elsewhere")
  func superseded() throws {
    let list = PagedList(count: 500)
    let harness = try Harness(Self.configuration("{threshold: 0, pages: 1}", cache: "{fresh: 1m}")) {
      request in
      request.url.contains("page=2") ? nil : list.answer(to: request.url)
    }
    let slot: [(FieldName, String)] = [(.listwaySlot, "search")]
    let first = harness.ask("/v1/lists/items?word=a&limit=50", .get, slot)
    while harness.upstream.requests.count < 2 { usleep(1_000) }
    let next = harness.begin("/v1/lists/items?word=a&limit=50&cursor=\(first.next ?? "")", .get, slot)
    for _ in 0..<3 { settle(harness) }
    #expect(harness.upstream.requests.count == 2)
    #expect(harness.upstream.cancelled == 0)
    let page = list.answer(to: harness.upstream.urls[1])
    harness.upstream.answerHeld(1, with: page)
    #expect(next.wait().items.count == 50)
    _ = harness.ask("/v1/lists/items?word=b", .get, slot)
    while harness.upstream.urls.filter({ $0.contains("w=b") }).count < 2 { usleep(1_000) }
    _ = harness.ask("/v1/lists/items?word=c", .get, slot)
    for _ in 0..<3 { settle(harness) }
    #expect(harness.upstream.cancelled == 1)
  }
}
