import Compression
import Configuration
import CurlClient
import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import MicrohttpdServer
import OpenSSLSealer
import Telemetry

/// All that serves: loops, and a worker on each.
final class RunningService {
  private let configuration: Configuration
  private let loops: Loops
  private let workers: [Worker]
  private let process: ProcessState
  private let logWriter: LogWriter
  /// The main thread's.
  private let log: Log
  private let addresses: [String]
  private let stores: Stores

  /// Takes the ports and builds everything; nothing runs yet.
  init(_ configuration: Configuration, name: String) throws {
    self.configuration = configuration
    Descriptors.raiseLimit()
    Heap.keepFreedMemory()
    let count = configuration.loops ?? Loops.availableCores
    loops = try Loops(count: count)
    process = ProcessState(
      version: Listway.version, configurationName: name, loops: loops.all,
      upstreams: configuration.upstreams,
      pages: KnownPages(configuration.cache, clock: { .now }), start: .now, wallClock: WallClock.unixSeconds)
    logWriter = LogWriter(descriptor: 2, capacity: 8_000_000)
    log = Log(level: LogLevel(configuration.log.level), writer: logWriter, clock: { .now })
    // A shard for each loop.
    let figures = Figures(shardCount: count)
    let gatewayFigures = GatewayFigures(figures, configuration: configuration)
    Self.collect(in: figures, configuration, process, logWriter)

    let keys = try Self.sealingKeys(configuration.cursor, first: nil)
    if keys.areRandom {
      log.warn("no cursor key configured: cursors end with this process, and no other replica can open them")
      { line in
        line.field("configure", "cursor.keys")
      }
    }
    let service = try ListeningSocket.open(Address(configuration.listen), count: count)
    let admin = try ListeningSocket.open(Address(configuration.admin), count: count)
    addresses = [service[0].address.description, admin[0].address.description]
    // On a Unix socket all clients have the same address; and operators are not to be shut out by it.
    let isTCP = service[0].address.port != nil
    let peers = isTCP ? configuration.limits.connectionsPerAddress.map { PeerLimit(most: $0) } : nil
    let limits = ServerLimits(configuration.limits, loops: count, peers: peers)
    let adminLimits = ServerLimits(configuration.limits, loops: count, peers: nil)

    let assets =
      [OpenAPI.asset(of: configuration, version: Listway.version)]
      + (configuration.explorer ? Explorer.assets : [])
    let (level, logWriter) = (LogLevel(configuration.log.level), logWriter)
    stores = Stores(configuration.store, sharesSessions: !keys.areRandom, figures) {
      Log(level: level, writer: logWriter, clock: { .now })
    }

    stores.tell(process)

    var workers: [Worker] = []
    for (index, loop) in loops.all.enumerated() {
      let log = Log(level: LogLevel(configuration.log.level), writer: logWriter, clock: { .now })
      let transport = try CurlClient(loop: loop)
      let gateway = Gateway(
        configuration: configuration, loop: loop, transport: transport, sealer: try OpenSSLSealer(keys: keys),
        verifier: OpenSSLVerifier(), random: SystemSeededRandom(), process: process, figures: gatewayFigures,
        log: log)
      gateway.assets = assets
      gateway.compression = Compression(configuration.compression, by: Compressor())
      let servers = [
        try Server.make(
          listening: service[index], limits: limits, handler: gateway, loop: loop, listener: .service),
        try Server.make(
          listening: admin[index], limits: adminLimits, handler: gateway, loop: loop, listener: .admin),
      ]
      let store = stores.attach(gateway, on: loop, log)
      loop.everyTurn { log.endTurn() }
      let connections = ConnectionFigures(figures, shard: figures.shards[index], servers: servers)
      loop.everyTurn { connections.publish() }
      let watch = index == 0 ? Self.watchNetwork(on: loop, for: gateway, log) : nil
      workers.append(
        Worker(
          loop: loop, transport: transport, gateway: gateway, servers: servers, watch: watch, store: store,
          log: log))
    }
    self.workers = workers
  }

