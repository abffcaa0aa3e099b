import Foundation
import HTTPSemantics
import Synchronization
import Testing

@testable import Gateway

/// Merged lists of lists that complete their items.
@Suite("Merged lists of completed items", .timeLimit(.minutes(5)))
struct MergedEnrichmentTests {
  private static func configuration(required: Bool = false) -> String {
    func enrich(_ name: String) -> String {
      "{as: \(name), by: /of, request: {path: /\(name)s}, ids: {query: ids}, items: {at: /list, id: /id}, required: \(required)}"
    }
    return """
      upstreams: {shop: {url: "http://shop.example", retries: {attempts: 1}, breaker: {volume: 1000000}}}
      lists:
        posts:
          upstream: shop
          request: {path: /posts}
          paging: {style: page, page: {query: page}, size: {value: 10}}
          items: {at: /list, id: /id}
          enrich: \(enrich("user"))
        sales:
          upstream: shop
          request: {path: /sales}
          paging: {style: page, page: {query: page}, size: {value: 10}}
          items: {at: /list, id: /id}
          enrich: \(enrich("ware"))
        plain: {upstream: shop, request: {path: /plain}, paging: {style: whole}, items: {at: /list, id: /id}}
        feed: {merge: [posts, sales, plain], order: {by: /at, type: number}, tag: source}
      """
  }

  /// Thirty posts and sales and three of the plain, in turn.
  @Sendable private static func answer(_ request: TransportRequest) -> Harness.Outcome {
    let target = request.url.dropFirst("http://shop.example/".count)
    func list(_ items: [String]) -> Harness.Outcome { .body(#"{"list":[\#(items.joined(separator: ","))]}"#) }
    if target.hasPrefix("users") || target.hasPrefix("wares") {
      let ids = target.components(separatedBy: "ids=")[1].components(separatedBy: "%2C")
      return list(ids.map { #"{"id":\#($0),"name":"\#(target.prefix(4))"}"# })
    }
    if target.hasPrefix("plain") { return list((0..<3).map { #"{"id":\#($0),"at":\#($0 * 3 + 2)}"# }) }
    let page = Int(target.components(separatedBy: "page=")[1]) ?? 1
    let shift = target.hasPrefix("posts") ? 0 : 1
    return list(
      ((page - 1) * 10..<min(30, page * 10)).map {
        #"{"id":\#($0),"at":\#($0 * 3 + shift),"of":\#($0 + 100)}"#
      })
  }

  private static func item(_ index: Int) -> String {
    let (number, kind) = (index / 3, index % 3)
    if kind == 2 { return #"{"source":"plain","item":{"id":\#(number),"at":\#(index)}}"# }
    let (source, name) = kind == 0 ? ("posts", "user") : ("sales", "ware")
    return
      #"{"source":"\#(source)","item":{"item":{"id":\#(number),"at":\#(index),"of":\#(number + 100)},"\#(name)":{"id":\#(number + 100),"name":"\#(name)"}}}"#
  }

  private static func asked(_ harness: Harness) -> [String] {
    harness.upstream.urls.filter { $0.contains("ids=") }.map { $0.components(separatedBy: "ids=")[1] }
  }

  @Test(
    "what is shown is completed as its own list would, with one request for each list, and nothing else is")
  func completes() throws {
    let harness = try Harness(Self.configuration(), answer: Self.answer)
    let first = harness.ask("/v1/lists/feed?limit=7")
    #expect(first.items == (0..<7).map(Self.item) && first.warnings == [])
    #expect(Self.asked(harness).sorted() == ["100%2C101", "100%2C101%2C102"])
    let second = harness.ask("/v1/lists/feed?limit=2&cursor=\(try #require(first.next))")
    #expect(second.items == [Self.item(7), Self.item(8)])
    #expect(Self.asked(harness).count == 3)
    let streamed = try Streamed(harness.ask("/v1/lists/feed/all"))
    #expect(streamed.items.count == 63 && Array(streamed.items[..<9]) == (0..<9).map(Self.item))
    #expect(streamed.isComplete == true)
  }

  @Test(
    "where a completion fails, null and a warning are left; where it is required, the slice fails and goes on later"
  )
  func failures() throws {
    let isAway = Mutex(true)
    @Sendable func answer(_ request: TransportRequest) -> Harness.Outcome {
      request.url.contains("/wares") && isAway.withLock(\.self)
        ? .body("", status: 500) : Self.answer(request)
    }
    let harness = try Harness(Self.configuration(), answer: answer)
    let short = harness.ask("/v1/lists/feed?limit=3")
    #expect(short.items[0] == Self.item(0) && short.items[1].hasSuffix(#""ware":null}}"#))
    #expect(short.warnings == ["enrichment_failed:ware"])
    let strict = try Harness(Self.configuration(required: true), answer: answer)
    #expect(strict.ask("/v1/lists/feed?limit=3").status == 502)
    #expect(strict.ask("/v1/lists/feed/all").status == 502)
    isAway.withLock { $0 = false }
    #expect(strict.ask("/v1/lists/feed?limit=3").items == (0..<3).map(Self.item))
  }
}
