import Resilience
import TestSupport
import Testing

@Suite("TokenBucket")
struct TokenBucketTests {
  private let start = ContinuousClock.now

  @Test("admits a burst at once, then one an interval")
  func burst() {
    var bucket = TokenBucket(count: 10, per: .seconds(1), burst: 3)
    #expect((0..<4).map { _ in bucket.take(at: start) } == [true, true, true, false])
    #expect(bucket.available(at: start) == start + .milliseconds(100))
    #expect(bucket.take(at: start + .milliseconds(99)) == false)
    #expect(bucket.take(at: start + .milliseconds(100)) == true)
    #expect(bucket.take(at: start + .milliseconds(100)) == false)
    // After a long silence it is full, and no fuller.
    #expect((0..<4).map { _ in bucket.take(at: start + .seconds(60)) } == [true, true, true, false])
  }

  @Test("a token that is given back can be taken again")
  func givenBack() {
    var bucket = TokenBucket(count: 1, per: .seconds(1), burst: 1)
    #expect(bucket.take(at: start) == true)
    bucket.giveBack()
    #expect(bucket.take(at: start) == true)
    #expect(bucket.take(at: start) == false)
  }

  /// Credit in nanoseconds, counted up as time goes by.
  private struct Model {
    let interval: Int64
    let burst: Int64
    var credit: Int64
    var last: Instant

    mutating func take(at now: Instant) -> Bool {
      credit = min(credit + last.duration(to: now).nanoseconds, interval * burst)
      last = now
      guard credit >= interval else { return false }
      credit -= interval
      return true
    }
  }

  @Test("does as a bucket that is filled drop by drop", arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    for _ in 0..<20 {
      let interval = Duration.nanoseconds(run.number(1...40_000_000))
      let burst = run.number(1...20)
      var bucket = TokenBucket(interval: interval, burst: burst)
      var model = Model(
        interval: interval.nanoseconds, burst: Int64(burst), credit: interval.nanoseconds * Int64(burst),
        last: run.now)
      for _ in 0..<ModelRun.steps / 20 {
        run.pass(0...30, far: 100...2_000)
        // At times exactly when the bucket says that there is one.
        if run.chance(10) { run.move(to: bucket.available(at: run.now)) }
        let isPromised = bucket.available(at: run.now) == run.now
        let isTaken = bucket.take(at: run.now)
        guard isTaken == model.take(at: run.now), isTaken == isPromised else {
          throw Differs("differs at \(run.milliseconds) ms")
        }
      }
    }
  }
}
