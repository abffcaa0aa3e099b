import Foundation
import HTTPSemantics
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Lists made of others, of four upstreams that page in four ways.
@Suite("Merged lists", .timeLimit(.minutes(10)))
struct MergedListTests {
  /// Which upstreams are away or silent, changed by the test.
  private final class World: Sendable {
    let lists: FourLists
    private let state = Mutex<(away: Set<Int>, silent: Set<Int>)>(([], []))

    init(_ lists: FourLists) { self.lists = lists }

    var away: Set<Int> {
      get { state.withLock { $0.away } }
      set { state.withLock { $0.away = newValue } }
    }
    var silent: Set<Int> {
      get { state.withLock { $0.silent } }
      set { state.withLock { $0.silent = newValue } }
    }

    func answer(_ request: TransportRequest) -> Harness.Outcome? {
      let target = String(request.url.dropFirst("http://127.0.0.1:1".count))
      guard let list = FourLists.names.firstIndex(where: { target.hasPrefix("/\($0)") }) else {
        return .body("{}", status: 404)
      }
      if silent.contains(list) { return nil }
      if away.contains(list) { return .body("{}", status: 500) }
      return lists.body(of: target).map { .body($0) }
    }
  }

  private static let upstreams = FourLists.names.indices.map {
    "  u\($0): {url: \"http://127.0.0.1:1\", retries: {attempts: 1}, breaker: {volume: 1000000}}"
  }.joined(separator: "\n")

  private func harness(_ world: World, _ merged: String) throws -> Harness {
    let lists = FourLists.names.indices.map { FourLists.list($0, upstream: "u\($0)") }.joined()
    return try Harness("debug: true\nupstreams:\n\(Self.upstreams)\nlists:\n\(lists)\(merged)\n") {
      world.answer($0)
    }
  }

  private static let feed = """
      feed:
        merge: [pages, offsets, tokens, urls]
        order: \(FourLists.order)
    """

  /// Walks a list to its end; what fails is asked for again, so often.
  private func walk(
    _ harness: Harness, _ target: String, limit: Int, failures: Int = 0, before: (Int) -> Void = { _ in }
  ) throws -> [Answered] {
    var answers: [Answered] = []
    var cursor: String?
    var left = failures
    for number in 0..<1_000 {
      before(number)
      let answer = harness.ask("\(target)?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      if answer.status != 200, left > 0 {
        left -= 1
        continue
      }
      try #require(answer.status == 200, "\(answer.text)")
      answers.append(answer)
      guard let next = answer.next else { return answers }
      cursor = next
    }
    throw TestFailure("no end")
  }

  @Test("four lists of four styles come as one, in order and byte for byte", arguments: [1, 7, 50])
  func merged(limit: Int) throws {
    let world = World(FourLists(counts: [33, 10, 25, 40]))
    let harness = try harness(world, Self.feed)
    let answers = try walk(harness, "/v1/lists/feed", limit: limit)
    #expect(answers.flatMap(\.items) == world.lists.merged)
    let last = try #require(answers.last)
    #expect(last.header["total"] as? Int == 108)
    #expect(last.header["pageCount"] as? Int == (108 + limit - 1) / limit)
    #expect(last.header["list"] as? String == "feed" && last.header["hasMore"] as? Bool == false)
    #expect(answers.allSatisfy { $0.warnings.isEmpty })
  }

  @Test("a slice asks each source for at most one page beyond what is shown", arguments: [1, 7, 50])
  func requests(limit: Int) throws {
    let world = World(FourLists(counts: [95, 95, 95, 95]))
    let harness = try harness(world, Self.feed)
    var cursor: String?
    var asked = 0
    repeat {
      let answer = harness.ask("/v1/lists/feed?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      let urls = harness.upstream.urls.dropFirst(asked)
      for name in FourLists.names {
        // As many pages as hold an item of the slice, and one more.
        var pages: Set<Int> = []
        for item in answer.items {
          guard let id = item.components(separatedBy: "\"\(name)-").dropFirst().first else { continue }
          pages.insert((Int(id.prefix { $0 != "\"" }) ?? 0) / 10)
        }
        let count = urls.filter { $0.contains("/\(name)") }.count
        #expect(count <= pages.count + 1, "\(name) at \(asked)")
      }
      asked += urls.count
      cursor = answer.next
    } while cursor != nil
  }

  @Test("a source that fails is left out, said to be, and comes later: nothing is lost, nothing doubled")
  func partialFailure() throws {
    let world = World(FourLists(counts: [30, 30, 30, 30]))
    let harness = try harness(world, Self.feed)
    let answers = try walk(harness, "/v1/lists/feed", limit: 7) {
      world.away = (2..<6).contains($0) ? [1] : []
    }
    let items = answers.flatMap(\.items)
    #expect(items.sorted() == world.lists.merged.sorted())
    for (number, answer) in answers.enumerated() {
      #expect(answer.warnings == ((2..<6).contains(number) ? ["section_failed:offsets"] : []), "\(number)")
    }
    for list in FourLists.names.indices {
      let own = world.lists.items(of: list)
      #expect(items.filter { own.contains($0) } == own)
    }
  }

  @Test("with all sources away the slice fails as a list's does, and the same cursor goes on")
  func allFailed() throws {
    let world = World(FourLists(counts: [20, 20, 20, 20]))
    let harness = try harness(world, Self.feed)
    let first = harness.ask("/v1/lists/feed?limit=5")
    let cursor = try #require(first.next)
    world.away = [0, 1, 2, 3]
    let failed = harness.ask("/v1/lists/feed?limit=5&cursor=\(cursor)")
    #expect(failed.status == 502 && failed.envelope["status"] as? Int == -2)
    #expect(failed.header["list"] as? String == "feed")
    world.away = []
    #expect(
      harness.ask("/v1/lists/feed?limit=5&cursor=\(cursor)").items == Array(world.lists.merged[5..<10]))
  }

