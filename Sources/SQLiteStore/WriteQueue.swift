import Gateway

/// What waits to be written: one entry a page, the newest word on it, in the order of their first arrival.
///
/// Bounded in bytes: beyond that the oldest goes unwritten.
struct WriteQueue: Sendable {
  enum Entry: Sendable {
    case page(StoredPage)
    /// The page lives on as it is.
    case renewal(edition: UInt32, StoredLifetime)
  }

  /// What an entry takes beside its page: its key, and its places.
  private static let overhead = 400

  let limit: Int
  private(set) var byteCount = 0
  private var entries: [StoreKey: Entry] = [:]
  /// From `head` on; a key that is not among the entries has been taken out.
  private var order: [StoreKey] = []
  private var head = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// What is about to be written of a page.
  func page(_ key: StoreKey) -> StoredPage? {
    if case .page(let page)? = entries[key] { page } else { nil }
  }

  /// - Returns: how many pages were dropped to make room.
  mutating func add(_ page: StoredPage, as key: StoreKey) -> Int {
    put(.page(page), as: key)
    return makeRoom()
  }

  mutating func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) -> Int {
    if case .page(var page)? = entries[key] {
      page.edition = edition
      page.lifetime = lifetime
      entries[key] = .page(page)
      return 0
    }
    put(.renewal(edition: edition, lifetime), as: key)
    return makeRoom()
  }

  /// The oldest entries, out of the queue.
  mutating func take(_ most: Int) -> [(key: StoreKey, entry: Entry)] {
    var taken: [(StoreKey, Entry)] = []
    while taken.count < most, let next = removeFirst() { taken.append(next) }
    return taken
  }

  /// - Returns: how many pages will not be written.
  mutating func purge(_ extent: StoreExtent) -> Int {
    let purged = entries.keys.filter { $0.isWithin(extent) }
    var pages = 0
    for key in purged {
      if case .page? = entries[key] { pages += 1 }
      byteCount -= cost(entries.removeValue(forKey: key))
    }
    return pages
  }

  private mutating func put(_ entry: Entry, as key: StoreKey) {
    byteCount += cost(entry)
    if let before = entries.updateValue(entry, forKey: key) {
      byteCount -= cost(before)
    } else {
      order.append(key)
    }
  }

  private mutating func makeRoom() -> Int {
    var dropped = 0
    while byteCount > limit, removeFirst() != nil { dropped += 1 }
    return dropped
  }

  private mutating func removeFirst() -> (key: StoreKey, entry: Entry)? {
    while head < order.count {
      let key = order[head]
      head += 1
      if head > 1_024 && head > order.count / 2 {
        order.removeFirst(head)
        head = 0
      }
      if let entry = entries.removeValue(forKey: key) {
        byteCount -= cost(entry)
        return (key, entry)
      }
    }
    return nil
  }

  private func cost(_ entry: Entry?) -> Int {
    switch entry {
    case .page(let page): page.byteCount + Self.overhead
    case .renewal: Self.overhead
    case nil: 0
    }
  }
}

extension StoreKey {
  func isWithin(_ extent: StoreExtent) -> Bool {
    switch extent {
    case .all: true
    case .list(let list): self.list == list
    case .series(let list, let series): self.list == list && self.series == series
    }
  }
}
