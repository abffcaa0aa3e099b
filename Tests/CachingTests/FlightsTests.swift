import Caching
import TestSupport
import Testing

@Suite("Flights")
struct FlightsTests {
  private static func key(_ page: UInt8) -> PageKey { PageKey(list: 0, series: [], page: [page]) }

  @Test("256 who ask for one page start one request, and all get what it brought, in the order they came")
  func oneRequest() {
    var flights = Flights<Int>()
    let boardings = (0..<256).map { flights.board(Self.key(1), $0) }
    #expect(boardings.count { if case .started = $0 { true } else { false } } == 1)
    #expect(flights.count == 1)
    #expect(flights.land(boardings[0].ticket.flight) == Array(0..<256))
    #expect(flights.land(boardings[0].ticket.flight) == [])
  }

  @Test("the request goes on when who started it leaves, and ends with the last")
  func lastLeaves() {
    var flights = Flights<Int>()
    let first = flights.board(Self.key(1), 1).ticket
    let second = flights.board(Self.key(1), 2).ticket
    #expect(flights.leave(first) == false)
    #expect(flights.leave(first) == false, "left twice")
    #expect(flights.leave(second) == true)
    #expect(flights.count == 0)
    // What is over cannot be joined.
    guard case .started = flights.board(Self.key(1), 3) else {
      Issue.record("joined a flight that is over")
      return
    }
  }

  @Test("a flight for the cache alone goes on without anybody, and becomes a client's")
  func unattended() throws {
    var flights = Flights<Int>()
    let started = flights.startUnattended(Self.key(1))
    let flight = try #require(started)
    #expect(flights.startUnattended(Self.key(1)) == nil)
    let boarding = flights.board(Self.key(1), 1)
    #expect(boarding == .claimed(boarding.ticket))
    let other = flights.board(Self.key(1), 2)
    #expect(other == .joined(other.ticket))
    #expect(flights.leave(boarding.ticket) == false)
    #expect(flights.leave(other.ticket) == false)
    #expect(flights.land(flight) == [])
  }

  @Test("who must not get an older page shares with nobody")
  func alone() {
    var flights = Flights<Int>()
    let shared = flights.board(Self.key(1), 1).ticket
    let alone = flights.boardAlone(Self.key(1), 2)
    #expect(flights.count == 2)
    let third = flights.board(Self.key(1), 3)
    #expect(third == .joined(third.ticket) && third.ticket.flight == shared.flight)
    #expect(flights.land(alone.flight) == [2])
    #expect(flights.isUnderWay(Self.key(1)))
    #expect(flights.land(shared.flight) == [1, 3])
    #expect(!flights.isUnderWay(Self.key(1)))
  }

  /// A flight as the model keeps it: one record each, looked for from end to end.
  private struct Model {
    let id: UInt64
    let key: PageKey
    var waiters: [(ticket: Flights<Int>.Ticket, waiter: Int)] = []
    var isUnattended = false
    var isAlone = false
    var hadPassenger = false
  }

  @Test("whoever waits gets one result, and nobody waits for what nobody asks", arguments: RandomRun.seeds)
  func model(seed: UInt64) throws {
    var run = RandomRun(seed: seed)
    var flights = Flights<Int>()
    var model: [Model] = []
    for step in 0..<RandomRun.steps {
      let key = Self.key(UInt8(run.number(0...7)))
      let open = model.firstIndex { $0.key == key && !$0.isAlone }
      switch run.number(0...99) {
      case 0..<45: try board(&flights, &model, key, open, step)
      case 45..<48:
        let ticket = flights.boardAlone(key, step)
        model.append(Model(id: ticket.flight, key: key, waiters: [(ticket, step)], isAlone: true))
      case 48..<55:
        let id = flights.startUnattended(key)
        guard (id == nil) == (open != nil) else { throw Differs("step \(step): unattended") }
        if let id { model.append(Model(id: id, key: key, isUnattended: true)) }
      case 55..<85:
        guard let index = model.indices.randomElement(using: &run.random),
          let seat = model[index].waiters.indices.randomElement(using: &run.random)
        else { continue }
        let ticket = model[index].waiters.remove(at: seat).ticket
        let isOver = model[index].waiters.isEmpty && !model[index].isUnattended
        guard flights.leave(ticket) == isOver else { throw Differs("step \(step): left") }
        if isOver { model.remove(at: index) }
      default:
        guard let index = model.indices.randomElement(using: &run.random) else { continue }
        let flight = model.remove(at: index)
        let landed = flights.land(flight.id)
        guard landed == flight.waiters.map(\.waiter) else { throw Differs("step \(step): landed \(landed)") }
      }
      guard flights.count == model.count,
        flights.isUnderWay(key) == model.contains(where: { $0.key == key && !$0.isAlone })
      else { throw Differs("step \(step): \(flights.count) under way, not \(model.count)") }
    }
  }

  private func board(
    _ flights: inout Flights<Int>, _ model: inout [Model], _ key: PageKey, _ open: Int?, _ step: Int
  ) throws {
    let boarding = flights.board(key, step)
    let ticket = boarding.ticket
    guard let open else {
      guard boarding == .started(ticket) else { throw Differs("step \(step): \(boarding)") }
      return model.append(Model(id: ticket.flight, key: key, waiters: [(ticket, step)], hadPassenger: true))
    }
    let isClaimed = model[open].isUnattended && !model[open].hadPassenger
    guard boarding == (isClaimed ? .claimed(ticket) : .joined(ticket)), ticket.flight == model[open].id else {
      throw Differs("step \(step): \(boarding)")
    }
    model[open].waiters.append((ticket, step))
    model[open].hadPassenger = true
  }
}
