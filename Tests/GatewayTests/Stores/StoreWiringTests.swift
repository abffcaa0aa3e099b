import Gateway
import HTTPSemantics
import StoreDoubles
import Synchronization
import TestSupport
import Testing

@Suite("Pages out of the store")
struct StoreWiringTests {
  private static let configuration = """
    upstreams:
      api:
        url: http://127.0.0.1:9
        retries: {attempts: 1}
        reachability: {probe: none}
    lists:
      kept:
        upstream: api
        request: {path: /kept}
        paging: {style: page, page: {query: page, first: 1}}
        items: {at: /items, id: /id}
        says: {total: /total}
      fresh:
        upstream: api
        request: {path: /fresh}
        paging: {style: page, page: {query: page, first: 1}}
        items: {at: /items, id: /id}
        says: {total: /total}
        cache: {fresh: 60s}
    """

  private static let page = #"{"items":[{"id":1,"amount":1.10},{"id":2}],"total":2}"#

  /// A gateway that uses a store, with an upstream that is there or not.
  private static func gateway(
    _ memory: MemoryStore.Memory, isThere: Bool, isShared: Bool = false
  ) throws -> Harness {
    // The gateway's time stands still.
    memory.clock = { 1_790_000_000_000 }
    // Sound: the harnesses of a test run one after the other, and each uses it on its loop only.
    nonisolated(unsafe) let memory = memory
    return try Harness(configuration, store: { MemoryStore(memory, loop: $0, isShared: isShared) }) { _ in
      isThere ? .body(page) : .failed(.connect)
    }
  }

  @Test("after a restart the last known page is served while the upstream is down, stale and with its age")
  func restart() throws {
    let memory = MemoryStore.Memory()
    let before = try Self.gateway(memory, isThere: true).ask("/v1/lists/kept")
    let after = try Self.gateway(memory, isThere: false).ask("/v1/lists/kept")
    #expect(after.status == 200)
    #expect(after.items == before.items)
    #expect(after.header["stale"] as? Bool == true)
    #expect(before.header["stale"] as? Bool == false)
    #expect(after.header["age"] is Int)
  }

  @Test("a fresh page is served after a restart without asking")
  func fresh() throws {
    let memory = MemoryStore.Memory()
    _ = try Self.gateway(memory, isThere: true).ask("/v1/lists/fresh")
    let harness = try Self.gateway(memory, isThere: true)
    let answer = harness.ask("/v1/lists/fresh")
    #expect(answer.items == [#"{"id":1,"amount":1.10}"#, #"{"id":2}"#])
    #expect(answer.header["stale"] as? Bool == false)
    #expect(harness.upstream.requests.isEmpty)
  }

  @Test("who wants the upstream asked has it asked, whatever is stored")
  func renewal() throws {
    let memory = MemoryStore.Memory()
    _ = try Self.gateway(memory, isThere: true).ask("/v1/lists/fresh")
    let harness = try Self.gateway(memory, isThere: true)
    #expect(harness.ask("/v1/lists/fresh", .get, [(.cacheControl, "no-cache")]).status == 200)
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("a store that is away costs nothing but what it knew")
  func away() throws {
    let memory = MemoryStore.Memory()
    memory.isAway = true
    #expect(try Self.gateway(memory, isThere: true, isShared: true).ask("/v1/lists/fresh").status == 200)
    let down = try Self.gateway(memory, isThere: false).ask("/v1/lists/kept")
    #expect(down.header["error"] as? String == "upstream_unreachable")
  }

  @Test("a purge reaches the store")
  func purge() throws {
    let memory = MemoryStore.Memory()
    let harness = try Self.gateway(memory, isThere: true)
    _ = harness.ask("/v1/lists/kept")
    _ = harness.ask("/v1/lists/fresh")
    #expect(memory.pages.count == 2)
    _ = harness.ask("/purge?list=kept", .post, listener: .admin)
    #expect(memory.pages.keys.map(\.list) == ["fresh"])
    _ = harness.ask("/purge", .post, listener: .admin)
    #expect(memory.pages.isEmpty)
  }
}
