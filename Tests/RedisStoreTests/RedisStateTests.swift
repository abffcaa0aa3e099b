import EventLoop
import Gateway
import Glibc
import RedisStore
import StoreDoubles
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("Facts in Redis", .enabled(if: Child.isInstalled(RedisServer.path)))
struct RedisStateTests {
  /// A replica, asked from the test's thread. Sound: its state is used on its loop only.
  private final class Replica: @unchecked Sendable {
    private let loops: Loops
    private let loop: EventLoop
    private let store: RedisStore
    let notices = Mutex<[String]>([])

    init(_ server: RedisServer) throws {
      loops = try Loops(count: 1)
      loop = loops.all[0]
      let writer = LogWriter(descriptor: open("/dev/null", O_WRONLY), capacity: 100_000)
      let counters = StoreCounters()
      store = RedisStore(
        RedisSettings(
          host: "localhost", port: server.port, user: nil, password: nil, database: 0, prefix: "t:"),
        loop: loop,
        counters: counters, log: Log(level: .error, writer: writer, clock: { .now }),
        random: SystemRandomNumberGenerator())
      store.state.whenNotified { [weak self] notice in self?.notices.withLock { $0.append(notice) } }
      try loops.start()
      for _ in 0..<2_000 where !counters.isUp { pause(milliseconds: 5) }
    }

    deinit {
      onLoop { state in state.close() }
      loops.stopAndWait()
    }

    func onLoop(_ work: @escaping @Sendable (any SharedState) -> Void) {
      let done = Answer<Void>()
      nonisolated(unsafe) let state = store.state
      loop.execute {
        work(state)
        done.set(())
      }
      done.wait()
    }

    func get(_ name: String) -> SharedValue {
      let answer = Answer<SharedValue>()
      onLoop { $0.get(name) { answer.set($0) } }
      return answer.wait()
    }

    func lease(_ name: String, for time: Duration) -> SharedLease {
      let answer = Answer<SharedLease>()
      onLoop { $0.lease(name, for: time) { answer.set($0) } }
      return answer.wait()
    }
  }

  private let server: RedisServer

  init() throws { server = try RedisServer() }

  @Test("what one replica sets another gets, until it expires or is taken back")
  func values() throws {
    let (first, second) = (try Replica(server), try Replica(server))
    #expect(second.get("session:erp") == .absent)
    first.onLoop { $0.set("session:erp", to: [0, 13, 10, 255], expires: .seconds(60)) }
    #expect(first.get("session:erp") == .found([0, 13, 10, 255]))
    #expect(second.get("session:erp") == .found([0, 13, 10, 255]))
    second.onLoop { $0.remove("session:erp", ifEqual: [1]) }
    #expect(second.get("session:erp") == .found([0, 13, 10, 255]))
    second.onLoop { $0.remove("session:erp", ifEqual: [0, 13, 10, 255]) }
    #expect(second.get("session:erp") == .absent)
    first.onLoop { $0.set("brief", to: [1], expires: .milliseconds(50)) }
    #expect(first.get("brief") == .found([1]))
    for _ in 0..<1_000 where second.get("brief") != .absent { pause(milliseconds: 5) }
    #expect(second.get("brief") == .absent)
  }

  @Test("one of all replicas gets a lease, until its time is over or it gives it back")
  func leases() throws {
    let replicas = try (0..<4).map { _ in try Replica(server) }
    let leases = replicas.map { $0.lease("login", for: .seconds(60)) }
    let tokens = leases.compactMap { if case .granted(let token) = $0 { token } else { nil } }
    #expect(tokens.count == 1)
    #expect(leases.count { $0 == .taken } == 3)
    replicas[3].onLoop { $0.release("login", Array("another".utf8)) }
    #expect(replicas[3].lease("login", for: .seconds(60)) == .taken)
    replicas[0].onLoop { [tokens] in $0.release("login", tokens[0]) }
    #expect(replicas[0].get("x") == .absent)
    guard case .granted = replicas[1].lease("login", for: .milliseconds(50)) else {
      throw TestFailure("not given back")
    }
    var again = replicas[2].lease("login", for: .seconds(60))
    for _ in 0..<1_000 where again == .taken {
      pause(milliseconds: 5)
      again = replicas[2].lease("login", for: .seconds(60))
    }
    guard case .granted = again else { throw TestFailure("never over") }
  }

  @Test("what one replica finds out all are told, also after the server was away")
  func notices() throws {
    let (first, second) = (try Replica(server), try Replica(server))
    func told(_ notice: String) throws {
      for _ in 0..<1_000 {
        first.onLoop { $0.publish(notice) }
        if [first, second].allSatisfy({ $0.notices.withLock { $0.contains(notice) } }) { return }
        pause(milliseconds: 10)
      }
      throw TestFailure("nobody hears \(notice)")
    }
    try told("down erp")
    server.stop()
    #expect(second.get("x") == .unavailable)
    #expect(second.lease("x", for: .seconds(1)) == .unavailable)
    try server.start()
    try told("up erp")
  }
}
