import Caching
import Resilience

extension UpstreamControl {
  /// Whether there is room for what nobody waits for.
  func room(at now: Instant) -> PrefetchDecision.Room {
    if isDown { return .suspended }
    let snapshot = snapshot(at: now)
    if snapshot.breaker != .closed { return .suspended }
    if snapshot.isPaused { return .limited }
    return snapshot.waiting > 0 || snapshot.underWay >= snapshot.width ? .saturated : .free
  }
}
