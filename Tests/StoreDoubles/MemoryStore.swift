package import EventLoop
package import Gateway
import Glibc

/// A store in memory, which outlives the gateways that use it: for tests. One for each loop; those that share a `Memory`
/// are replicas at one store.
package final class MemoryStore: PageStore {
  /// What is stored. One thread uses it.
  package final class Memory {
    package var pages: [StoreKey: StoredPage] = [:]
    package var leases: [StoreKey: (token: [UInt8], until: ContinuousClock.Instant)] = [:]
    package fileprivate(set) var lookups: [StoreKey] = []
    /// Whether nothing can be reached: everything is done in vain.
    package var isAway = false
    /// Unix milliseconds.
    package var clock: () -> Int64 = MemoryStore.unixMilliseconds
    fileprivate var waiting: [StoreKey: [() -> Void]] = [:]
    fileprivate var lastToken = 0

    package init() {}

    fileprivate func wake(_ key: StoreKey) {
      for waiter in waiting.removeValue(forKey: key) ?? [] { waiter() }
    }
  }

  package let isShared: Bool
  package let memory: Memory
  private let loop: EventLoop

  package init(_ memory: Memory, loop: EventLoop, isShared: Bool) {
    self.memory = memory
    self.loop = loop
    self.isShared = isShared
  }

  package func find(_ key: StoreKey, completion: @escaping (StoredPage?) -> Void) {
    memory.lookups.append(key)
    later { [memory] in
      let page = memory.isAway ? nil : memory.pages[key]
      completion(page.flatMap { $0.lifetime.keepUntil > memory.clock() ? $0 : nil })
    }
  }

  package func store(_ page: StoredPage, as key: StoreKey) {
    if memory.isAway { return }
    memory.pages[key] = page
    memory.leases[key] = nil
    memory.wake(key)
  }

  package func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) {
    if memory.isAway { return }
    memory.pages[key]?.edition = edition
    memory.pages[key]?.lifetime = lifetime
  }

  package func claim(
    _ key: StoreKey, after born: Int64?, wait: Duration, completion: @escaping (StoreClaim) -> Void
  ) {
    attempt(key, after: born, wait: wait, until: loop.now + wait, completion)
  }

  private func attempt(
    _ key: StoreKey, after born: Int64?, wait: Duration, until deadline: ContinuousClock.Instant,
    _ completion: @escaping (StoreClaim) -> Void
  ) {
    later { [self] in
      if memory.isAway || !isShared { return completion(.fetch(nil)) }
      if let page = memory.pages[key], page.lifetime.born > born ?? .min { return completion(.found(page)) }
      guard let lease = memory.leases[key], lease.until > loop.now else {
        memory.lastToken += 1
        let token = Array(String(memory.lastToken).utf8)
        memory.leases[key] = (token, loop.now + wait)
        return completion(.fetch(StoreLease(key: key, token: token)))
      }
      if loop.now >= deadline { return completion(.fetch(nil)) }
      var timer: Timer?
      var isWoken = false
      let wake = { [self] in
        if isWoken { return }
        isWoken = true
        timer?.cancel()
        attempt(key, after: born, wait: wait, until: deadline, completion)
      }
      memory.waiting[key, default: []].append(wake)
      timer = loop.schedule(at: min(lease.until, deadline), wake)
    }
  }

  package func release(_ lease: StoreLease) {
    guard memory.leases[lease.key]?.token == lease.token else { return }
    memory.leases[lease.key] = nil
    memory.wake(lease.key)
  }

  package func purge(_ extent: StoreExtent, completion: @escaping (Int?) -> Void) {
    let before = memory.pages.count
    if !memory.isAway {
      switch extent {
      case .all: memory.pages.removeAll()
      case .list(let list): memory.pages = memory.pages.filter { $0.key.list != list }
      case .series(let list, let series):
        memory.pages = memory.pages.filter { $0.key.list != list || $0.key.series != series }
      }
    }
    let count = memory.isAway ? nil : before - memory.pages.count
    later { completion(count) }
  }

  package func close() {}

  private func later(_ action: @escaping () -> Void) {
    loop.schedule(at: loop.now, action)
  }

  fileprivate static func unixMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
