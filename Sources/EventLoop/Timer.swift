/// Something to be done once, at or soon after an instant, on the loop that scheduled it.
///
/// Confined to that loop's thread. Keep it to be able to cancel; dropping it does not cancel.
package final class Timer {
  package let deadline: ContinuousClock.Instant
  private var action: (() -> Void)?

  init(deadline: ContinuousClock.Instant, action: @escaping () -> Void) {
    self.deadline = deadline
    self.action = action
  }

  /// Whether it has neither been done nor cancelled.
  package var isPending: Bool { action != nil }

  /// Takes the action back, unless it has been done.
  package func cancel() { action = nil }

  func fire() {
    let action = self.action
    self.action = nil
    action?()
  }
}

/// A binary heap of timers, the earliest on top; those of one instant in the order they came.
///
/// Cancelled timers stay until they surface, or until they are more than half of all.
struct TimerQueue {
  private struct Entry {
    let timer: Timer
    let order: UInt64

    func precedes(_ other: Entry) -> Bool {
      timer.deadline != other.timer.deadline ? timer.deadline < other.timer.deadline : order < other.order
    }
  }

  private var heap: [Entry] = []
  private var order: UInt64 = 0
  private var insertionsSinceSweep = 0

  mutating func insert(_ timer: Timer) {
    order += 1
    heap.append(Entry(timer: timer, order: order))
    siftUp(from: heap.count - 1)
    insertionsSinceSweep += 1
    if insertionsSinceSweep > 1024 && insertionsSinceSweep > heap.count { sweep() }
  }

  /// The instant of the earliest timer that is still wanted.
  mutating func nextDeadline() -> ContinuousClock.Instant? {
    while let first = heap.first {
      if first.timer.isPending { return first.timer.deadline }
      removeFirst()
    }
    return nil
  }

  /// Takes the earliest timer that is due, if there is one.
  mutating func popDue(at now: ContinuousClock.Instant) -> Timer? {
    guard let deadline = nextDeadline(), deadline <= now else { return nil }
    let timer = heap[0].timer
    removeFirst()
    return timer
  }

  var count: Int { heap.count }

  private mutating func sweep() {
    insertionsSinceSweep = 0
    let pending = heap.filter { $0.timer.isPending }
    guard pending.count < heap.count / 2 else { return }
    heap = pending.sorted { $0.precedes($1) }
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    if heap.isEmpty { return }
    heap[0] = last
    siftDown()
  }

  private mutating func siftUp(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      let firstChild = 2 * parent + 1
      for child in firstChild..<min(firstChild + 2, max(firstChild, heap.count)) {
        if heap[child].precedes(heap[least]) { least = child }
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
