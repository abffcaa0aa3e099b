package import Configuration
package import EventLoop
import Resilience
import Synchronization

/// What all loops of the process know of it.
package final class ProcessState: Sendable {
  package let version: String
  /// The configuration's file, for `/status`.
  package let configurationName: String
  package let loops: [EventLoop]
  /// The gate of each upstream, in the configuration's order.
  package let upstreams: [UpstreamControl]
  let slots = SlotTable()
  /// What is known of all lists.
  let pages: KnownPages
  let clientLimits = ClientLimits()
  private let knownStore = Mutex<KnownStore?>(nil)
  package let start: ContinuousClock.Instant
  /// Unix seconds at ``start``.
  package let startUnixSeconds: Int64
  private let phase = Atomic<Int>(Phase.serving.rawValue)
  private let wallClock: @Sendable () -> Int64

  /// - Parameter wallClock: Unix seconds.
  package init(
    version: String, configurationName: String, loops: [EventLoop], upstreams: [Configuration.Upstream],
    pages: KnownPages, start: ContinuousClock.Instant, wallClock: @escaping @Sendable () -> Int64
  ) {
    self.version = version
    self.configurationName = configurationName
    self.loops = loops
    self.upstreams = upstreams.enumerated().map { index, upstream in
      // Not all at once, and not before real requests had their chance to tell.
      let every = upstream.protection.monitoring.settings.every
      return UpstreamControl(
        upstream, firstProbe: every + every / max(1, upstreams.count) * index, at: start)
    }
    self.pages = pages
    self.start = start
    self.wallClock = wallClock
    startUnixSeconds = wallClock()
  }

  /// The store of pages, where there is one, as `/status` tells of it.
  struct KnownStore: Sendable {
    /// `sqlite` or `redis`.
    let kind: String
    let counters: StoreCounters
  }

  var store: KnownStore? { knownStore.withLock { $0 } }

  package func uses(store kind: String, _ counters: StoreCounters) {
    knownStore.withLock { $0 = KnownStore(kind: kind, counters: counters) }
  }

  /// How far the process is on its way to the end; it only goes on.
  private enum Phase: Int {
    case serving
    /// Not ready for more, and serves on, so that balancers have time to notice.
    case draining
    /// Each answer is the last of its connection.
    case closing
  }

  /// Whether the process is about to stop: it is not ready for more.
  package var isDraining: Bool { phase.load(ordering: .relaxed) >= Phase.draining.rawValue }

  /// Whether clients are being sent away: each answer is the last of its connection.
  package var isClosing: Bool { phase.load(ordering: .relaxed) >= Phase.closing.rawValue }

  /// Readiness fails from now on.
  package func drain() { phase.max(Phase.draining.rawValue, ordering: .relaxed) }

  /// Sends clients away from now on.
  package func close() { phase.max(Phase.closing.rawValue, ordering: .relaxed) }

  package func unixSeconds() -> Int64 { wallClock() }
}
