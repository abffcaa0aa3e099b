import TestSupport

/// A run of random events in time that is moved by hand. The same seed makes the same run.
struct RandomRun {
  static let steps = 100_000
  static let seeds: [UInt64] = [1, 2]

  let start = ContinuousClock.now
  var random: SeededRandom
  var now: ContinuousClock.Instant

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    now = start
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}

/// Where a machine and its model part, or a promise is broken.
struct Differs: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
