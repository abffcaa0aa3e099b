import Foundation
import TestSupport
import Testing

/// What happens to a gateway whose network is taken apart, in a network of its own.
@Suite(
  "Networks", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: NetworkNamespace.isAvailable, "needs root and network namespaces (ip netns): skipped"))
struct NetworkTests {
  /// Nothing but the kernel can tell in time: no probe, and no deadline.
  private static let patient =
    "timeout: {connect: 1m, total: 10m}, queue: {wait: 1m}, reachability: {every: 10m, timeout: 1m}"
  private static let withoutProbes =
    "timeout: {connect: 1m, total: 10m}, queue: {wait: 1m}, reachability: {probe: none, every: 1h}"

  private func world(
    _ keys: String, _ link: NetworkNamespace.Link = .cable, isNamed: Bool = false,
    _ body: (FaultWorld, NetworkNamespace) throws -> Void
  ) throws {
    let world = try FaultWorld(.behind(link), keys: keys, isNamed: isNamed)
    defer { world.end() }
    guard let namespace = world.namespace else { throw TestFailure("no namespace") }
    try body(world, namespace)
  }

  /// A client whose request is under way upstream, and will not be answered there.
  private func held(_ world: FaultWorld) throws -> TestClient {
    world.upstream.set(.slow(.seconds(3_600)))
    defer { world.upstream.set(.none) }
    let pages = world.upstream.pages
    let client = try begin(world, key: 1)
    try world.waitFor("it is under way") { $0.upstream.pages > pages }
    return client
  }

  private func begin(_ world: FaultWorld, key: Int) throws -> TestClient {
    let client = try world.connect()
    try client.send("GET /v1/lists/items?key=\(key) HTTP/1.1\r\nHost: a\r\n\r\n")
    return client
  }

  private func expectEnded(_ client: TestClient) throws {
    let answer = try client.answer()
    #expect(answer.status == 503)
    #expect(try EnvelopeReader(answer.body).error == "upstream_unreachable")
  }

  /// The monitor writes on a loop of its own: the line may come after the answer.
  private func expectLog(_ world: FaultWorld, _ part: String) throws {
    try world.waitFor("the log has \(part)") { $0.log.contains(part) }
  }

