import Resilience
import Testing

@Suite("Slots")
struct SlotsTests {
  private let start = ContinuousClock.now
  private let search = Slots.Key(client: "a", name: "search")

  @Test("the latest wins, in its own client's slot only")
  func latest() {
    var slots = Slots(capacity: 10, age: .seconds(60))
    let other = Slots.Key(client: "b", name: "search")
    #expect([slots.take(search, by: 1, at: start), slots.take(search, by: 2, at: start)] == [nil, 1])
    #expect([slots.take(other, by: 3, at: start), slots.take(search, by: 4, at: start)] == [nil, 2])
    slots.release(search, by: 2)
    #expect([slots.take(search, by: 5, at: start)] == [4])
    slots.release(search, by: 5)
    #expect([slots.take(search, by: 6, at: start)] == [nil])
  }

  @Test("forgets the slot that was taken longest ago when there are too many, and those of an age")
  func bounded() {
    var slots = Slots(capacity: 2, age: .seconds(60))
    func key(_ name: Int) -> Slots.Key { Slots.Key(client: "a", name: String(name)) }
    for number in 1...3 { _ = slots.take(key(number), by: UInt64(number), at: start) }
    #expect(slots.count == 2)
    #expect([slots.take(key(2), by: 4, at: start), slots.take(key(1), by: 5, at: start)] == [2, nil])
    #expect([slots.take(key(2), by: 6, at: start + .seconds(60))] == [nil])
    #expect(slots.count == 1)
  }

  @Test("does as a list that is looked through", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    var slots = Slots(capacity: 12, age: .seconds(20))
    var model: [(key: Slots.Key, request: UInt64, at: Instant)] = []
    var superseded = 0
    for step in 0..<ModelRun.steps {
      run.pass(0...500, far: 1_000...30_000)
      let now = run.now
      let key = Slots.Key(client: "c\(run.number(0...3))", name: "s\(run.number(0...5))")
      if run.chance(60) {
        model.removeAll { $0.at + .seconds(20) <= now }
        let expected = model.first { $0.key == key }?.request
        model.removeAll { $0.key == key }
        model.append((key, UInt64(step), now))
        if model.count > 12 { model.removeFirst() }
        if expected != nil { superseded += 1 }
        guard slots.take(key, by: UInt64(step), at: now) == expected else { throw Differs("step \(step)") }
      } else {
        let request = model.isEmpty || run.chance(20) ? 0 : model[run.number(0...model.count - 1)].request
        slots.release(key, by: request)
        model.removeAll { $0.key == key && $0.request == request }
      }
      guard slots.count == model.count else { throw Differs("step \(step): \(slots.count) slots") }
    }
    #expect(superseded > 1_000)
  }
}
