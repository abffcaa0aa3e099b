import EventLoop
import Gateway
import Glibc
import RedisStore
import StoreDoubles
import Telemetry
import TestSupport
import Testing

@Suite("Pages in Redis", .enabled(if: Child.isInstalled(RedisServer.path)))
struct RedisStoreTests {
  /// A replica: a loop with a store.
  private final class Replica {
    let bench: StoreBench
    let counters = StoreCounters()

    init(
      _ server: RedisServer, user: String? = nil, password: String? = nil, database: Int = 0,
      prefix: String = "listway:", commandTimeout: Duration = .seconds(10), isReady: Bool = true
    ) throws {
      var settings = RedisSettings(
        host: "127.0.0.1", port: server.port, user: user, password: password.map { Array($0.utf8) },
        database: database, prefix: prefix)
      settings.connectTimeout = .seconds(2)
      settings.commandTimeout = commandTimeout
      let counters = counters
      bench = try StoreBench { loop in
        RedisStore(
          settings, loop: loop, counters: counters, log: Self.log, random: SystemRandomNumberGenerator()
        ).pages
      }
      if isReady { try waitUntilUp() }
    }

    /// What goes wrong here is meant to.
    private static var log: Log {
      let writer = LogWriter(descriptor: open("/dev/null", O_WRONLY), capacity: 100_000)
      return Log(level: .error, writer: writer, clock: { .now })
    }

    func waitUntilUp(_ isUp: Bool = true) throws {
      for _ in 0..<2_000 {
        if counters.isUp == isUp { return }
        pause(milliseconds: 5)
      }
      throw TestFailure(isUp ? "no connection" : "still connected")
    }
  }

  private let server: RedisServer

  init() throws { server = try RedisServer() }

  @Test("keep the contract of stores", arguments: StoreContract.all)
  func contract(_ contract: StoreContract) throws {
    try contract.run(try Replica(server).bench)
  }

