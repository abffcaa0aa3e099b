import Configuration
import EventLoop
import Gateway
import OpenSSLSealer
import RedisStore
import SQLiteStore
import Telemetry

/// Where pages outlive the process, as its configuration says.
final class Stores {
  private let configuration: Configuration.Store
  private let counters = StoreCounters()
  /// One for all loops; nil where pages are elsewhere.
  private let file: SQLiteStore?
  private var shared: [RedisStore] = []

  /// Tells this process from others.
  private let replica: String
  private let sharesSessions: Bool

  /// - Parameter sharesSessions: whether replicas have a key in common.
  init(
    _ configuration: Configuration.Store, sharesSessions: Bool, _ figures: Figures,
    makeLog: @escaping @Sendable () -> Log
  ) {
    self.configuration = configuration
    self.sharesSessions = sharesSessions
    var random = SystemRandomNumberGenerator()
    replica = String(random.next() as UInt64, radix: 36)
    switch configuration {
    case .none: file = nil
    case .sqlite(let path, let size):
      file = SQLiteStore(path: path, limit: size, patience: .seconds(1), counters: counters, makeLog: makeLog)
    case .redis: file = nil
    }
    if configuration != .none { counters.collect(in: figures) }
  }

  /// Has `/status` tell of it.
  func tell(_ process: ProcessState) {
    switch configuration {
    case .none: break
    case .sqlite: process.uses(store: "sqlite", counters)
    case .redis: process.uses(store: "redis", counters)
    }
  }

  /// Has a loop's gateway use the store. Before the loop turns.
  func attach(_ gateway: Gateway, on loop: EventLoop, _ log: Log) -> (any PageStore)? {
    let pages: any PageStore
    switch configuration {
    case .none: return nil
    case .sqlite:
      guard let file else { return nil }
      pages = file.pages(on: loop)
    case .redis(let server):
      let store = RedisStore(
        RedisSettings(
          host: server.host, port: server.port, user: server.user, password: server.password?.bytes,
          database: server.database, prefix: server.prefix), loop: loop, counters: counters, log: log,
        random: SystemSeededRandom())
      shared.append(store)
      pages = store.pages
      gateway.share(
        store.state, replica: replica, sharesSessions: sharesSessions, digest: OpenSSLVerifier.sha256)
    }
    gateway.use(pages, digest: OpenSSLVerifier.sha256)
    return pages
  }

  /// Writes what waits, when the loops have ended.
  func stop() { file?.stop(within: .seconds(2)) }
}
