import Foundation
import Synchronization
import TestSupport
import Testing

/// Replicas at one Redis server.
@Suite(
  "Replicas at one store", .timeLimit(.minutes(10)),
  .enabled(if: Child.isInstalled(RedisServer.path), "redis-server is not installed"))
struct SharedStoreTests {
  private let redis: RedisServer

  init() throws { redis = try RedisServer() }

  /// - Parameter loops: each has a connection of its own, and is waited for.
  private func replica(
    _ port: UInt16, cache: String = "{fresh: 1h}", upstream: String = "", loops: Int = 2
  ) throws -> Service {
    let service = try Service(
      StoredLists.configuration(
        port, store: "redis://127.0.0.1:\(redis.port)", cache: cache, upstream: upstream),
      loops: loops)
    try service.wait(for: "listway_store_connections") { $0 == loops }
    return service
  }

  @Test("256 clients that ask three replicas for one cold page cost a 20 ms upstream one request")
  func coldPage() throws {
    let upstream = try StoredLists.slowUpstream(.milliseconds(20))
    defer { upstream.stop() }
    let replicas = try (0..<3).map { _ in try replica(upstream.port) }
    let answers = Mutex<[Crowd.Answer?]>([])
    let finished = DispatchGroup()
    for (index, replica) in replicas.enumerated() {
      finished.enter()
      let port = replica.port
      Thread {
        let targets = Array(repeating: "/v1/lists/items", count: index == 0 ? 86 : 85)
        let answered = Crowd.ask(targets, port: port, within: .seconds(60))
        answers.withLock { $0 += answered }
        finished.leave()
      }.start()
    }
    finished.wait()
    let all = answers.withLock { $0 }
    #expect(all.count == 256)
    #expect(all.allSatisfy { $0?.status == 200 && $0?.text.contains(#""count":20"#) == true })
    #expect(upstream.requests.count == 1)
    // One after the other, too: who comes later finds what was fetched.
    let late = try replica(upstream.port)
    #expect(try late.get("/v1/lists/items").status == 200)
    #expect(upstream.requests.count == 1)
  }

  @Test("no request fails that the upstream can answer while the server is killed, is away, and comes back")
  func outage() throws {
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let service = try replica(upstream.port)
    let load = SteadyLoad(port: service.port, clients: 8)
    try load.pass(100)
    redis.kill()
    try service.wait(for: "listway_store_up") { $0 == 0 }
    try load.pass(200)
    // Lost while connections are being made, too.
    try redis.start()
    redis.kill()
    try load.pass(100)
    try redis.start()
    try service.wait(for: "listway_store_connections") { $0 == 2 }
    let before = try service.figure("listway_store_writes_total", ["stored"]) ?? 0
    try load.pass(100)
    try service.wait(for: "listway_store_writes_total", ["stored"]) { $0 > before }
    #expect(load.stop() == [])
    #expect(try redis.ask("dbsize").contains { $0 != "0" && $0.isNumber })
  }

  @Test("a server that takes connections and answers nothing holds nobody up for long")
  func silence() throws {
    let silent = try ScriptedUpstream { $0.hold() }
    defer { silent.stop() }
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let service = try Service(
      StoredLists.configuration(
        upstream.port, store: "redis://127.0.0.1:\(silent.port)", cache: "{fresh: 1h}"))
    let load = SteadyLoad(port: service.port, clients: 4)
    try load.pass(40)
    #expect(load.stop() == [])
  }

  @Test("bytes in the server that no replica wrote are no page, and do no harm")
  func garbage() throws {
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let first = try replica(upstream.port)
    let good = try first.get("/v1/lists/items")
    try first.wait(for: "listway_store_writes_total", ["stored"]) { $0 == 1 }
    let name = try redis.ask("--raw keys 'listway:page:*'").split(separator: "\n").map(String.init)
    #expect(name.count == 1)
    // Cut off, overwritten in the middle, of another type, and not ours at all.
    for damage in [
      "setrange '\(name[0])' 60 'garbage garbage garbage'", "set '\(name[0])' garbage",
      "eval \"redis.call('del',KEYS[1]) return redis.call('rpush',KEYS[1],'a')\" 1 '\(name[0])'",
      "set '\(name[0])' ''",
    ] {
      try redis.run(damage)
      let count = upstream.pagesAsked.count
      let answer = try replica(upstream.port).get("/v1/lists/items")
      #expect(answer.status == 200)
      #expect(try EnvelopeReader(answer.body).items == EnvelopeReader(good.body).items, "\(damage)")
      #expect(upstream.pagesAsked.count == count + 1, "\(damage)")
    }
  }

  // MARK: Sessions

