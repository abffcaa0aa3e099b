// Layout: entries lie in one slab and name each other by their place in it; nothing is allocated for a look-up or an
// eviction. Two chains run through the slab.
//
//   keys[k] ─► failure ─► edition 7 ─► edition 5          siblings: one key's entries, newest first
//
//   newest ◄─► … ◄─► hand ◄─► … ◄─► oldest               the queue, in the order of arrival

/// Stored pages, bounded in bytes, with all that the program spends on holding them.
///
/// Which page goes when room is needed is decided by SIEVE (Zhang and others, NSDI 2024). Pages queue in the order of
/// their arrival, and a page that is read is marked where it stands. A hand walks from the oldest to the newest: it takes
/// the mark off a page that has one and evicts the first that has none; there it waits for the next time. So a page that
/// nobody reads twice is gone soon after its arrival, and a scan (a walk through a whole list, which an endless list
/// invites everybody to) pushes out what the scan brought and not what many clients read. LRU would let each walk sweep
/// the cache. Against the other policies that resist scans (ARC, LIRS, W-TinyLFU) it keeps no ghosts and no sketch, and a
/// read writes one flag, where LRU moves a page in a list: the lock of a shared cache is held that much shorter.
///
/// - SeeAlso: the hit rates beside LRU's in `PageCacheTraceTests`.
package struct PageCache<Value: Sendable, Failure: Sendable>: Sendable {
  /// A stored page, as it was found.
  package struct Held: Sendable {
    package let value: Value
    package let edition: UInt32
    package let lifetime: Lifetime
    /// Whether this is the first look at a page that was fetched ahead.
    package let isFirstUse: Bool
  }

  package struct Found: Sendable {
    package var page: Held?
    /// How the last attempt to fetch the page ended, when that was a failure of a moment ago.
    package var failure: Failure?
  }

  package struct Figures: Sendable, Hashable {
    package var pages = 0
    package var failures = 0
    /// What entries take, the accounting for their overhead included.
    package var byteCount = 0
    /// Entries that made room for others.
    package var evicted = 0
    /// Entries whose time was over.
    package var expired = 0
    package var purged = 0
    /// Pages too large to be stored.
    package var refused = 0
    /// Pages that were fetched ahead, and went unread.
    package var wasted = 0

    package init() {}
  }

  private enum Content: Sendable {
    case vacant
    case page(Value)
    case failure(Failure)
  }

  private struct Entry: Sendable {
    var key: PageKey
    var content: Content
    /// Of a failure, the highest there is: it stands first among its siblings.
    var edition: UInt32
    var lifetime: Lifetime
    var byteCount: Int
    /// The neighbours in the queue; of a vacant entry, `older` is the next vacant one.
    var older: Int32 = none
    var newer: Int32 = none
    var sibling: Int32 = none
    var isVisited = false
    var isAhead = false
  }

  private static var none: Int32 { -1 }
  /// Editions of one page: beyond these the oldest goes.
  private static var editionLimit: Int { 3 }
  private static var failureEdition: UInt32 { .max }

  /// What an entry takes beside the value: the slab and the dictionary, whose arrays may be twice and three times as long
  /// as what is in them, and the allocation of the key's bytes.
  package static var overhead: Int {
    2 * MemoryLayout<Entry>.stride + 3 * (MemoryLayout<PageKey>.stride + MemoryLayout<Int32>.stride + 1) + 48
  }

  /// In bytes.
  package let limit: Int
  /// Larger pages are not stored: one of them would push out a good part of all others.
  package var largest: Int { limit / 8 }
  package private(set) var figures = Figures()

  private var keys: [PageKey: Int32] = [:]
  private var entries: [Entry] = []
  private var vacant = none
  private var newest = none
  private var oldest = none
  /// Where the hand stands; ``none`` when it starts again at the oldest.
  private var hand = none

  package init(limit: Int) {
    precondition(limit > 0)
    self.limit = limit
  }

  // MARK: Reading

  /// What is held of a page.
  ///
  /// - Parameter edition: the page of this edition is preferred, else the newest that is held is found.
  package mutating func find(
    _ key: PageKey, preferring edition: UInt32?, at now: ContinuousClock.Instant
  ) -> Found {
    var found = Found()
    var best = Self.none
    var next = keys[key] ?? Self.none
    while next != Self.none {
      let index = next
      next = entries[Int(index)].sibling
      if entries[Int(index)].lifetime.keepUntil <= now {
        expire(index)
        continue
      }
      if case .failure(let failure) = entries[Int(index)].content {
        found.failure = failure
        entries[Int(index)].isVisited = true
      } else if best == Self.none || entries[Int(index)].edition == edition {
        best = index
      }
    }
    if best != Self.none { found.page = use(Int(best)) }
    return found
  }

  /// What is held of a page and may be served, without a reader: it leaves no trace.
  package func peek(_ key: PageKey, preferring edition: UInt32?, at now: ContinuousClock.Instant) -> Held? {
    var best: Held?
    var next = keys[key] ?? Self.none
    while next != Self.none {
      let entry = entries[Int(next)]
      next = entry.sibling
      guard case .page(let value) = entry.content, entry.lifetime.keepUntil > now else { continue }
      if best == nil || entry.edition == edition {
        best = Held(value: value, edition: entry.edition, lifetime: entry.lifetime, isFirstUse: entry.isAhead)
      }
    }
    return best
  }

  private mutating func use(_ index: Int) -> Held? {
    guard case .page(let value) = entries[index].content else { return nil }
    let isFirstUse = entries[index].isAhead
    entries[index].isVisited = true
    if isFirstUse { entries[index].isAhead = false }
    return Held(
      value: value, edition: entries[index].edition, lifetime: entries[index].lifetime, isFirstUse: isFirstUse
    )
  }

  // MARK: Writing

  /// Stores a page in the place of what is held of its edition, and forgets the page's failure.
  ///
  /// - Parameter byteCount: what the value takes.
  /// - Parameter isAhead: whether nobody has asked for the page yet.
  /// - Returns: whether it is held now.
  @discardableResult
  package mutating func store(
    _ value: Value, byteCount: Int, as key: PageKey, edition: UInt32, _ lifetime: Lifetime, isAhead: Bool,
    at now: ContinuousClock.Instant
  ) -> Bool {
    precondition(edition < Self.failureEdition, "an edition must leave room for failures")
    drop(key, edition: Self.failureEdition)
    return insert(
      Entry(
        key: key, content: .page(value), edition: edition, lifetime: lifetime,
        byteCount: cost(byteCount, key), isAhead: isAhead), at: now)
  }

  /// Remembers that the page could not be had. What is held of the page stays.
  package mutating func storeFailure(
    _ failure: Failure, byteCount: Int, as key: PageKey, until end: ContinuousClock.Instant,
    at now: ContinuousClock.Instant
  ) {
    let lifetime = Lifetime(born: now, freshUntil: end, staleUntil: end, keepUntil: end, mustRevalidate: true)
    insert(
      Entry(
        key: key, content: .failure(failure), edition: Self.failureEdition, lifetime: lifetime,
        byteCount: cost(byteCount, key)), at: now)
  }

  /// The page of this edition was found unchanged: it lives on from now.
  ///
  /// - Returns: whether it is still held.
  @discardableResult
  package mutating func renew(_ key: PageKey, edition: UInt32, _ lifetime: Lifetime) -> Bool {
    drop(key, edition: Self.failureEdition)
    guard let index = find(key, edition) else { return false }
    entries[Int(index)].lifetime = lifetime
    return true
  }

  private func cost(_ byteCount: Int, _ key: PageKey) -> Int { byteCount + key.bytes.count + Self.overhead }

  @discardableResult
  private mutating func insert(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
    var entry = entry
    if let index = find(entry.key, entry.edition) {
      // A page that is renewed keeps what readers thought of it.
      entry.isVisited = entries[Int(index)].isVisited
      remove(index)
    }
    guard entry.byteCount <= largest, entry.lifetime.keepUntil > now else {
      figures.refused += 1
      return false
    }
    while figures.byteCount + entry.byteCount > limit { evict(at: now) }
    link(entry)
    limitEditions(of: entry.key)
    return find(entry.key, entry.edition) != nil
  }

  // MARK: Purging

  /// Drops every page of every series of a list.
  package mutating func purge(list: UInt32) -> Int { purge { $0.list == list } }

  /// Drops every page of the series that begin with these bytes.
  package mutating func purge(list: UInt32, seriesBeginning prefix: [UInt8]) -> Int {
    purge { $0.list == list && $0.series.starts(with: prefix) }
  }

  /// Drops every page of one series.
  package mutating func purge(list: UInt32, series: [UInt8]) -> Int {
    purge { $0.list == list && $0.series.elementsEqual(series) }
  }

  /// Drops one page.
  package mutating func purge(_ key: PageKey) -> Int {
    var count = 0
    while let index = keys[key] {
      remove(index)
      count += 1
    }
    figures.purged += count
    return count
  }

  package mutating func purgeAll() -> Int { purge { _ in true } }

  private mutating func purge(where isPurged: (PageKey) -> Bool) -> Int {
    var count = 0
    var next = oldest
    while next != Self.none {
      let index = next
      next = entries[Int(index)].newer
      guard isPurged(entries[Int(index)].key) else { continue }
      remove(index)
      count += 1
    }
    figures.purged += count
    return count
  }

  // MARK: The queue

  /// Moves the hand to the first entry without a mark, and drops it.
  private mutating func evict(at now: ContinuousClock.Instant) {
    while true {
      let index = hand == Self.none ? oldest : hand
      precondition(index != Self.none, "the bytes of an empty cache are not zero")
      if entries[Int(index)].lifetime.keepUntil <= now { return expire(index) }
      if !entries[Int(index)].isVisited {
        figures.evicted += 1
        return remove(index)
      }
      entries[Int(index)].isVisited = false
      hand = entries[Int(index)].newer
    }
  }

  private mutating func expire(_ index: Int32) {
    figures.expired += 1
    remove(index)
  }

  private mutating func drop(_ key: PageKey, edition: UInt32) {
    if let index = find(key, edition) { remove(index) }
  }

  private func find(_ key: PageKey, _ edition: UInt32) -> Int32? {
    var index = keys[key] ?? Self.none
    while index != Self.none, entries[Int(index)].edition > edition { index = entries[Int(index)].sibling }
    return index != Self.none && entries[Int(index)].edition == edition ? index : nil
  }

  /// Puts a new entry at the queue's newest end, and among its siblings by its edition.
  private mutating func link(_ entry: Entry) {
    var entry = entry
    entry.older = newest
    let index: Int32
    if vacant == Self.none {
      index = Int32(entries.count)
      entries.append(entry)
    } else {
      index = vacant
      vacant = entries[Int(index)].older
      entries[Int(index)] = entry
    }
    if newest == Self.none { oldest = index } else { entries[Int(newest)].newer = index }
    newest = index
    count(entry, 1)
    linkSibling(index)
  }

  private mutating func linkSibling(_ index: Int32) {
    let (key, edition) = (entries[Int(index)].key, entries[Int(index)].edition)
    var before = Self.none
    var next = keys[key] ?? Self.none
    while next != Self.none, entries[Int(next)].edition > edition {
      before = next
      next = entries[Int(next)].sibling
    }
    entries[Int(index)].sibling = next
    if before == Self.none { keys[key] = index } else { entries[Int(before)].sibling = index }
  }

  /// Drops the oldest edition of a page where there is one too many.
  private mutating func limitEditions(of key: PageKey) {
    var count = 0
    var last = Self.none
    var next = keys[key] ?? Self.none
    while next != Self.none {
      last = next
      if entries[Int(next)].edition != Self.failureEdition { count += 1 }
      next = entries[Int(next)].sibling
    }
    guard count > Self.editionLimit else { return }
    figures.evicted += 1
    remove(last)
  }

  private mutating func remove(_ index: Int32) {
    let entry = entries[Int(index)]
    if hand == index { hand = entry.newer }
    if entry.older == Self.none {
      oldest = entry.newer
    } else {
      entries[Int(entry.older)].newer = entry.newer
    }
    if entry.newer == Self.none {
      newest = entry.older
    } else {
      entries[Int(entry.newer)].older = entry.older
    }
    unlinkSibling(index, entry)
    count(entry, -1)
    if entry.isAhead { figures.wasted += 1 }
    entries[Int(index)] = Entry(
      key: PageKey(list: 0, bytes: [], seriesCount: 0, hash: 0), content: .vacant, edition: 0,
      lifetime: entry.lifetime, byteCount: 0, older: vacant)
    vacant = index
  }

  private mutating func unlinkSibling(_ index: Int32, _ entry: Entry) {
    var before = keys[entry.key] ?? Self.none
    if before == index {
      keys[entry.key] = entry.sibling == Self.none ? nil : entry.sibling
      return
    }
    while entries[Int(before)].sibling != index { before = entries[Int(before)].sibling }
    entries[Int(before)].sibling = entry.sibling
  }

  private mutating func count(_ entry: Entry, _ sign: Int) {
    figures.byteCount += sign * entry.byteCount
    if case .failure = entry.content { figures.failures += sign } else { figures.pages += sign }
  }
}
