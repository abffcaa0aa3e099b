import Caching
import Configuration
import Foundation
import HTTPSemantics
import JSON
import Paging
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Known pages under random use", .timeLimit(.minutes(10)))
struct CacheModelTests {
  /// Readers walk a list of 120 items, which others add to and take from, through a cache of every kind, while time goes on,
  /// the upstream fails, and readers refresh. An item is told by its id.
  @Test(
    "no walk has an item twice, whatever is known, refreshed, expired or failing",
    arguments: 0..<(ProcessInfo.processInfo.environment["LISTWAY_CACHE_SEEDS"].flatMap { Int($0) } ?? 12))
  func walks(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let caches = [
      "{}", "{fresh: 30s, stale: 10m, keep: 1h, failure: 5s}", "{fresh: 5s}", "{stale: 1h}",
      "{fresh: 1h, keep: 1d}",
    ]
    let list = ChangingList(Array(1...120))
    let harness = try Harness(cachedConfiguration(caches[seed % caches.count])) { list.answer(to: $0.url) }
    var ids = Array(1...120)
    var newest = 1_000
    var readers: [(next: String?, seen: [String])] = Array(repeating: (nil, []), count: 6)
    var slices = 0
    for _ in 0..<600 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where Bool.random(using: &random):
        newest += 1
        ids.insert(newest, at: 0)
        list.set(ids)
      case 1 where ids.count > 60:
        ids.remove(at: Int.random(in: 0..<ids.count, using: &random))
        list.set(ids)
      case 2: list.fail([.failed(.timeout), .body("", status: 500)].randomElement(using: &random))
      case 3, 4: list.fail(nil)
      case 5, 6: harness.clock.advance(by: .seconds(Int.random(in: 1...60, using: &random)))
      default:
        let reader = Int.random(in: 0..<readers.count, using: &random)
        let fields: [(FieldName, String)] =
          Int.random(in: 0..<6, using: &random) == 0 ? [(.cacheControl, "no-cache")] : []
        let target = "/v1/lists/items" + (readers[reader].next.map { "?cursor=\($0)" } ?? "")
        let answer = harness.ask(target, .get, fields)
        guard answer.status == 200 else { continue }
        slices += 1
        // A walk that lost its place among many changes says so, and its reader knows.
        if answer.warnings.contains("seam_unproven") { readers[reader].seen = [] }
        for item in answer.items {
          #expect(!readers[reader].seen.contains(item), "\(item) twice, seed \(seed)")
        }
        readers[reader].seen += answer.items
        readers[reader].next = answer.next
        if answer.next == nil { readers[reader].seen = [] }
      }
    }
    #expect(slices > 10)
  }

  /// A page that says whose it is.
  private static func page(_ scope: Int, _ number: Int, _ version: Int) -> KnownPage {
    let body = Array(#"{"scope":\#(scope),"page":\#(number),"version":\#(version)}"#.utf8)
    let padding = [UInt8](repeating: 0x20, count: 200 * (version % 7))
    let page = Page(
      body: Bytes(copying: body + padding),
      items: [Page.Item(start: 0, end: UInt32(body.count), id: UInt64(version + 1))], rawCount: 1,
      isContiguous: true, said: .nothing, keys: [], warnings: Warnings())
    return KnownPage(page, terms: nil, learned: nil)
  }

  /// Clients of several scopes ask, wait, leave, purge; flights land well or not; time goes on.
  @Test(
    "no scope gets another's page, nobody waits for ever, and the bytes stay within the bound",
    arguments: 0..<20)
  func scopes(seed: Int) {
    var random = SeededRandom(seed: UInt64(seed))
    let limit = 40_000
    let start = ContinuousClock.now
    var now = start
    let pages = KnownPages(Configuration.Cache(memory: limit), clock: { start })
    let terms = CacheTerms(
      fresh: .seconds(10), stale: .seconds(30), keep: .seconds(100), failure: .seconds(3))
    /// Who waits, by number; what came for each.
    let landed = Mutex<[Int: Landing]>([:])
    let ended = Mutex<Set<UInt64>>([])
    var waiting: [(client: Int, scope: Int, number: Int, ticket: KnownPages.Ticket)] = []
    var flying: [(departure: KnownPages.Departure, key: PageKey, scope: Int, number: Int)] = []
    var clients = 0
    var version = 0
    func text(_ page: Page) -> String { String(decoding: page.body[0..<page.body.count], as: UTF8.self) }
    func check(_ page: Page, _ scope: Int, _ number: Int) {
      #expect(text(page).hasPrefix(#"{"scope":\#(scope),"page":\#(number),"#))
    }
    for _ in 0..<3_000 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0: now += .seconds(Int.random(in: 0...20, using: &random))
      case 1 where !waiting.isEmpty:
        let index = Int.random(in: 0..<waiting.count, using: &random)
        let gone = waiting.remove(at: index)
        pages.leave(gone.ticket, goesOn: Bool.random(using: &random))
      case 2...5 where !flying.isEmpty:
        let flight = flying.remove(at: Int.random(in: 0..<flying.count, using: &random))
        version += 1
        let fails = Int.random(in: 0..<4, using: &random) == 0
        let result: Result<KnownPage, GatewayError> =
          fails
          ? .failure(GatewayError(.upstreamFault, .serverFault, detail: ""))
          : .success(Self.page(flight.scope, flight.number, version))
        pages.land(
          flight.departure,
          KnownPages.Arrival(
            key: flight.key, result: result, lifetime: fails ? nil : terms.lifetime(from: now),
            isFirst: flight.number == 0, isRenewed: false, failureEnd: fails ? now + terms.failure : nil,
            sentCount: 1, seconds: 1_000), at: now)
      case 6 where Int.random(in: 0..<10, using: &random) == 0: _ = pages.purge(list: 0, seriesBeginning: nil)
      default:
        clients += 1
        let client = clients
        let scope = Int.random(in: 0..<4, using: &random)
        let number = Int.random(in: 0..<12, using: &random)
        let key = PageKey(list: 0, series: [UInt8(scope)], page: [UInt8(number)])
        let finding = pages.ask(
          KnownPages.Question(
            key: key, edition: nil, isFresh: Int.random(in: 0..<10, using: &random) == 0, client: nil,
            isUnreachable: false),
          at: now,
          waiter: { { landing in landed.withLock { $0[client] = landing } } },
          end: { departure in { _ = ended.withLock { $0.insert(departure.id) } } })
        switch finding {
        case .page(let held, _, let renewal):
          check(held.value.page, scope, number)
          if let renewal { flying.append((renewal, key, scope, number)) }
        case .flight(let boarding, _, let held, let departure):
          if let held { check(held.value.page, scope, number) }
          if let departure { flying.append((departure, key, scope, number)) }
          waiting.append((client, scope, number, boarding.ticket))
        case .failure, .nothing: break
        }
      }
      waiting.removeAll { waiter in
        guard let landing = landed.withLock({ $0.removeValue(forKey: waiter.client) }) else { return false }
        if case .success(let known) = landing.result { check(known.page, waiter.scope, waiter.number) }
        return true
      }
      // What nobody waits for has been ended.
      let over = ended.withLock { $0 }
      flying.removeAll { over.contains($0.departure.id) }
      #expect(pages.figures.byteCount <= limit)
    }
    for flight in flying {
      pages.land(
        flight.departure,
        KnownPages.Arrival(
          key: flight.key, result: .success(Self.page(flight.scope, flight.number, 1)), lifetime: nil,
          isFirst: false, isRenewed: false, failureEnd: nil, sentCount: 1, seconds: 1_000), at: now)
    }
    let left = waiting.filter { waiter in landed.withLock { $0[waiter.client] } == nil }
    #expect(left.isEmpty, "\(left.count) wait for ever")
  }
}