  @Test(
    "a link that goes down suspends at once, whatever the probes' interval, and one that comes back resumes")
  func link() throws {
    try world(Self.patient) { world, namespace in
      let client = try held(world)
      let start = ContinuousClock.now
      try namespace.run(["link", "set", "dev", namespace.innerLink, "down"])
      try expectEnded(client)
      let elapsed = start.duration(to: .now)
      #expect(!world.isReachable)
      print("a link that was pulled was known after \(elapsed / .milliseconds(1)) ms, ip(8) included")
      let waiting = try begin(world, key: 2)
      try namespace.run(["link", "set", "dev", namespace.innerLink, "up"])
      #expect(try waiting.answer().status == 200)
      try expectLog(world, #""message":"upstream unreachable","upstream":"far","reason":"route""#)
      try expectLog(world, #""message":"upstream reachable","upstream":"far""#)
      #expect(world.figure("listway_upstream_probes_total{", "failed") == 0)
    }
  }

  @Test("a cable that is pulled at the other end is a link without carrier")
  func carrier() throws {
    try world(Self.withoutProbes) { world, namespace in
      let client = try held(world)
      try NetworkNamespace.ip(["link", "set", "dev", namespace.outerLink, "down"])
      try expectEnded(client)
      try expectLog(world, #""message":"upstream unreachable","upstream":"far","reason":"link""#)
      let waiting = try begin(world, key: 2)
      try NetworkNamespace.ip(["link", "set", "dev", namespace.outerLink, "up"])
      #expect(try waiting.answer().status == 200)
    }
  }

  @Test(
    "a route that is withdrawn, or leads nowhere, suspends at once",
    arguments: ["unreachable", "blackhole", "prohibit"])
  func route(kind: String) throws {
    try world(Self.withoutProbes) { world, namespace in
      let client = try held(world)
      try namespace.run(["route", "add", kind, "\(namespace.outerAddress)/32"])
      try expectEnded(client)
      let waiting = try begin(world, key: 2)
      try namespace.run(["route", "del", kind, "\(namespace.outerAddress)/32"])
      #expect(try waiting.answer().status == 200)
    }
  }

  @Test(
    "an upstream that swallows everything is found out by probes, and found again",
    .enabled(if: NetworkNamespace.canFilter, "needs iptables(8): skipped"))
  func blackHole() throws {
    let keys =
      "timeout: {connect: 200ms, total: 10m}, queue: {wait: 1m}, reachability: {every: 100ms, timeout: 200ms}"
    try world(keys) { world, namespace in
      let client = try held(world)
      try namespace.swallow(true)
      try expectEnded(client)
      try expectLog(world, #""message":"upstream unreachable","upstream":"far","reason":"probe""#)
      let waiting = try begin(world, key: 2)
      try namespace.swallow(false)
      #expect(try waiting.answer().status == 200)
    }
  }

  @Test(
    "a slow and lossy network serves everybody, and suspends nobody",
    .enabled(if: NetworkNamespace.canRelay, "needs TUN devices: skipped"))
  func lossy() throws {
    let keys = "timeout: {connect: 10s, total: 1m}, reachability: {every: 100ms, timeout: 20s}"
    try world(keys, .relayed(.init(delay: .milliseconds(25), loss: 1))) { world, _ in
      let answers = world.ask((0..<64).map { "/v1/lists/items?key=\($0)" })
      #expect(answers.allSatisfy { $0?.status == 200 })
      #expect(!world.log.contains("upstream unreachable"))
    }
  }

  @Test("512 clients that wait for a link are all answered, by a ramp and never more than may be at once")
  func crowd() throws {
    let keys =
      "queue: {concurrent: 8, wait: 1m}, timeout: {total: 2m}, reachability: {probe: none, every: 1h}"
    try world(keys) { world, namespace in
      world.upstream.set(.slow(.milliseconds(2)))
      let before = world.upstream.entries.count
      try namespace.run(["link", "set", "dev", namespace.innerLink, "down"])
      try world.waitFor("suspended") { !$0.isReachable }
      let clients = try (0..<512).map { try begin(world, key: $0) }
      try namespace.run(["link", "set", "dev", namespace.innerLink, "up"])
      #expect(try clients.allSatisfy { try $0.answer().status == 200 })
      let entries = world.upstream.entries[before...]
      #expect(entries.count == 512)
      #expect(entries.max().map { $0 <= 8 } == true)
      // One finds out; then 1, 2, 4 and 8 at once, each width for as many answers.
      let widths = [1, 1] + [2, 2] + [4, 4, 4, 4]
      #expect(zip(entries, widths).allSatisfy { $0 <= $1 }, "\(entries.prefix(16))")
    }
  }

  @Test("addresses are looked up again as they age, and a name that is gone is the network's fault")
  func names() throws {
    let keys =
      "timeout: {total: 4s}, queue: {wait: 100ms}, dns: {age: 1s}, reachability: {probe: none, every: 200ms, fall: 1}"
    try world(keys, isNamed: true) { world, namespace in
      let names = try #require(world.names)
      func reconnect() throws {
        // What is connected already needs no name.
        world.upstream.stop()
        try world.upstream.start()
        usleep(1_200_000)
      }
      try reconnect()
      let count = names.count
      try world.waitFor("served") { $0.ask(1, "/v1/lists/items?key=1").first??.status == 200 }
      #expect(names.count > count)
      names.set(.unknown)
      try reconnect()
      let answer = try #require(world.ask(1, "/v1/lists/items?key=2")[0])
      #expect(answer.status == 503)
      #expect(answer.error == "upstream_unreachable")
      names.set(.address(namespace.outerAddress))
      try world.waitFor("served again") { $0.ask(1, "/v1/lists/items?key=3").first??.status == 200 }
    }
  }

  @Test("of a name's addresses, those where nobody answers are passed over")
  func severalAddresses() throws {
    let keys = "timeout: {total: 4s}, dns: {age: 1s}, reachability: {probe: none}"
    try world(keys, isNamed: true) { world, namespace in
      let names = try #require(world.names)
      // The gateway's own network has nobody there: they come first, being the nearer ones (RFC 6724 §6).
      names.set(.addresses(["127.0.0.2", namespace.outerAddress, "127.0.0.3"]))
      world.upstream.stop()
      try world.upstream.start()
      usleep(1_200_000)
      let count = names.count
      #expect(world.ask(1, "/v1/lists/items?key=1")[0]?.status == 200)
      #expect(names.count > count)
      names.set(.addresses(["127.0.0.2", "127.0.0.3"]))
      world.upstream.stop()
      try world.upstream.start()
      usleep(1_200_000)
      #expect(world.ask(1, "/v1/lists/items?key=2")[0]?.status == 503)
    }
  }
}
