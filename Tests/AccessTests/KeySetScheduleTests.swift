import Access
import Testing

@Suite("When keys are fetched")
struct KeySetScheduleTests {
  private let start = ContinuousClock.Instant.now

  private func made() -> KeySetSchedule { KeySetSchedule(refresh: .seconds(600), pause: .seconds(30)) }

  @Test("the first token has them fetched, others wait for the same fetch")
  func first() {
    var schedule = made()
    #expect(schedule.need(at: start) == .fetch)
    #expect(schedule.need(at: start + .seconds(1)) == .wait)
    schedule.end(isSuccess: true, at: start + .seconds(2))
    #expect(schedule.need(at: start + .seconds(3)) == .proceed)
    #expect(schedule.hasKeys)
  }

  @Test("aged keys are fetched again while they go on being used, and stay where that fails")
  func aged() {
    var schedule = made()
    _ = schedule.need(at: start)
    schedule.end(isSuccess: true, at: start)
    #expect(schedule.need(at: start + .seconds(599)) == .proceed)
    #expect(schedule.need(at: start + .seconds(600)) == .refresh)
    #expect(schedule.need(at: start + .seconds(601)) == .proceed)
    schedule.end(isSuccess: false, at: start + .seconds(605))
    #expect(schedule.need(at: start + .seconds(606)) == .proceed)
    #expect(schedule.need(at: start + .seconds(630)) == .refresh)
    schedule.end(isSuccess: true, at: start + .seconds(631))
    #expect(schedule.need(at: start + .seconds(1_230)) == .proceed)
    #expect(schedule.need(at: start + .seconds(1_231)) == .refresh)
  }

  @Test("without keys nothing is asked again before the pause is over")
  func unavailable() {
    var schedule = made()
    _ = schedule.need(at: start)
    schedule.end(isSuccess: false, at: start + .seconds(5))
    #expect(schedule.need(at: start + .seconds(10)) == .unavailable(retryAfter: .seconds(20)))
    #expect(schedule.need(at: start + .seconds(30)) == .fetch)
  }

  @Test("unknown keys have them fetched once a pause, however many come")
  func unknown() {
    var schedule = made()
    _ = schedule.need(at: start)
    schedule.end(isSuccess: true, at: start)
    var fetches = 0
    for second in 1...300 {
      let now = start + .seconds(second)
      if schedule.missKey(at: now) == .fetch {
        fetches += 1
        #expect(schedule.missKey(at: now) == .wait)
        schedule.end(isSuccess: second % 2 == 0, at: now)
      } else {
        #expect(schedule.missKey(at: now) == .proceed)
      }
    }
    #expect(fetches == 10)
  }
}
