import Resilience
import TestSupport

/// A run of random events in time that is moved by hand. The same seed makes the same run.
struct ModelRun {
  static let steps = 100_000
  static let seeds: [UInt64] = [1, 2]

  let start = ContinuousClock.now
  var random: SeededRandom
  private(set) var now: Instant

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    now = start
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// Moves time on: often not at all, mostly a little, at times far.
  mutating func pass(_ little: ClosedRange<Int>, far: ClosedRange<Int>) {
    switch number(0...9) {
    case 0...3: break
    case 4...8: now += .milliseconds(number(little))
    default: now += .milliseconds(number(far))
    }
  }

  mutating func move(to instant: Instant) { now = max(now, instant) }

  /// Whole milliseconds since the start.
  var milliseconds: Int { Int(start.duration(to: now).nanoseconds / 1_000_000) }
}

/// Where a machine and its model part.
struct Differs: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
