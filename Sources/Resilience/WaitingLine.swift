/// The requests that wait at a gate, by priority, each line first in, first out.
///
/// Tickets are numbered as they come, so that a line is sorted by them and one in the middle is found by halving.
struct WaitingLine: Sendable {
  struct Waiter: Sendable {
    let ticket: Gate.Ticket
    let deadline: Instant
    /// Until when it waits while the gate is suspended.
    var patience: Instant

    func end(whileSuspended isSuspended: Bool) -> Instant { isSuspended ? min(deadline, patience) : deadline }
  }

  private struct Line: Sendable {
    /// Those that left from the middle are nil.
    var places: [Waiter?] = []
    var head = 0
    var count = 0

    mutating func trim() {
      while head < places.count, places[head] == nil { head += 1 }
      while let last = places.last, last == nil, places.count > head { places.removeLast() }
      guard head > 32, head > places.count / 2 else { return }
      places.removeFirst(head)
      head = 0
    }

    func place(of ticket: Gate.Ticket) -> Int? {
      var (low, high) = (head, places.count)
      while low < high {
        var middle = (low + high) / 2
        // A gap has no ticket of its own: look at the next that is there.
        let probe = middle
        while middle < high, places[middle] == nil { middle += 1 }
        guard middle < high, let waiter = places[middle] else {
          high = probe
          continue
        }
        if waiter.ticket == ticket { return middle }
        if waiter.ticket < ticket { low = middle + 1 } else { high = probe }
      }
      return nil
    }
  }

  private var lines = Gate.Priority.allCases.map { _ in Line() }
  private(set) var count = 0

  func count(of priority: Gate.Priority) -> Int { lines[priority.rawValue].count }

  mutating func append(_ waiter: Waiter, _ priority: Gate.Priority) {
    lines[priority.rawValue].places.append(waiter)
    lines[priority.rawValue].count += 1
    count += 1
  }

  /// The one whose turn it is.
  mutating func popFirst() -> Waiter? {
    for index in lines.indices where lines[index].count > 0 {
      lines[index].trim()
      let waiter = lines[index].places[lines[index].head]
      take(at: lines[index].head, of: index)
      return waiter
    }
    return nil
  }

  /// The youngest of the least urgent, if it is less urgent than `priority`.
  mutating func popLast(below priority: Gate.Priority) -> Waiter? {
    for index in lines.indices.reversed() where index > priority.rawValue && lines[index].count > 0 {
      lines[index].trim()
      let last = lines[index].places.count - 1
      let waiter = lines[index].places[last]
      take(at: last, of: index)
      return waiter
    }
    return nil
  }

  /// - Returns: whether it was there.
  mutating func remove(_ ticket: Gate.Ticket) -> Bool {
    for index in lines.indices {
      guard let place = lines[index].place(of: ticket) else { continue }
      take(at: place, of: index)
      return true
    }
    return false
  }

  /// Takes out all that `isLeaving`, in the order of their turns.
  mutating func removeAll(where isLeaving: (Waiter, Gate.Priority) -> Bool) -> [Waiter] {
    var leaving: [Waiter] = []
    for priority in Gate.Priority.allCases where lines[priority.rawValue].count > 0 {
      let index = priority.rawValue
      for place in lines[index].head..<lines[index].places.count {
        guard let waiter = lines[index].places[place], isLeaving(waiter, priority) else { continue }
        lines[index].places[place] = nil
        lines[index].count -= 1
        count -= 1
        leaving.append(waiter)
      }
      lines[index].trim()
    }
    return leaving
  }

  mutating func setPatience(_ patience: Instant) {
    for index in lines.indices {
      for place in lines[index].head..<lines[index].places.count {
        lines[index].places[place]?.patience = patience
      }
    }
  }

  func earliest(_ instant: (Waiter) -> Instant) -> Instant? {
    var earliest: Instant?
    for line in lines where line.count > 0 {
      for place in line.head..<line.places.count {
        guard let waiter = line.places[place] else { continue }
        earliest = min(earliest ?? instant(waiter), instant(waiter))
      }
    }
    return earliest
  }

  private mutating func take(at place: Int, of index: Int) {
    lines[index].places[place] = nil
    lines[index].count -= 1
    count -= 1
    lines[index].trim()
  }
}
