import Configuration
import Resilience
import Synchronization

/// An upstream's sessions, shared by all loops: one for all clients, or one for each credential that clients have.
///
/// Bounded in number and in time: what has not been used for long, or longest where there are too many, is forgotten, and
/// logged in to again when it comes back. A store that replicas share would be asked here.
final class SessionTable: Sendable {
  /// Two halves: what is used is in the younger one, or comes into it. When that is full or old, the older one goes.
  private struct Halves: Sendable {
    var young: [[UInt8]: SessionKeeper] = [:]
    var old: [[UInt8]: SessionKeeper] = [:]
    var since: Instant?
  }

  private let settings: SessionMachine.Settings
  private let most: Int
  private let idle: Duration
  private let shared: SessionKeeper?
  private let halves = Mutex(Halves())

  init(_ configuration: Configuration.Session) {
    settings = configuration.settings
    most = max(1, configuration.most / 2)
    idle = configuration.idle
    shared = configuration.each == nil ? SessionKeeper(configuration.settings) : nil
  }

  /// - Parameter credential: the client's; of no account where all share one session.
  /// - Returns: nil where each client has its own, and this one has none.
  func keeper(of credential: [UInt8]?, at now: Instant) -> SessionKeeper? {
    if let shared { return shared }
    guard let credential, !credential.isEmpty else { return nil }
    return halves.withLock { halves in
      let since = halves.since ?? now
      halves.since = since
      if halves.young.count >= most || since + idle <= now {
        // After twice the time, the younger half is as old.
        halves.old = since + idle + idle <= now ? [:] : halves.young
        halves.young = [:]
        halves.since = now
      }
      if let keeper = halves.young[credential] { return keeper }
      let keeper = halves.old.removeValue(forKey: credential) ?? SessionKeeper(settings)
      halves.young[credential] = keeper
      return keeper
    }
  }

  /// Sessions that are kept.
  var count: Int { shared == nil ? halves.withLock { $0.young.count + $0.old.count } : 1 }
}