  @Test("where all are required one failure is the slice's")
  func requireAll() throws {
    let world = World(FourLists(counts: [20, 20, 20, 20]))
    let harness = try harness(world, Self.feed + "\n    require: all")
    world.away = [3]
    #expect(harness.ask("/v1/lists/feed").status == 502)
    world.away = []
    #expect(harness.ask("/v1/lists/feed?limit=80").items == world.lists.merged)
  }

  @Test("a source that takes longer than wait is left out, and what comes of it meanwhile is not lost")
  func wait() throws {
    let world = World(FourLists(counts: [20, 20, 20, 20]))
    let harness = try harness(world, Self.feed + "\n    wait: 50ms")
    world.silent = [0]
    let first = harness.ask("/v1/lists/feed?limit=9")
    #expect(first.warnings == ["section_failed:pages"] && first.items.count == 9)
    #expect(harness.upstream.cancelled == 0)
    world.silent = []
    harness.upstream.answerHeld(1, with: .body(try #require(world.lists.body(of: "/pages?page=1&size=10"))))
    let second = harness.ask("/v1/lists/feed?limit=80&cursor=\(try #require(first.next))")
    #expect((first.items + second.items).sorted() == world.lists.merged.sorted())
    #expect(second.items.first == world.lists.item(0, of: 0) && second.warnings.isEmpty)
  }

  @Test("a client that goes away ends what is under way at every source")
  func abandoned() throws {
    let world = World(FourLists(counts: [20, 20, 20, 20]))
    let harness = try harness(world, Self.feed)
    world.silent = [0, 1, 2, 3]
    let exchange = harness.begin("/v1/lists/feed")
    while harness.upstream.requests.count < 4 { usleep(1_000) }
    harness.hangUp(exchange)
    #expect(harness.upstream.cancelled == 4 && exchange.answerCount == 0)
  }

  @Test("items say where they came from, through merged lists of merged lists, and stay as they are")
  func tags() throws {
    let world = World(FourLists(counts: [2, 1, 1, 0]))
    let harness = try harness(
      world,
      """
        both:
          merge: [pages, offsets]
          order: {by: {pages: /at, offsets: /created/at}, type: time, direction: descending}
          tag: source
        all:
          concat: [tokens, both]
          tag: source
        plain:
          interleave: [both, tokens]
      """)
    let (page, offset, token) = (
      world.lists.items(of: 0), world.lists.item(0, of: 1), world.lists.item(0, of: 2)
    )
    let tagged = harness.ask("/v1/lists/all")
    #expect(
      tagged.items == [
        #"{"source":"tokens","item":\#(token)}"#,
        #"{"source":"both","item":{"source":"pages","item":\#(page[0])}}"#,
        #"{"source":"both","item":{"source":"offsets","item":\#(offset)}}"#,
        #"{"source":"both","item":{"source":"pages","item":\#(page[1])}}"#,
      ])
    #expect(
      harness.ask("/v1/lists/plain").items == [
        #"{"source":"pages","item":\#(page[0])}"#, token, #"{"source":"offsets","item":\#(offset)}"#,
        #"{"source":"pages","item":\#(page[1])}"#,
      ])
    let streamed = try Streamed(harness.ask("/v1/lists/all/all"))
    #expect(streamed.items == tagged.items && streamed.isComplete == true)
  }

  @Test("an item that several sources have comes once")
  func unique() throws {
    let harness = try Harness(
      """
      upstreams: {shop: {url: "http://127.0.0.1:1"}}
      lists:
        new: {upstream: shop, request: {path: /new}, paging: {style: whole}, items: {at: "", id: /id}}
        top: {upstream: shop, request: {path: /top}, paging: {style: whole}, items: {at: "", id: /id}}
        all: {merge: [new, top], order: {by: /rank, type: number}, unique: /id}
      """
    ) { request in
      .body(
        request.url.hasSuffix("/new")
          ? #"[{"id":1,"rank":1},{"id":"2","rank":1e1},{"id":3,"rank":30}]"#
          : #"[{"id":2,"rank":10.0},{"id":4,"rank":11},{"id":3,"rank":30}]"#)
    }
    let answer = harness.ask("/v1/lists/all")
    #expect(
      answer.items == [
        #"{"id":1,"rank":1}"#, #"{"id":"2","rank":1e1}"#, #"{"id":4,"rank":11}"#, #"{"id":3,"rank":30}"#,
      ])
    #expect(answer.warnings == ["duplicates_dropped:2"])
  }

