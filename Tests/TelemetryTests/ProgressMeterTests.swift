import Telemetry
import Testing

@Suite("Progress")
struct ProgressMeterTests {
  private let start = ContinuousClock.now

  private func meter(before: Int = 0, _ count: Int, of total: Int?) -> ProgressMeter {
    var meter = ProgressMeter(before: before, start: start)
    meter.note(count: count, total: total)
    return meter
  }

  @Test("says how far it is, how fast it goes and how long it takes, where that is known")
  func sentence() {
    let now = start + .seconds(4)
    #expect(
      meter(12_340, of: 100_000).sentence(at: now)
        == "12,340 of 100,000 items (12 %), 3,085 a second, 0:28 left")
    #expect(meter(12_340, of: nil).sentence(at: now) == "12,340 items, 3,085 a second")
    #expect(meter(0, of: 10).sentence(at: now) == "0 of 10 items (0 %), 0 a second")
    #expect(meter(0, of: 0).sentence(at: start) == "0 of 0 items (100 %), 0 a second")
  }

  @Test("what was there before counts as done, and not for the rate")
  func before() {
    let meter = meter(before: 50_000, 60_000, of: 100_000)
    #expect(
      meter.sentence(at: start + .seconds(10)) == "60,000 of 100,000 items (60 %), 1,000 a second, 0:40 left")
  }

  @Test("a total that is less than what came is no total, and 100 % is all")
  func wrongTotal() {
    #expect(meter(11, of: 10).total == nil)
    #expect(meter(999_999, of: 1_000_000).percent == 99)
    #expect(meter(1_000_000, of: 1_000_000).percent == 100)
  }

  @Test("the bar fits its width, whatever that is", arguments: 0...120)
  func bar(width: Int) {
    let now = start + .seconds(4)
    for meter in [meter(12_340, of: 100_000), meter(100_000, of: 100_000), meter(7, of: nil)] {
      let bar = meter.bar(width: width, at: now)
      #expect(bar.count <= width && bar.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
    }
  }

  @Test("the bar is filled as far as the work is done")
  func filled() {
    let now = start + .seconds(4)
    #expect(
      meter(25_000, of: 100_000).bar(width: 70, at: now)
        == "25,000 of 100,000  25 % [######-------------------] 6,250/s  0:12 left")
    let bar = meter(50, of: 100).bar(width: 200, at: now)
    #expect(bar.count { $0 == "#" } == 20 && bar.count { $0 == "-" } == 20)
  }

  @Test(
    "times and numbers are written for people",
    arguments: [(0, "0:00", "0"), (59, "0:59", "59"), (725, "12:05", "725"), (10_800, "3:00:00", "10,800")])
  func forPeople(number: Int, clock: String, grouped: String) {
    #expect(ProgressMeter.clock(.seconds(number)) == clock)
    #expect(ProgressMeter.grouped(number) == grouped)
    #expect(ProgressMeter.grouped(-1_234_567) == "-1,234,567")
  }
}
