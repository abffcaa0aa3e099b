import Caching

/// What a page cache does, written for the eye: one array, oldest first, and a name for where the hand stands.
struct CacheModel {
  struct Entry {
    let id: Int
    let key: PageKey
    /// Nil for a failure.
    let edition: UInt32?
    let value: Int
    let keepUntil: ContinuousClock.Instant
    let byteCount: Int
    var isVisited = false
    var isAhead = false
  }

  let limit: Int
  var queue: [Entry] = []
  var hand: Int?
  var figures = PageCache<Int, Int>.Figures()
  private var lastID = 0

  init(limit: Int) { self.limit = limit }

  mutating func find(_ key: PageKey, preferring edition: UInt32?, at now: ContinuousClock.Instant) -> (
    page: Entry?, failure: Int?
  ) {
    for entry in queue where entry.key == key && entry.keepUntil <= now {
      remove(entry.id)
      figures.expired += 1
    }
    let failure = queue.first { $0.key == key && $0.edition == nil }
    let pages = queue.filter { $0.key == key && $0.edition != nil }
    let page = pages.first { $0.edition == edition } ?? pages.max { ($0.edition ?? 0) < ($1.edition ?? 0) }
    for index in queue.indices where queue[index].id == failure?.id || queue[index].id == page?.id {
      queue[index].isVisited = true
      queue[index].isAhead = false
    }
    return (page, failure?.value)
  }

  /// - Parameter edition: nil for a failure.
  mutating func store(
    _ value: Int, byteCount: Int, as key: PageKey, edition: UInt32?, until end: ContinuousClock.Instant,
    isAhead: Bool, at now: ContinuousClock.Instant
  ) -> Bool {
    if edition != nil { forgetFailure(of: key) }
    let same = queue.first { $0.key == key && $0.edition == edition }
    if let same { remove(same.id) }
    let cost = byteCount + key.bytes.count + PageCache<Int, Int>.overhead
    if cost > limit / 8 || end <= now {
      figures.refused += 1
      return false
    }
    while queue.reduce(0, { $0 + $1.byteCount }) + cost > limit { evict(at: now) }
    lastID += 1
    queue.append(
      Entry(
        id: lastID, key: key, edition: edition, value: value, keepUntil: end, byteCount: cost,
        isVisited: same?.isVisited ?? false, isAhead: isAhead))
    let editions = queue.filter { $0.key == key && $0.edition != nil }
    if editions.count > 3, let last = editions.min(by: { ($0.edition ?? 0) < ($1.edition ?? 0) }) {
      remove(last.id)
      figures.evicted += 1
      return last.id != lastID
    }
    return true
  }

  mutating func renew(_ key: PageKey, edition: UInt32, until end: ContinuousClock.Instant) -> Bool {
    forgetFailure(of: key)
    guard let index = queue.firstIndex(where: { $0.key == key && $0.edition == edition }) else {
      return false
    }
    let old = queue[index]
    queue[index] = Entry(
      id: old.id, key: key, edition: edition, value: old.value, keepUntil: end, byteCount: old.byteCount,
      isVisited: old.isVisited, isAhead: old.isAhead)
    return true
  }

  mutating func purge(where isPurged: (PageKey) -> Bool) -> Int {
    let purged = queue.filter { isPurged($0.key) }
    for entry in purged { remove(entry.id) }
    figures.purged += purged.count
    return purged.count
  }

  /// The figures that are counted from what is there.
  var counted: PageCache<Int, Int>.Figures {
    var counted = figures
    counted.pages = queue.count { $0.edition != nil }
    counted.failures = queue.count { $0.edition == nil }
    counted.byteCount = queue.reduce(0) { $0 + $1.byteCount }
    return counted
  }

  private mutating func forgetFailure(of key: PageKey) {
    if let failure = queue.first(where: { $0.key == key && $0.edition == nil }) { remove(failure.id) }
  }

  private mutating func evict(at now: ContinuousClock.Instant) {
    while true {
      let index = queue.firstIndex { $0.id == hand } ?? 0
      if queue[index].keepUntil <= now {
        figures.expired += 1
        return remove(queue[index].id)
      }
      if !queue[index].isVisited {
        figures.evicted += 1
        return remove(queue[index].id)
      }
      queue[index].isVisited = false
      hand = index + 1 < queue.count ? queue[index + 1].id : nil
    }
  }

  private mutating func remove(_ id: Int) {
    guard let index = queue.firstIndex(where: { $0.id == id }) else { return }
    if hand == id { hand = index + 1 < queue.count ? queue[index + 1].id : nil }
    if queue[index].isAhead { figures.wasted += 1 }
    queue.remove(at: index)
  }
}