  @Test("are another replica's as well, and expire by themselves")
  func shared() throws {
    let (first, second) = (try Replica(server), try Replica(server))
    first.bench.store(.sample("shared"), as: .sample())
    #expect(second.bench.findUntil(.sample()) { $0 != nil }?.text == "shared")
    let left = try #require(
      Int(try server.ask("pttl \"$(redis-cli -p \(server.port) keys '*page*')\"").filter(\.isNumber)))
    #expect((1...3_600_000).contains(left))
    first.bench.store(.sample("short", keptFor: 80), as: .sample(page: 1))
    // Behind it on the same connection: it has been written.
    _ = first.bench.find(.sample(page: 1))
    #expect(second.bench.findUntil(.sample(page: 1)) { $0 == nil } == nil)
  }

  @Test("are apart under another prefix, and in another database")
  func apart() throws {
    let first = try Replica(server)
    first.bench.store(.sample("first"), as: .sample())
    _ = first.bench.findUntil(.sample()) { $0 != nil }
    #expect(try Replica(server, prefix: "other*:").bench.find(.sample()) == nil)
    let database = try Replica(server, database: 3)
    #expect(database.bench.find(.sample()) == nil)
    let other = try Replica(server, prefix: "l*:")
    other.bench.store(.sample("other"), as: .sample())
    #expect(other.bench.findUntil(.sample()) { $0 != nil }?.text == "other")
    // The star is a letter of the prefix here, and no pattern.
    #expect(other.bench.purge(.all) == 1)
    #expect(first.bench.find(.sample())?.text == "first")
  }

  @Test("a page for many replicas is fetched by one")
  func claims() throws {
    let replicas = try (0..<5).map { _ in try Replica(server) }
    let claims = replicas.map { $0.bench.beginClaim(.sample(), wait: .seconds(10)) }
    pause(milliseconds: 100)
    let granted = zip(replicas, claims).filter { $1.isThere }
    #expect(granted.count == 1)
    let (fetcher, claim) = try #require(granted.first)
    guard case .fetch(.some) = claim.wait() else { throw TestFailure("no lease") }
    fetcher.bench.store(.sample("fetched once"), as: .sample())
    for (replica, claim) in zip(replicas, claims) where replica !== fetcher {
      guard case .found(let page) = claim.wait() else { throw TestFailure("fetches as well") }
      #expect(page.text == "fetched once")
      #expect(replica.counters.value(StoreCounters.Claim.awaited) == 1)
    }
    #expect(fetcher.counters.value(StoreCounters.Claim.granted) == 1)
    #expect(try server.ask("keys '*lease*'").filter { !$0.isWhitespace } == "")
  }

  @Test("a server that goes away is missed by nobody, and is used again when it is back")
  func goesAndComes() throws {
    let replica = try Replica(server)
    replica.bench.store(.sample("before"), as: .sample())
    _ = replica.bench.findUntil(.sample()) { $0 != nil }
    server.stop()
    try replica.waitUntilUp(false)
    #expect(replica.bench.find(.sample()) == nil)
    replica.bench.store(.sample("meanwhile"), as: .sample())
    guard case .fetch(nil) = replica.bench.claim(.sample(), wait: .seconds(10)) else {
      throw TestFailure("a lease of nobody")
    }
    #expect(replica.bench.purge(.all) == nil)
    #expect(replica.counters.value(StoreCounters.Lookup.unavailable) > 0)
    #expect(replica.counters.errors > 0)
    try server.start()
    try replica.waitUntilUp()
    replica.bench.store(.sample("after"), as: .sample(page: 2))
    #expect(replica.bench.findUntil(.sample(page: 2)) { $0 != nil }?.text == "after")
  }

  @Test("a server that is frozen holds nobody up, and is left")
  func frozen() throws {
    let replica = try Replica(server, commandTimeout: .milliseconds(300))
    try server.run("client pause 3000 all &")
    _ = try? server.ask("ping")
    replica.bench.store(.sample("1"), as: .sample())
    // Answered in its time by the loop, whatever the server does.
    _ = replica.bench.find(.sample())
    replica.bench.store(.sample("2"), as: .sample(page: 2))
    #expect(
      replica.bench.findUntil(.sample(page: 2)) { page in
        if page == nil { replica.bench.store(.sample("2"), as: .sample(page: 2)) }
        return page != nil
      } != nil)
  }

  @Test("whoever is not let in goes on without, and says so; who is let in is")
  func credentials() throws {
    let guarded = try RedisServer(options: ["--requirepass", "s3cret pass"])
    let stranger = try Replica(guarded, isReady: false)
    let wrong = try Replica(guarded, password: "wrong", isReady: false)
    let friend = try Replica(guarded, password: "s3cret pass")
    friend.bench.store(.sample("1"), as: .sample())
    #expect(friend.bench.findUntil(.sample()) { $0 != nil } != nil)
    for replica in [stranger, wrong] {
      #expect(replica.bench.find(.sample()) == nil)
      for _ in 0..<1_000 where replica.counters.errors == 0 { pause(milliseconds: 5) }
      #expect(replica.counters.errors > 0 && !replica.counters.isUp)
    }
    let named = try Replica(guarded, user: "default", password: "s3cret pass")
    #expect(named.bench.find(.sample())?.text == "1")
  }

  @Test("what others have put in a page's place is not found, and goes")
  func damaged() throws {
    let replica = try Replica(server)
    replica.bench.store(.sample("1"), as: .sample())
    _ = replica.bench.findUntil(.sample()) { $0 != nil }
    for value in ["x", "0123456789012345678901234567890123456789"] {
      try server.run("set \"$(redis-cli -p \(server.port) keys '*page*' | head -1)\" \(value)")
      #expect(replica.bench.find(.sample()) == nil)
      replica.bench.store(.sample("1"), as: .sample())
      #expect(replica.bench.findUntil(.sample()) { $0 != nil } != nil)
    }
    try server.run("flushall")
    #expect(replica.bench.find(.sample()) == nil)
    // Another kind of value under the name.
    replica.bench.store(.sample("1"), as: .sample())
    _ = replica.bench.findUntil(.sample()) { $0 != nil }
    try server.run(
      "eval \"local k = redis.call('keys','*page*')[1] redis.call('del',k) redis.call('lpush',k,'1') return 1\" 0"
    )
    #expect(replica.bench.find(.sample()) == nil)
  }

  @Test("what comes faster than the server takes it is left out, and makes nothing late")
  func many() throws {
    let replica = try Replica(server)
    let body = [UInt8](repeating: 0x61, count: 8_000)
    replica.bench.onLoop { store in
      for page in 0..<2_000 { store.store(.sample(body), as: .sample(page: page)) }
    }
    #expect(replica.bench.find(.sample(page: 0))?.text.utf8.count == 8_000)
    let stored = replica.counters.value(StoreCounters.Write.stored)
    let dropped = replica.counters.value(StoreCounters.Write.dropped)
    #expect(stored + dropped == 2_000 && stored > 100 && dropped > 100)
    #expect(replica.bench.purge(.list("notices")) == stored)
    #expect(try server.ask("dbsize").filter(\.isNumber) == "0")
  }
}
