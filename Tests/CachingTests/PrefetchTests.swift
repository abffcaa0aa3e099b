import Caching
import TestSupport
import Testing

@Suite("Fetching ahead")
struct PrefetchTests {
  private static let start = ContinuousClock.now
  private static func key(_ page: UInt8) -> PageKey { PageKey(list: 0, series: [], page: [page]) }

  @Test(
    "the next page is fetched when its share of this one is consumed",
    arguments: [
      (34, 50, true, 0, 0), (35, 50, true, 0, 2), (50, 50, true, 0, 2), (35, 50, false, 0, 0),
      (35, 50, true, 1, 1), (35, 50, true, 2, 0), (35, 50, true, 9, 0), (0, 0, true, 0, 2),
    ])
  func threshold(consumed: Int, count: Int, hasNext: Bool, ahead: Int, expected: Int) {
    let place = PrefetchDecision.Place(consumed: consumed, count: count, hasNext: hasNext, ahead: ahead)
    let decision = PrefetchDecision(threshold: 0.7, pages: 2)
    #expect(decision.pagesToFetch(at: place, room: .free, isAllowed: true) == expected)
    for room in [.saturated, .suspended, .limited] as [PrefetchDecision.Room] {
      #expect(decision.pagesToFetch(at: place, room: room, isAllowed: true) == 0)
    }
    #expect(decision.pagesToFetch(at: place, room: .free, isAllowed: false) == 0)
    let never = PrefetchDecision(threshold: 0.7, pages: 0)
    #expect(never.pagesToFetch(at: place, room: .free, isAllowed: true) == 0)
  }

  @Test("a list whose pages go unread is throttled, and freed when they are read again")
  func throttles() {
    var throttle = PrefetchThrottle()
    var now = Self.start
    /// Takes a chance, and reads the page or lets it go.
    func fetch(isRead: Bool) -> Bool {
      now += .seconds(10)
      guard throttle.takeChance(at: now) else { return false }
      throttle.fetched(Self.key(1), until: now + .seconds(5), at: now)
      if isRead { throttle.read(Self.key(1), at: now + .seconds(1)) }
      return true
    }
    for _ in 0..<PrefetchThrottle.window { #expect(fetch(isRead: false)) }
    let taken = (0..<10 * PrefetchThrottle.trial).count { _ in fetch(isRead: false) }
    #expect(taken == 10)
    // One in four of the last is enough.
    var chances = 0
    while throttle.isThrottled, chances < 1_000 {
      chances += 1
      _ = fetch(isRead: true)
    }
    #expect(chances > 0 && chances <= 8 * PrefetchThrottle.trial)
    #expect(fetch(isRead: true) && fetch(isRead: true))
    #expect(throttle.figures.used + throttle.figures.wasted == throttle.figures.fetched)
  }

  @Test("every page is used or wasted, once, as its model says", arguments: RandomRun.seeds)
  func model(seed: UInt64) throws {
    var run = RandomRun(seed: seed)
    var throttle = PrefetchThrottle()
    var pending: [(key: PageKey, until: ContinuousClock.Instant)] = []
    var outcomes: [Bool] = []
    for step in 0..<RandomRun.steps {
      run.now += .milliseconds(run.number(0...30))
      let now = run.now
      let key = Self.key(UInt8(run.number(0...19)))
      // All live equally long here, so that they end in the order they came.
      let gone = pending.filter { $0.until <= now }
      outcomes += gone.map { _ in false }
      pending.removeAll { $0.until <= now }
      let readers = step / 5_000 % 2 == 0 ? 5 : 60
      if run.chance(readers) {
        throttle.read(key, at: now)
        if let index = pending.firstIndex(where: { $0.key == key }) {
          pending.remove(at: index)
          outcomes.append(true)
        }
      } else {
        let last = outcomes.suffix(PrefetchThrottle.window)
        let isThrottled =
          last.count == PrefetchThrottle.window && last.count(where: { $0 }) * 4 < PrefetchThrottle.window
        let isTaken = throttle.takeChance(at: now)
        guard throttle.isThrottled == isThrottled, isTaken || isThrottled else {
          throw Differs("step \(step): throttled \(throttle.isThrottled), not \(isThrottled)")
        }
        guard isTaken else { continue }
        throttle.fetched(key, until: now + .milliseconds(300), at: now)
        if let index = pending.firstIndex(where: { $0.key == key }) {
          pending.remove(at: index)
          outcomes.append(false)
        }
        pending.append((key, now + .milliseconds(300)))
      }
      guard throttle.figures.used == outcomes.count(where: { $0 }),
        throttle.figures.used + throttle.figures.wasted == outcomes.count,
        throttle.figures.fetched == outcomes.count + pending.count
      else { throw Differs("step \(step): \(throttle.figures)") }
      if outcomes.count > 5_000 { try reset(&throttle, &outcomes, &pending) }
    }
  }

  /// A fresh start, so that counting stays cheap.
  private func reset(
    _ throttle: inout PrefetchThrottle, _ outcomes: inout [Bool],
    _ pending: inout [(key: PageKey, until: ContinuousClock.Instant)]
  ) throws {
    guard throttle.figures.used > 0, throttle.figures.wasted > 0 else { throw Differs("one-sided") }
    throttle = PrefetchThrottle()
    outcomes = []
    pending = []
  }
}
