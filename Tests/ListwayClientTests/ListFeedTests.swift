import Foundation
import ListwayClient
import Synchronization
import Testing

@MainActor
@Suite("An endless list on a screen")
struct ListFeedTests {
  private func list(_ gateway: FakeGateway, _ parameters: [String: String] = [:]) throws -> RemoteList<Row> {
    let url = try #require(URL(string: "http://localhost:1"))
    return ListwayClient(url: url, transport: gateway).list("rows", of: Row.self, parameters: parameters)
  }

  private func settle<Item>(_ feed: ListFeed<Item>) async throws {
    try await RemoteListTests.eventually { @MainActor in feed.state != .loading && feed.state != .refreshing }
  }

  @Test("loads as its rows are shown, each once, to the end")
  func scroll() async throws {
    let gateway = FakeGateway(rows: 23, limit: 5, prefetchAt: 3)
    let feed = ListFeed(try list(gateway))
    feed.show(row: 0)
    var row = 0
    while feed.state != .ended {
      try await settle(feed)
      while row < feed.items.count {
        feed.show(row: row)
        row += 1
      }
    }
    #expect(feed.items.map(\.id) == Array(0..<23))
    #expect(gateway.seen.count == 5)
    #expect(feed.total == 23)
  }

  @Test("one load at a time, however often the last row is shown")
  func once() async throws {
    let gateway = FakeGateway(rows: 10, limit: 5, prefetchAt: 3)
    let feed = ListFeed(try list(gateway))
    for _ in 0..<10 { feed.show(row: 0) }
    try await settle(feed)
    for _ in 0..<10 { feed.show(row: 4) }
    try await settle(feed)
    #expect(gateway.seen.count == 2)
    #expect(feed.items.count == 10)
  }

  @Test("keeps its rows when a load fails, and goes on where it was")
  func failure() async throws {
    let gateway = FakeGateway { number, seen in
      number == 1
        ? .failure(.offline("no network"))
        : .success((FakeGateway.slice(of: 4, limit: 2, prefetchAt: 0, from: seen.cursor ?? 0), 200))
    }
    let feed = ListFeed(try list(gateway))
    feed.show(row: 0)
    try await settle(feed)
    feed.show(row: 0)
    try await settle(feed)
    #expect(feed.state == .failed(.offline("no network")))
    #expect(feed.items.map(\.id) == [0, 1])
    feed.show(row: 1)
    #expect(gateway.seen.count == 2)
    feed.retry()
    try await settle(feed)
    #expect(feed.items.map(\.id) == [0, 1, 2, 3])
    #expect(feed.state == .ended)
  }

  @Test("a refresh takes the place of the rows when it has come, and asks past the cache")
  func refresh() async throws {
    let gateway = FakeGateway { number, seen in
      number == 2
        ? .failure(.offline("no network"))
        : .success((FakeGateway.slice(of: 4, limit: 2, prefetchAt: 0, from: seen.cursor ?? 0), 200))
    }
    let feed = ListFeed(try list(gateway))
    feed.show(row: 0)
    try await settle(feed)
    feed.show(row: 0)
    try await settle(feed)
    await feed.refresh()
    #expect(feed.items.count == 4)
    await feed.refresh()
    #expect(feed.items.map(\.id) == [0, 1])
    #expect(feed.state == .idle)
    #expect(gateway.seen.last?.fields["cache-control"] == "no-cache")
  }

  @Test("rows of the list before never come under the one after")
  func change() async throws {
    let gateway = FakeGateway { _, seen in
      if seen.url.contains("category=1") { try? await Task.sleep(for: .milliseconds(200)) }
      let start = seen.url.contains("category=1") ? 100 : 0
      return .success((FakeGateway.slice(of: start + 2, limit: 2, prefetchAt: 0, from: start), 200))
    }
    let feed = ListFeed(try list(gateway, ["category": "1"]))
    feed.show(row: 0)
    feed.change(to: try list(gateway, ["category": "2"]))
    try await settle(feed)
    #expect(feed.items.map(\.id) == [0, 1])
    try await Task.sleep(for: .milliseconds(400))
    #expect(feed.items.map(\.id) == [0, 1])
  }
}
