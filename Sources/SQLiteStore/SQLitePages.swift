import EventLoop
import Gateway

/// The store in a file as one loop uses it.
final class SQLitePages: PageStore {
  /// A look-up under way. Touched on the loop's thread only.
  private final class Pending {
    var completion: ((StoredPage?) -> Void)?
    var timer: Timer?

    init(_ completion: @escaping (StoredPage?) -> Void) { self.completion = completion }

    func complete(_ page: StoredPage?) -> Bool {
      guard let completion else { return false }
      self.completion = nil
      timer?.cancel()
      completion(page)
      return true
    }
  }

  private let store: SQLiteStore
  private let loop: EventLoop
  private var isClosed = false

  init(store: SQLiteStore, loop: EventLoop) {
    self.store = store
    self.loop = loop
  }

  var isShared: Bool { false }

  func find(_ key: StoreKey, completion: @escaping (StoredPage?) -> Void) {
    let pending = Pending(completion)
    guard !isClosed else { return later { _ = pending.complete(nil) } }
    // Sound: it is touched on the loop's thread only.
    nonisolated(unsafe) let confined = pending
    let counters = store.counters
    let waiting = store.find(key) { [loop] lookup in
      loop.execute { unsafe Self.end(confined, lookup, counters) }
    }
    if let waiting {
      return later { Self.end(pending, .found(waiting), counters) }
    }
    pending.timer = loop.schedule(at: .now + store.patience) { Self.end(pending, .unavailable, counters) }
  }

  private static func end(_ pending: Pending, _ lookup: StoreLookup, _ counters: StoreCounters) {
    switch lookup {
    case .found(let page): if pending.complete(page) { counters.count(StoreCounters.Lookup.found) }
    case .absent: if pending.complete(nil) { counters.count(StoreCounters.Lookup.absent) }
    case .unavailable: if pending.complete(nil) { counters.count(StoreCounters.Lookup.unavailable) }
    }
  }

  func store(_ page: StoredPage, as key: StoreKey) {
    if !isClosed { store.store(page, as: key) }
  }

  func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) {
    if !isClosed { store.renew(key, edition: edition, lifetime) }
  }

  func claim(
    _ key: StoreKey, after born: Int64?, wait: Duration, completion: @escaping (StoreClaim) -> Void
  ) {
    later { completion(.fetch(nil)) }
  }

  func release(_ lease: StoreLease) {}

  func purge(_ extent: StoreExtent, completion: @escaping (Int?) -> Void) {
    guard !isClosed else { return later { completion(nil) } }
    // Sound: it is called on the loop's thread only.
    nonisolated(unsafe) let completion = completion
    store.purge(extent) { [loop] count in loop.execute { unsafe completion(count) } }
  }

  /// The file is the process's: ``SQLiteStore/stop(within:)`` writes what waits.
  func close() { isClosed = true }

  private func later(_ action: @escaping () -> Void) { loop.schedule(at: loop.now, action) }
}