  /// An upstream that wants a session: counts logins, and forgets the session when it is told to.
  private final class Guarded: Sendable {
    private struct State: Sendable {
      var logins = 0
      /// The number of the first token that is valid.
      var valid = 1
      var refused = 0
    }

    private let state = Mutex(State())

    var logins: Int { state.withLock(\.logins) }
    var refused: Int { state.withLock(\.refused) }

    func forget() { state.withLock { $0.valid = $0.logins + 1 } }

    func serve() throws -> ScriptedUpstream {
      try ScriptedUpstream { [self] connection in
        while let request = connection.request() {
          if request.target.hasPrefix("/login") {
            let number = state.withLock { state in
              state.logins += 1
              return state.logins
            }
            // Slow enough for all replicas to want one meanwhile.
            connection.sleep(.milliseconds(200))
            connection.send(
              ListUpstream.response(200, "application/json", Array(#"{"token":"t\#(number)"}"#.utf8)))
            continue
          }
          let isGood = state.withLock { state in
            let number = request["Authorization"].flatMap { Int($0.dropFirst("Bearer t".count)) }
            let isGood = (number ?? 0) >= state.valid
            if !isGood { state.refused += 1 }
            return isGood
          }
          let body = isGood ? #"{"list":[{"id":1}],"total":1}"# : "{}"
          connection.send(
            ListUpstream.response(isGood ? 200 : 401, "application/json", Array(body.utf8)))
        }
      }
    }
  }

  private static let session = """
    , session: {request: {method: POST, path: /login, form: {user: a, password: b}}, token: /token, \
    send: {header: Authorization, prefix: "Bearer "}}
    """

  /// Asks all replicas at the same time.
  private static func ask(_ replicas: [Service], q: Int) -> [Int] {
    let statuses = Mutex<[Int]>([])
    let finished = DispatchGroup()
    for replica in replicas {
      finished.enter()
      let port = replica.port
      Thread {
        let status = try? TestClient(port: port).request("GET", "/v1/lists/items?q=\(q)").status
        statuses.withLock { $0.append(status ?? 0) }
        finished.leave()
      }.start()
    }
    finished.wait()
    return statuses.withLock { $0 }
  }

  @Test("ten replicas log in once, and once more when the session is over")
  func logins() throws {
    let guarded = Guarded()
    let upstream = try guarded.serve()
    defer { upstream.stop() }
    let replicas = try (0..<10).map { _ in
      try replica(upstream.port, cache: "{keep: 0s}", upstream: Self.session, loops: 1)
    }
    #expect(Self.ask(replicas, q: 1) == Array(repeating: 200, count: 10))
    #expect(guarded.logins == 1)
    #expect(guarded.refused == 0)
    guarded.forget()
    #expect(Self.ask(replicas, q: 2) == Array(repeating: 200, count: 10))
    #expect(guarded.logins == 2)
    // One that starts later need not log in, and without the server everyone helps himself.
    let late = try replica(upstream.port, cache: "{keep: 0s}", upstream: Self.session, loops: 1)
    #expect(Self.ask([late], q: 3) == [200])
    #expect(guarded.logins == 2)
    let stored = try redis.ask("--raw get \"$(redis-cli -p \(redis.port) keys 'listway:state:session:*')\"")
    #expect(stored.utf8.count > 20 && !stored.contains("t2"))
    redis.kill()
    guarded.forget()
    #expect(Self.ask(replicas, q: 4) == Array(repeating: 200, count: 10))
    #expect(guarded.logins > 2)
  }

  @Test("what an upstream asks of one replica, to be left alone for a while, all of them do")
  func pause() throws {
    let upstream = try ScriptedUpstream { connection in
      while connection.request() != nil {
        connection.send(
          "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 240\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { upstream.stop() }
    let replicas = try (0..<3).map { _ in try replica(upstream.port, cache: "{keep: 0s, failure: 0s}") }
    for _ in 0..<1_000 where try !redis.ask("--raw pubsub numsub listway:notices").hasSuffix("\n3\n") {
      TestSupport.pause(milliseconds: 10)
    }
    #expect(try replicas[0].get("/v1/lists/items?q=1").status == 429)
    for replica in replicas[1...] {
      var isPaused = false
      for _ in 0..<1_000 where !isPaused {
        isPaused = try TestClient(port: replica.adminPort).request("GET", "/status").text
          .contains(#""paused":true"#)
        if !isPaused { TestSupport.pause(milliseconds: 10) }
      }
      #expect(isPaused)
      let answer = try replica.get("/v1/lists/items?q=2")
      #expect(answer.status == 429 || answer.status == 503)
      #expect(answer.field("Retry-After") != nil)
    }
    #expect(upstream.requests.count == 1)
  }
}
