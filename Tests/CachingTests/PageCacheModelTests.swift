import TestSupport
import Testing

@testable import Caching

@Suite("Page cache, against its model")
struct PageCacheModelTests {
  private static let limit = 24 * PageCache<Int, Int>.overhead

  /// Two lists, three series each, six pages a series; half of the keys share one hash.
  private static let keys: [PageKey] = (0..<36).map { number in
    let bytes = [UInt8(number / 6 % 3), UInt8(number % 6)]
    let list = UInt32(number / 18)
    return number.isMultiple(of: 2)
      ? PageKey(list: list, bytes: bytes, seriesCount: 1, hash: 7)
      : PageKey(list: list, series: [bytes[0]], page: [bytes[1]])
  }

  @Test("holds and drops what its model does, and is never over its bound", arguments: RandomRun.seeds)
  func model(seed: UInt64) throws {
    var run = RandomRun(seed: seed)
    var cache = PageCache<Int, Int>(limit: Self.limit)
    var model = CacheModel(limit: Self.limit)
    for step in 0..<RandomRun.steps {
      if run.chance(50) { run.now += .milliseconds(run.number(0...40)) }
      let now = run.now
      // Some keys are popular.
      let key = Self.keys[min(run.number(0...35), run.number(0...35))]
      let edition = UInt32(run.number(1...6))
      let end = now + .milliseconds(run.number(0...4_000))
      let lifetime = Lifetime(
        born: now, freshUntil: now, staleUntil: now, keepUntil: end, mustRevalidate: false)
      let size = run.chance(5) ? Self.limit / 8 : run.number(0...PageCache<Int, Int>.overhead)
      switch run.number(0...99) {
      case 0..<50:
        let wanted = run.chance(50) ? edition : nil
        let found = cache.find(key, preferring: wanted, at: now)
        let expected = model.find(key, preferring: wanted, at: now)
        guard found.page?.value == expected.page?.value, found.page?.edition == expected.page?.edition,
          found.page?.isFirstUse == expected.page?.isAhead, found.failure == expected.failure
        else { throw Differs("step \(step): \(found), not \(expected)") }
      case 50..<86:
        let isAhead = run.chance(20)
        let isHeld = cache.store(
          step, byteCount: size, as: key, edition: edition, lifetime, isAhead: isAhead, at: now)
        let isExpected = model.store(
          step, byteCount: size, as: key, edition: edition, until: end, isAhead: isAhead, at: now)
        guard isHeld == isExpected else { throw Differs("step \(step): stored \(isHeld)") }
      case 86..<92:
        cache.storeFailure(step, byteCount: size, as: key, until: end, at: now)
        _ = model.store(step, byteCount: size, as: key, edition: nil, until: end, isAhead: false, at: now)
      case 92..<97:
        guard
          cache.renew(key, edition: edition, lifetime) == model.renew(key, edition: edition, until: end)
        else { throw Differs("step \(step): renewed") }
      default:
        try purge(&cache, &model, key, &run, step)
      }
      guard cache.figures == model.counted, cache.figures.byteCount <= Self.limit else {
        throw Differs("step \(step): \(cache.figures), not \(model.counted)")
      }
    }
    #expect(cache.figures.evicted > 1_000 && cache.figures.expired > 1_000 && cache.figures.wasted > 1_000)
  }

  private func purge(
    _ cache: inout PageCache<Int, Int>, _ model: inout CacheModel, _ key: PageKey, _ run: inout RandomRun,
    _ step: Int
  ) throws {
    let (count, expected): (Int, Int)
    switch run.number(0...19) {
    case 0: (count, expected) = (cache.purgeAll(), model.purge { _ in true })
    case 1: (count, expected) = (cache.purge(list: key.list), model.purge { $0.list == key.list })
    case 2...6:
      count = cache.purge(list: key.list, series: Array(key.series))
      expected = model.purge { $0.list == key.list && $0.series == key.series }
    default: (count, expected) = (cache.purge(key), model.purge { $0 == key })
    }
    guard count == expected else { throw Differs("step \(step): purged \(count), not \(expected)") }
  }
}
