/// The requests under way that others can join, and who waits for each.
///
/// A flight lives while somebody waits for it, or while it flies for the cache itself; it lands once, with whatever came:
/// a failure is everybody's too.
package struct Flights<Waiter: Sendable>: Sendable {
  package typealias ID = UInt64

  /// Somebody's place in a flight.
  package struct Ticket: Sendable, Hashable {
    package let flight: ID
    fileprivate let seat: Int
  }

  package enum Boarding: Sendable, Hashable {
    /// There was none: whoever asked starts the request, and lands the flight.
    case started(Ticket)
    /// Another has started it.
    case joined(Ticket)
    /// Another has started it, for the cache alone so far: its request is now as urgent as a client's.
    case claimed(Ticket)

    package var ticket: Ticket {
      switch self {
      case .started(let ticket), .joined(let ticket), .claimed(let ticket): ticket
      }
    }
  }

  private struct Flight: Sendable {
    let key: PageKey
    var seats: [Waiter?] = []
    var waitingCount = 0
    /// Whether it goes on when nobody waits: a renewal, or a page fetched ahead.
    var isUnattended: Bool
    /// Whether one for the same page that started later has landed.
    var isOvertaken = false
  }

  private var flights: [ID: Flight] = [:]
  private var open: [PageKey: ID] = [:]
  /// Flights for one page at the same time, by their start; of pages that have several.
  private var parallel: [PageKey: [ID]] = [:]
  private var lastID: ID = 0

  package init() {}

  /// Flights under way.
  package var count: Int { flights.count }

  package func isUnderWay(_ key: PageKey) -> Bool { open[key] != nil }

  /// Waits for the page: in the flight that is under way, or in a new one.
  package mutating func board(_ key: PageKey, _ waiter: Waiter) -> Boarding {
    if let id = open[key], let flight = flights[id] {
      let isClaimed = flight.isUnattended && flight.seats.isEmpty
      let ticket = seat(waiter, in: id)
      return isClaimed ? .claimed(ticket) : .joined(ticket)
    }
    let id = start(key, isUnattended: false, isOpen: true)
    return .started(seat(waiter, in: id))
  }

  /// Starts a flight that nobody can join: its waiter must not get what was asked for earlier than now, nor others what
  /// may be older than what they know.
  package mutating func boardAlone(_ key: PageKey, _ waiter: Waiter) -> Ticket {
    var together = parallel[key] ?? open[key].map { [$0] } ?? []
    let id = start(key, isUnattended: false, isOpen: false)
    together.append(id)
    parallel[key] = together
    return seat(waiter, in: id)
  }

  /// Whether what it brings is older than what came of the page already.
  package func isOvertaken(_ id: ID) -> Bool { flights[id]?.isOvertaken ?? false }

  /// Starts a flight for the cache itself; nil when one is under way for that page.
  package mutating func startUnattended(_ key: PageKey) -> ID? {
    open[key] == nil ? start(key, isUnattended: true, isOpen: true) : nil
  }

  /// Waits no longer.
  ///
  /// - Returns: whether nobody is left, so that the request is to be ended; the flight is over, and the next to ask starts
  ///   another. False too when the flight has landed.
  package mutating func leave(_ ticket: Ticket) -> Bool {
    vacate(ticket)
    guard let flight = flights[ticket.flight], flight.waitingCount == 0, !flight.isUnattended else {
      return false
    }
    end(ticket.flight)
    return true
  }

  /// Waits no longer, but has the flight go on for the cache itself.
  package mutating func release(_ ticket: Ticket) {
    vacate(ticket)
    flights[ticket.flight]?.isUnattended = true
  }

  /// It need not go on for the cache any more.
  ///
  /// - Returns: whether nobody waits for it either, so that the request is to be ended; the flight is over.
  package mutating func dismiss(_ id: ID) -> Bool {
    guard flights[id]?.isUnattended == true else { return false }
    flights[id]?.isUnattended = false
    guard flights[id]?.waitingCount == 0 else { return false }
    end(id)
    return true
  }

  /// How many wait for it.
  package func waitingCount(of id: ID) -> Int { flights[id]?.waitingCount ?? 0 }

  /// Lets nobody join what is under way: it was asked for before something happened that counts.
  package mutating func close() { open.removeAll(keepingCapacity: true) }

  private mutating func vacate(_ ticket: Ticket) {
    guard flights[ticket.flight]?.seats[ticket.seat] != nil else { return }
    flights[ticket.flight]?.seats[ticket.seat] = nil as Waiter?
    flights[ticket.flight]?.waitingCount -= 1
  }

  /// The request has ended, well or not.
  ///
  /// - Returns: who waits for what came, in the order they boarded.
  package mutating func land(_ id: ID) -> [Waiter] {
    if let key = flights[id]?.key, let others = parallel[key] {
      for other in others where other < id { flights[other]?.isOvertaken = true }
    }
    return end(id)?.seats.compactMap { $0 } ?? []
  }

  private mutating func start(_ key: PageKey, isUnattended: Bool, isOpen: Bool) -> ID {
    lastID += 1
    flights[lastID] = Flight(key: key, isUnattended: isUnattended)
    if isOpen {
      open[key] = lastID
      parallel[key]?.append(lastID)
    }
    return lastID
  }

  private mutating func seat(_ waiter: Waiter, in id: ID) -> Ticket {
    let seat = flights[id]?.seats.count ?? 0
    flights[id]?.seats.append(waiter)
    flights[id]?.waitingCount += 1
    return Ticket(flight: id, seat: seat)
  }

  @discardableResult
  private mutating func end(_ id: ID) -> Flight? {
    guard let flight = flights.removeValue(forKey: id) else { return nil }
    if open[flight.key] == id { open[flight.key] = nil }
    if var together = parallel[flight.key] {
      together.removeAll { $0 == id }
      parallel[flight.key] = together.isEmpty ? nil : together
    }
    return flight
  }
}
