import EventLoop
import Gateway
import Telemetry

/// Keeps one connection to a server: makes it, signs in, and makes it anew when it was lost, later each time.
///
///     resting ─► connecting ─► greeting ─► ready
///        ▲           │            │          │
///        └───────────┴────────────┴──────────┘
final class RedisLink {
  private enum State {
    case resting  // a timer runs; to: connecting, closed
    case connecting  // the name is looked up, or the connection under way; to: greeting, resting, closed
    case greeting(RedisConnection)  // to: ready, resting, closed
    case ready(RedisConnection)  // to: resting, closed
    case closed
  }

  private static let shortestPause = Duration.milliseconds(50)
  private static let longestPause = Duration.seconds(2)

  private let settings: RedisSettings
  private let loop: EventLoop
  private let complaints: Complaints
  private var state = State.resting
  private var connection: RedisConnection?
  private var timer: Timer?
  private var pause = shortestPause
  /// Told of every change: whether commands are taken.
  private let whenChanged: (Bool) -> Void

  init(
    _ settings: RedisSettings, loop: EventLoop, complaints: Complaints, whenChanged: @escaping (Bool) -> Void
  ) {
    self.settings = settings
    self.loop = loop
    self.complaints = complaints
    self.whenChanged = whenChanged
    // Before the loop runs nothing can be done; it is the first thing that it does.
    loop.schedule(at: loop.now) { [weak self] in self?.connect() }
    loop.everyTurn { [weak self] in self?.connection?.endTurn() }
  }

  /// What the commands under way take, in bytes.
  var byteCount: Int { connection?.byteCount ?? 0 }

  var isReady: Bool { if case .ready = state { true } else { false } }

  /// - Parameter completion: called exactly once, never before this returns; with nil where there is no answer.
  func send(_ command: Command, _ completion: @escaping (Reply?) -> Void) {
    guard case .ready(let connection) = state, connection.send(command, completion) else {
      loop.schedule(at: loop.now) { completion(nil) }
      return
    }
  }

  /// A command whose answer is of no interest, unless it is a refusal.
  func send(_ command: Command) {
    send(command) { [complaints] reply in
      if case .failure(let text) = reply { complaints.complain("redis refused a command", text) }
    }
  }

  func subscribe(_ channel: [UInt8], _ action: @escaping ([UInt8]) -> Void) {
    guard case .ready(let connection) = state else { return }
    connection.keepAlive()
    _ = connection.subscribe(channel, action)
  }

  func close() {
    let wasReady = isReady
    state = .closed
    timer?.cancel()
    connection?.close(because: "closed")
    connection = nil
    if wasReady { whenChanged(false) }
  }

  // MARK: Connecting

  private func connect() {
    guard case .resting = state else { return }
    state = .connecting
    timer = loop.schedule(at: .now + settings.connectTimeout) { [weak self] in
      self?.fail("no connection within \(self?.settings.connectTimeout ?? .zero)")
    }
    Resolver.resolve(settings.host, on: loop) { [weak self] result in
      guard let self, case .connecting = state, connection == nil else { return }
      switch result {
      case .failure(let failure): fail(failure.detail)
      case .success(let address): open(address)
      }
    }
  }

  private func open(_ address: String) {
    // Late news of an earlier connection is no news of this one.
    weak var own: RedisConnection?
    let opened = RedisConnection.open(
      address, port: settings.port, loop: loop, commandTimeout: settings.commandTimeout,
      whenConnected: { [weak self] in
        guard let self, let connection, connection === own else { return }
        greet(connection)
      },
      whenLost: { [weak self] reason in
        guard let self, let connection = own, connection === self.connection else { return }
        fail(reason)
      })
    own = opened
    connection = opened
    if opened == nil { fail("the system refuses a connection") }
  }

  private func greet(_ connection: RedisConnection) {
    state = .greeting(connection)
    var commands: [Command] = []
    if let password = settings.password {
      commands.append(Command([word("AUTH")] + (settings.user.map { [word($0)] } ?? []) + [password]))
    }
    if settings.database != 0 { commands.append(Command(word("SELECT"), word(Int64(settings.database)))) }
    // Also shows that what answers is no server that is still loading.
    commands.append(Command(word("PING")))
    var left = commands.count
    for command in commands {
      let isTaken = connection.send(command) { [weak self, weak connection] reply in
        guard let self, let connection, case .greeting(let current) = state, current === connection else {
          return
        }
        guard let reply else { return }
        if case .failure(let text) = reply { return fail(text) }
        left -= 1
        if left == 0 { becomeReady(connection) }
      }
      if !isTaken { return fail("the connection was closed") }
    }
  }

  private func becomeReady(_ connection: RedisConnection) {
    timer?.cancel()
    pause = Self.shortestPause
    state = .ready(connection)
    complaints.relent("redis is there") { [settings] line in
      line.field("host", settings.host)
      line.field("port", settings.port)
    }
    whenChanged(true)
  }

  private func fail(_ reason: String) {
    if case .closed = state { return }
    let wasReady = isReady
    timer?.cancel()
    let lost = connection
    connection = nil
    state = .resting
    lost?.close(because: reason)
    complaints.complain("redis cannot be used", reason)
    // Where many replicas have lost the same server they do not all come back at once.
    let spread = pause * Double.random(in: 0.5...1)
    timer = loop.schedule(at: .now + (wasReady ? .zero : spread)) { [weak self] in self?.connect() }
    if !wasReady { pause = min(pause * 2, Self.longestPause) }
    if wasReady { whenChanged(false) }
  }
}

/// Says what is wrong once, and again now and then, and when it is over.
final class Complaints {
  private static let interval = Duration.seconds(30)

  private let log: Log
  private let counters: StoreCounters
  private var last: ContinuousClock.Instant?
  private var silent = 0
  private var isComplaining = false

  init(log: Log, counters: StoreCounters) {
    self.log = log
    self.counters = counters
  }

  func complain(_ message: StaticString, _ detail: String) {
    counters.countError()
    isComplaining = true
    let now = ContinuousClock.now
    if let last, last.duration(to: now) < Self.interval {
      silent += 1
      return
    }
    log.warn(message) { line in
      line.field("detail", detail)
      if silent > 0 { line.field("more", silent) }
    }
    last = now
    silent = 0
  }

  func relent(_ message: StaticString, _ fields: (inout LogLine) -> Void) {
    if isComplaining || last == nil { log.info(message, fields) }
    isComplaining = false
    last = nil
  }
}
