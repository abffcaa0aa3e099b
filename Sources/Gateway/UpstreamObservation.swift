import Synchronization

/// What real requests have shown of an upstream, from all loops: shared, and read without a lock.
package final class UpstreamObservation: Sendable {
  package enum State: String, Sendable {
    /// Nothing has been asked of it yet.
    case unknown
    case reachable
    /// The last request did not reach it.
    case unreachable
  }

  /// 0 unknown, 1 reachable, 2 unreachable.
  private let state = Atomic<UInt8>(0)
  private let lastChange = Atomic<Int64>(0)

  package init() {}

  /// - Parameter now: Unix seconds.
  package func record(isReached: Bool, at now: Int64) {
    let new: UInt8 = isReached ? 1 : 2
    // Written on a change only, so that loops do not fight for the line.
    guard state.load(ordering: .relaxed) != new else { return }
    lastChange.store(now, ordering: .relaxed)
    state.store(new, ordering: .releasing)
  }

  /// The state, and since when (Unix seconds).
  package var current: (state: State, since: Int64) {
    let state: State =
      switch self.state.load(ordering: .acquiring) {
      case 1: .reachable
      case 2: .unreachable
      default: .unknown
      }
    return (state, lastChange.load(ordering: .relaxed))
  }
}