  @Test("a merged list is streamed whole, also from a cursor, and while a source is away")
  func whole() throws {
    let world = World(FourLists(counts: [133, 10, 250, 40]))
    let harness = try harness(world, Self.feed)
    let streamed = try Streamed(harness.ask("/v1/lists/feed/all"))
    #expect(streamed.items == world.lists.merged)
    #expect(streamed.isComplete == true && streamed.header["total"] as? Int == 433)
    let part = try Streamed(harness.ask("/v1/lists/feed/all?limit=7"))
    #expect(part.items == Array(world.lists.merged[..<7]) && part.isComplete == false)
    let rest = try Streamed(harness.ask("/v1/lists/feed/all?cursor=\(try #require(part.next))"))
    #expect(rest.items == Array(world.lists.merged[7...]))
    world.away = [3]
    let short = try Streamed(harness.ask("/v1/lists/feed/all"))
    #expect(short.isComplete == false && short.error == "upstream_fault")
    world.away = []
    let late = try Streamed(harness.ask("/v1/lists/feed/all?cursor=\(try #require(short.next))"))
    #expect((short.items + late.items).sorted() == world.lists.merged.sorted())
    #expect(late.items == world.lists.items(of: 3))
  }

  @Test("parameters go to the sources that have them, and belong to the cursor")
  func parameters() throws {
    let harness = try Harness(
      """
      upstreams: {shop: {url: "http://127.0.0.1:1"}}
      lists:
        one:
          upstream: shop
          parameters: {shop: {type: integer, required: true}, kind: {}}
          request: {path: /one, query: {s: "{shop}", k: "{kind}"}}
          paging: {style: whole}
          items: {at: "", id: /id}
        two:
          upstream: shop
          parameters: {page: {type: integer, default: 3}, shop: {type: integer}}
          request: {path: /two, query: {p: "{page}", s: "{shop}"}}
          paging: {style: whole}
          items: {at: "", id: /id}
        all: {concat: [one, two]}
      """
    ) { _ in .body(#"[{"id":1},{"id":2}]"#) }
    #expect(harness.ask("/v1/lists/all").header["parameter"] as? String == "shop")
    #expect(harness.ask("/v1/lists/all?shop=1&size=2").status == 400)
    let first = harness.ask("/v1/lists/all?shop=7&limit=3")
    #expect(
      harness.upstream.urls.sorted() == ["http://127.0.0.1:1/one?s=7", "http://127.0.0.1:1/two?p=3&s=7"])
    let cursor = try #require(first.next)
    #expect(
      harness.ask("/v1/lists/all?shop=8&cursor=\(cursor)").header["error"] as? String == "invalid_cursor")
    #expect(
      harness.ask("/v1/lists/one?shop=7&cursor=\(cursor)").header["error"] as? String == "invalid_cursor")
    #expect(harness.ask("/v1/lists/all?shop=7&cursor=\(cursor)").items == [#"{"id":2}"#])
  }

  @Test("it has what other lists have: a link, a tag, a place in the catalogue, and figures by its name")
  func sameAsOthers() throws {
    let world = World(FourLists(counts: [5, 5, 5, 5]))
    let harness = try harness(world, Self.feed)
    let answer = harness.ask("/v1/lists/feed?limit=5")
    let next = try #require(answer.next)
    #expect(answer.fields.text(.link) == #"</v1/lists/feed?limit=5&cursor=\#(next)>; rel="next""#)
    let tag = try #require(answer.fields.text(.etag))
    #expect(harness.ask("/v1/lists/feed?limit=5", .get, [(.ifNoneMatch, tag)]).status == 304)
    #expect(harness.ask("/v1/lists/feed?limit=6", .get, [(.ifNoneMatch, tag)]).status == 200)
    let catalogue = try #require(harness.ask("/v1/lists").envelope["body"] as? [[String: Any]])
    let entry = try #require(catalogue.first { $0["name"] as? String == "feed" })
    #expect(entry["merged"] as? Bool == true && entry["sources"] as? [String] == FourLists.names)
    #expect(catalogue.count == 5 && catalogue[0]["merged"] as? Bool == false)
    #expect(harness.ask("/metrics", listener: .admin).text.contains(#"list="feed""#))
    #expect(harness.ask("/status", listener: .admin).text.contains(#"{"name":"feed","sources":["pages","#))
  }
}
