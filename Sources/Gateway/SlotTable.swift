import Resilience
import Synchronization

/// The slots of all clients, on all loops: a newer request in a slot ends the older one.
final class SlotTable: Sendable {
  /// A request's hold on a slot.
  struct Hold: Sendable {
    fileprivate let key: Slots.Key
    fileprivate let request: UInt64
  }

  private struct State: Sendable {
    var slots = Slots(capacity: 100_000, age: .seconds(600))
    /// What ends each request that holds a slot.
    var ends: [UInt64: @Sendable () -> Void] = [:]
    var newest: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The longest name of a slot, in bytes.
  static let longestName = 256

  /// Whether `name` may be a slot's: printable ASCII.
  static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  /// Gives the slot to a request; the one that had it is ended.
  ///
  /// - Parameter end: called at most once, from any thread, when a newer one takes the slot.
  func take(_ key: Slots.Key, at now: Instant, end: @escaping @Sendable () -> Void) -> Hold {
    let (hold, older) = state.withLock { state in
      state.newest += 1
      state.ends[state.newest] = end
      let older = state.slots.take(key, by: state.newest, at: now)
      return (Hold(key: key, request: state.newest), older.flatMap { state.ends.removeValue(forKey: $0) })
    }
    older?()
    return hold
  }

  /// Has something else ended when a newer request takes the slot, in place of the request that had it.
  func keep(_ hold: Hold, end: @escaping @Sendable () -> Void) {
    state.withLock { state in
      if state.ends[hold.request] != nil { state.ends[hold.request] = end }
    }
  }

  func release(_ hold: Hold) {
    state.withLock { state in
      state.ends[hold.request] = nil
      state.slots.release(hold.key, by: hold.request)
    }
  }
}