  func start() throws {
    try loops.start()
    log.info("serving") { line in
      line.field("version", Listway.version)
      line.field("listen", addresses[0])
      line.field("admin", addresses[1])
      line.field("loops", loops.all.count)
      line.field("lists", configuration.listCount)
      line.field("configuration", process.configurationName)
    }
    log.endTurn()
  }

  /// Sends clients away in good time, stops taking connections, finishes what is under way, and waits for the end: at most
  /// `shutdown.delay`, `shutdown.grace` and a little.
  func stop(because signal: String) {
    log.info("stopping") { line in
      line.field("signal", signal)
      line.field("delay", configuration.shutdown.delay)
      line.field("grace", configuration.shutdown.grace)
    }
    log.endTurn()
    process.drain()
    let delay = configuration.shutdown.delay
    if delay > .zero { Self.sleep(for: delay) }
    process.close()
    let deadline = ContinuousClock.now + configuration.shutdown.grace
    // Clients that keep their connections learn by an answer that this is the last one, and not by a reset.
    if delay > .zero { Self.sleep(for: min(Self.farewell, configuration.shutdown.grace)) }
    for worker in workers {
      // Sound: the worker is used by its loop's thread only, which is where this is run.
      nonisolated(unsafe) let confined = worker
      unsafe confined.loop.execute { unsafe confined.drain(until: deadline) }
    }
    loops.wait()
    stores.stop()
    log.info("stopped") { _ in }
    log.endTurn()
    _ = logWriter.stop(within: .seconds(2))
  }

  /// How long kept connections have to ask once more, and be told that it was the last time.
  private static let farewell = Duration.seconds(1)

  private static func sleep(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    while true {
      var time = left
      if unsafe nanosleep(&time, &left) == 0 || errno != EINTR { return }
    }
  }

  /// The configured keys, or a random one where there are none.
  ///
  /// - Parameter first: a key that seals in place of the configured ones.
  static func sealingKeys(_ cursor: Configuration.Cursor, first: [UInt8]?) throws -> SealingKeys {
    var secrets = first.map { [$0] } ?? []
    for key in cursor.keys {
      switch key {
      case .key(let secret), .passphrase(let secret): secrets.append(secret.bytes)
      }
    }
    return secrets.isEmpty ? try SealingKeys.random() : try SealingKeys(secrets: secrets)
  }

  /// Has the kernel tell of links and routes. Where it does not, probes find out later.
  private static func watchNetwork(on loop: EventLoop, for gateway: Gateway, _ log: Log) -> NetworkWatch? {
    do {
      return try NetworkWatch(loop: loop) { [weak gateway] in gateway?.networkChanged() }
    } catch {
      log.warn("links and routes are not watched") { $0.field("because", "\(error)") }
      return nil
    }
  }

  /// Figures that are read when somebody asks.
  private static func collect(
    in figures: Figures, _ configuration: Configuration, _ process: ProcessState, _ logWriter: LogWriter
  ) {
    ProcessFigures.collect(in: figures)
    UpstreamReadings.collect(in: figures, process)
    CacheReadings.collect(in: figures, process, lists: configuration.lists.map(\.name))
    figures.collect(FigureNames.loopTurns) {
      process.loops.map { Figures.Reading(labels: [String($0.index)], value: Double($0.figures.turns)) }
    }
    figures.collect(FigureNames.loopBusy) {
      process.loops.map { Figures.Reading(labels: [String($0.index)], value: $0.figures.busy / .seconds(1)) }
    }
    figures.collect(FigureNames.logDropped) {
      [Figures.Reading(labels: [], value: Double(logWriter.droppedLineCount))]
    }
    figures.collect(FigureNames.draining) { [Figures.Reading(labels: [], value: process.isDraining ? 1 : 0)] }
    figures.collect(FigureNames.build) { [Figures.Reading(labels: [process.version], value: 1)] }
  }
}

/// A fast generator for ids, seeded by the system: what it makes is to be unique, not secret (xorshift64*, Vigna 2014).
struct SystemSeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init() {
    var system = SystemRandomNumberGenerator()
    state = system.next() | 1
  }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

extension LogLevel {
  init(_ level: Configuration.Log.Level) {
    switch level {
    case .debug: self = .debug
    case .info: self = .info
    case .warn: self = .warn
    case .error: self = .error
    }
  }
}
