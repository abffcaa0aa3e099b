import Testing

@testable import Caching

@Suite("Page cache")
struct PageCacheTests {
  private let now = ContinuousClock.now
  private var cache = PageCache<String, String>(limit: 1_000_000)

  private func key(_ page: UInt8, series: [UInt8] = [1], list: UInt32 = 0) -> PageKey {
    PageKey(list: list, series: series, page: [page])
  }

  private func lifetime(keep: Duration = .seconds(60)) -> Lifetime {
    CacheTerms(fresh: .seconds(1), stale: .seconds(1), keep: keep, failure: .seconds(1)).lifetime(from: now)
  }

  @Test("a page whose hash is another's is another page")
  mutating func collision() {
    let one = PageKey(list: 0, bytes: [1, 2], seriesCount: 1, hash: 5)
    let others = [
      PageKey(list: 0, bytes: [1, 3], seriesCount: 1, hash: 5),
      PageKey(list: 1, bytes: [1, 2], seriesCount: 1, hash: 5),
      // The same bytes, parted elsewhere: a client's scope must not run into its page.
      PageKey(list: 0, bytes: [1, 2], seriesCount: 2, hash: 5),
    ]
    cache.store("one", byteCount: 3, as: one, edition: 1, lifetime(), isAhead: false, at: now)
    for other in others { #expect(cache.find(other, preferring: nil, at: now).page == nil) }
    #expect(cache.find(one, preferring: nil, at: now).page?.value == "one")
  }

  @Test("equal keys that were made apart are one")
  func equalKeys() {
    #expect(key(3) == key(3) && key(3).hash == key(3).hash)
    #expect(key(3) != PageKey(list: 0, series: [], page: [1, 3]))
  }

  @Test("a walk's own edition is found beside a newer one, and the newest where its own is gone")
  mutating func editions() {
    for edition in [5, 7] as [UInt32] {
      cache.store(
        "\(edition)", byteCount: 1, as: key(1), edition: edition, lifetime(), isAhead: false, at: now)
    }
    #expect(cache.find(key(1), preferring: 5, at: now).page?.value == "5")
    #expect(cache.find(key(1), preferring: nil, at: now).page?.value == "7")
    #expect(cache.find(key(1), preferring: 6, at: now).page?.value == "7")
  }

  @Test("a failure stands beside the page that is held, ends by itself, and by a page that comes")
  mutating func failures() {
    cache.store("page", byteCount: 4, as: key(1), edition: 1, lifetime(), isAhead: false, at: now)
    cache.storeFailure("down", byteCount: 4, as: key(1), until: now + .seconds(2), at: now)
    let found = cache.find(key(1), preferring: nil, at: now + .seconds(1))
    #expect(found.page?.value == "page" && found.failure == "down")
    #expect(cache.find(key(1), preferring: nil, at: now + .seconds(2)).failure == nil)
    cache.storeFailure("down", byteCount: 4, as: key(1), until: now + .seconds(2), at: now)
    cache.store("new", byteCount: 4, as: key(1), edition: 1, lifetime(), isAhead: false, at: now)
    #expect(cache.find(key(1), preferring: nil, at: now).failure == nil)
    #expect(cache.figures.failures == 0 && cache.figures.pages == 1)
  }

  @Test("a page is held to the last instant of its time, and not at the next")
  mutating func keeps() {
    cache.store("page", byteCount: 4, as: key(1), edition: 1, lifetime(), isAhead: false, at: now)
    #expect(cache.find(key(1), preferring: nil, at: now + .seconds(60) - .nanoseconds(1)).page != nil)
    #expect(cache.find(key(1), preferring: nil, at: now + .seconds(60)).page == nil)
    #expect(cache.figures.expired == 1 && cache.figures.byteCount == 0)
  }

  @Test("a page fetched ahead is used once, and wasted when it goes unread")
  mutating func ahead() {
    for page in [1, 2] as [UInt8] {
      cache.store("page", byteCount: 4, as: key(page), edition: 1, lifetime(), isAhead: true, at: now)
    }
    #expect(cache.find(key(1), preferring: nil, at: now).page?.isFirstUse == true)
    #expect(cache.find(key(1), preferring: nil, at: now).page?.isFirstUse == false)
    #expect(cache.purgeAll() == 2)
    #expect(cache.figures.wasted == 1)
  }

  @Test("a page that would push out a good part of the rest is not stored")
  mutating func tooLarge() {
    let isHeld = cache.store(
      "page", byteCount: cache.largest + 1, as: key(1), edition: 1, lifetime(), isAhead: false, at: now)
    #expect(!isHeld && cache.figures.refused == 1 && cache.figures.byteCount == 0)
  }
}
