import Caching
import TestSupport
import Testing

/// What the policy is worth, on traces of page numbers, beside the least recently used.
///
/// Hits of 1,000 requests as these tests see them: on a Zipf trace (skew 1, 5,000 pages) with room for 1, 5 and 10 % of
/// the pages 469, 633 and 702, where LRU has 343, 552 and 647; with a scan of 100 pages after each 300 requests 741
/// against 590.
@Suite("Page cache, on traces")
struct PageCacheTraceTests {
  private static let pageByteCount = 1_000
  private static let now = ContinuousClock.now
  private static let lifetime = Lifetime(
    born: now, freshUntil: now + .seconds(60), staleUntil: now + .seconds(60), keepUntil: now + .seconds(60),
    mustRevalidate: false)

  private static func key(_ page: Int) -> PageKey {
    PageKey(list: 0, series: [], page: withUnsafeBytes(of: page) { Array($0) })
  }

  /// A cache with room for so many pages of the test's size.
  private static func cache(pages: Int) -> PageCache<Int, Int> {
    PageCache(limit: pages * (pageByteCount + 8 + PageCache<Int, Int>.overhead))
  }

  /// Asks for a page, and stores it where it is missing: whether it was there.
  private static func read(_ page: Int, _ cache: inout PageCache<Int, Int>) -> Bool {
    let key = key(page)
    if let held = cache.find(key, preferring: nil, at: now).page { return held.value == page }
    cache.store(page, byteCount: pageByteCount, as: key, edition: 1, lifetime, isAhead: false, at: now)
    return false
  }

  /// The least recently used goes: what SIEVE is held against.
  private struct LRU {
    let capacity: Int
    var lastUse: [Int: Int] = [:]
    var uses: [(page: Int, time: Int)] = []
    var head = 0

    mutating func read(_ page: Int) -> Bool {
      let isHit = lastUse.updateValue(uses.count, forKey: page) != nil
      uses.append((page, uses.count))
      while lastUse.count > capacity {
        if lastUse[uses[head].page] == uses[head].time { lastUse[uses[head].page] = nil }
        head += 1
      }
      return isHit
    }
  }

  /// Page numbers whose popularity falls with the rank to the power of `skew`.
  private struct Zipf {
    let sums: [Double]

    init(pages: Int, skew: (Double) -> Double) {
      var sum = 0.0
      sums = (1...pages).map { rank in
        sum += 1 / skew(Double(rank))
        return sum
      }
    }

    func next(_ random: inout SeededRandom) -> Int {
      let wanted = Double.random(in: 0..<sums[sums.count - 1], using: &random)
      var (low, high) = (0, sums.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if sums[middle] <= wanted { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// Where some pages are read by many and most by few, at least as much is answered from what is held as LRU would.
  @Test("on a Zipf trace it hits at least as often as LRU", arguments: [1, 5, 10])
  func zipf(percent: Int) {
    let (pages, requests) = (5_000, 60_000)
    let zipf = Zipf(pages: pages) { $0 }
    var random = SeededRandom(seed: 3)
    var cache = Self.cache(pages: pages * percent / 100)
    var lru = LRU(capacity: pages * percent / 100)
    var (hits, lruHits) = (0, 0)
    for _ in 0..<requests {
      let page = zipf.next(&random)
      if Self.read(page, &cache) { hits += 1 }
      if lru.read(page) { lruHits += 1 }
    }
    #expect(hits >= lruHits)
    #expect(hits > requests / 5)
  }

  @Test("a scan ten times its size leaves what many read, where LRU would lose all of it")
  func scan() {
    var cache = Self.cache(pages: 200)
    var lru = LRU(capacity: 200)
    for page in (0..<50).map({ $0 }) + (0..<50).map({ $0 }) + (1_000..<3_000).map({ $0 }) {
      _ = Self.read(page, &cache)
      _ = lru.read(page)
    }
    #expect((0..<50).count { cache.find(Self.key($0), preferring: nil, at: Self.now).page != nil } == 50)
    #expect((0..<50).count { lru.lastUse[$0] != nil } == 0)
  }

  @Test("scans between the reads of a popular list cost it less than they cost LRU")
  func scansBetween() {
    var cache = Self.cache(pages: 200)
    var lru = LRU(capacity: 200)
    var random = SeededRandom(seed: 5)
    let zipf = Zipf(pages: 1_000) { $0 }
    var (hits, lruHits, requests) = (0, 0, 0)
    for round in 0..<100 {
      for _ in 0..<300 {
        let page = zipf.next(&random)
        requests += 1
        if Self.read(page, &cache) { hits += 1 }
        if lru.read(page) { lruHits += 1 }
      }
      for page in 0..<100 {
        _ = Self.read(10_000 + round * 100 + page, &cache)
        _ = lru.read(10_000 + round * 100 + page)
      }
    }
    #expect(hits > lruHits + requests / 50)
  }

  @Test("a million distinct pages pass through 64 MB and never take more")
  func bound() {
    #if DEBUG
      let (pages, limit) = (40_000, 2_560_000)
    #else
      let (pages, limit) = (1_000_000, 64_000_000)
    #endif
    var cache = PageCache<Int, Int>(limit: limit)
    var highest = 0
    var random = SeededRandom(seed: 9)
    for page in 0..<pages {
      cache.store(
        page, byteCount: Int.random(in: 500...15_000, using: &random), as: Self.key(page), edition: 1,
        Self.lifetime, isAhead: false, at: Self.now)
      highest = max(highest, cache.figures.byteCount)
    }
    #expect(highest <= limit)
    #expect(highest > limit - 20_000)
    #expect(cache.figures.pages + cache.figures.evicted == pages)
  }
}
