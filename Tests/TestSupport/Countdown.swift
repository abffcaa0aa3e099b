import Synchronization

/// True a number of times, then false.
package final class Countdown: Sendable {
  private let left: Mutex<Int>

  package init(_ count: Int) { left = Mutex(count) }

  package func tick() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}
