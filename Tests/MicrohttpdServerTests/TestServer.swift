import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import JSON
import MicrohttpdServer
import Synchronization

/// What happened on a loop, read by the test's thread.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])
  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }

  /// Waits until `line` has been noted, at most ten seconds.
  func has(_ line: String) -> Bool { eventually { all.contains(line) } }
}

/// Waits until `condition` holds, at most ten seconds.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<2_000 {
    if try condition() { return true }
    usleep(5_000)
  }
  return try condition()
}

/// Servers on loops of their own, with a handler made of a closure.
final class TestServer: @unchecked Sendable {
  typealias Handle = @Sendable (any Exchange, EventLoop) -> Void

  let address: Address
  let loops: Loops
  private(set) var servers: [Server] = []

  private final class Handler: RequestHandler {
    let loop: EventLoop
    let body: Handle
    init(loop: EventLoop, body: @escaping Handle) {
      self.loop = loop
      self.body = body
    }
    func handle(_ exchange: any Exchange) { body(exchange, loop) }
  }

  static let local = Address.ipv4([127, 0, 0, 1], port: 0)

  static var limits: ServerLimits {
    ServerLimits(
      requestLine: 2_000, headers: 4_000, content: 10_000, connections: 1_000, peers: nil,
      idleTimeout: .seconds(20), headerTimeout: .seconds(10), contentTimeout: .seconds(10),
      sendTimeout: .seconds(10), sendRate: 1_024)
  }

  init(
    at address: Address = TestServer.local, loops count: Int = 1, limits: ServerLimits = TestServer.limits,
    _ handle: @escaping Handle
  ) throws {
    loops = try Loops(count: count)
    let sockets = try ListeningSocket.open(address, count: count)
    self.address = sockets[0].address
    for (loop, socket) in zip(loops.all, sockets) {
      servers.append(
        try Server.make(
          listening: socket, limits: limits, handler: Handler(loop: loop, body: handle), loop: loop,
          listener: .service))
    }
    try loops.start()
  }

  deinit { stop() }

  var port: UInt16 { address.port ?? 0 }

  /// Does `body` on the loop of one of the servers, and waits for it.
  func on<Value: Sendable>(_ index: Int = 0, _ body: @escaping @Sendable (Server) -> Value) -> Value {
    let result = Mutex<Value?>(nil)
    let isDone = Atomic<Bool>(false)
    loops.all[index].execute { [self] in
      let value = body(servers[index])
      result.withLock { $0 = value }
      isDone.store(true, ordering: .releasing)
    }
    while !isDone.load(ordering: .acquiring) { usleep(200) }
    return result.withLock { $0! }
  }

  var figures: ServerFigures { on { $0.figures } }

  /// Stops servers and loops.
  func stop() {
    if servers.isEmpty { return }
    for index in servers.indices { on(index) { $0.stop() } }
    loops.stopAndWait()
    servers = []
  }
}

extension Response {
  init(_ text: String, status: Int = 200) {
    self.init(status: status, fields: Fields(), content: text.isEmpty ? [] : [.bytes(Array(text.utf8))])
  }
}

extension Exchange {
  /// The status that the fault asks for.
  var faultStatus: Int? {
    switch fault {
    case .targetTooLong: 414
    case .fieldsTooLarge: 431
    case .contentTooLarge: 413
    case .malformed: 400
    case nil: nil
    }
  }

  /// A fault's status, or what was asked.
  func echo() {
    if let status = faultStatus { return respond(Response("fault", status: status)) }
    respond(
      Response(
        "\(method.name) \(String(decoding: target, as: UTF8.self)) \(String(decoding: content, as: UTF8.self))"
      ))
  }
}

/// Answers `/later…` after a while and through a task, `/never…` not at all, everything else at once.
func echo(_ journal: Journal = Journal()) -> TestServer.Handle {
  { exchange, loop in
    let target = String(decoding: exchange.target, as: UTF8.self)
    if target.hasPrefix("/later") {
      loop.start {
        await withUnsafeContinuation { continuation in
          loop.schedule(at: loop.now + .milliseconds(20)) { continuation.resume() }
        }
        exchange.echo()
      }
    } else if target.hasPrefix("/never") {
      exchange.whenAbandoned {
        journal.note("abandoned \(target)")
        // Too late, and no harm.
        exchange.respond(Response("late"))
      }
      journal.note("waiting \(target)")
    } else {
      exchange.echo()
    }
  }
}
