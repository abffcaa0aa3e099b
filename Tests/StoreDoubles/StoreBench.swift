package import EventLoop
package import Gateway
import HTTPSemantics
import JSON
import Synchronization
import TestSupport

/// A store on a loop of its own, asked from a test's thread. Sound: the store is used on its loop only.
package final class StoreBench: @unchecked Sendable {
  private let loops: Loops
  package let loop: EventLoop
  private let store: any PageStore

  package init(_ make: (EventLoop) throws -> any PageStore) throws {
    loops = try Loops(count: 1)
    loop = loops.all[0]
    store = try make(loop)
    try loops.start()
  }

  deinit {
    onLoop { $0.close() }
    loops.stopAndWait()
  }

  package var isShared: Bool { store.isShared }

  /// Does `work` on the loop, and returns when it is done.
  package func onLoop(_ work: @escaping @Sendable (any PageStore) -> Void) {
    let gate = Answer<Void>()
    nonisolated(unsafe) let store = store
    loop.execute {
      work(store)
      gate.set(())
    }
    gate.wait()
  }

  package func find(_ key: StoreKey) -> StoredPage? {
    let answer = Answer<StoredPage?>()
    onLoop { store in
      let hasReturned = Flag()
      store.find(key) { page in
        precondition(hasReturned.isSet, "called back before it returned")
        answer.set(page)
      }
      hasReturned.isSet = true
    }
    return answer.wait()
  }

  package func store(_ page: StoredPage, as key: StoreKey) { onLoop { $0.store(page, as: key) } }

  package func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) {
    onLoop { $0.renew(key, edition: edition, lifetime) }
  }

  package func purge(_ extent: StoreExtent) -> Int? {
    let answer = Answer<Int?>()
    onLoop { $0.purge(extent) { answer.set($0) } }
    return answer.wait()
  }

  /// Claims, and does not wait.
  package func beginClaim(_ key: StoreKey, after born: Int64? = nil, wait: Duration) -> Answer<StoreClaim> {
    let answer = Answer<StoreClaim>()
    onLoop { $0.claim(key, after: born, wait: wait) { answer.set($0) } }
    return answer
  }

  package func claim(_ key: StoreKey, after born: Int64? = nil, wait: Duration) -> StoreClaim {
    beginClaim(key, after: born, wait: wait).wait()
  }

  package func release(_ lease: StoreLease) { onLoop { $0.release(lease) } }

  /// Looks a page up until it is as wanted, at most ten seconds.
  package func findUntil(_ key: StoreKey, _ isWanted: (StoredPage?) -> Bool) -> StoredPage? {
    for _ in 0..<1_000 {
      let page = find(key)
      if isWanted(page) { return page }
      pause(milliseconds: 10)
    }
    return find(key)
  }
}

private final class Flag { var isSet = false }

/// Something that comes once, from another thread.
package final class Answer<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)

  package init() {}

  package func set(_ value: Value) {
    self.value.withLock {
      precondition($0 == nil, "answered twice")
      $0 = value
    }
  }

  package var isThere: Bool { value.withLock { $0 != nil } }

  package func wait() -> Value {
    for _ in 0..<40_000 {
      if let value = value.withLock({ $0 }) { return value }
      pause(milliseconds: 0.5)
    }
    fatalError("no answer within 20 s")
  }
}

extension StoredPage {
  /// A page to be told apart by its text, kept for an hour.
  package static func sample(
    _ text: String, edition: UInt32 = 1, born: Int64 = unixMilliseconds(), keptFor: Int64 = 3_600_000
  ) -> StoredPage {
    sample(Array(text.utf8), edition: edition, born: born, keptFor: keptFor)
  }

  package static func sample(
    _ body: [UInt8], edition: UInt32 = 1, born: Int64 = unixMilliseconds(), keptFor: Int64 = 3_600_000
  ) -> StoredPage {
    var fields = Fields()
    fields.append(.contentType, "application/json")
    return StoredPage(
      TransportResponse(status: 200, fields: fields, body: Bytes(copying: body), redirectedTarget: nil),
      edition: edition,
      StoredLifetime(
        born: born, freshUntil: born + min(keptFor, 30_000), staleUntil: born + min(keptFor, 600_000),
        keepUntil: born + keptFor, mustRevalidate: false))
  }

  package var text: String { String(decoding: body[0..<body.count], as: UTF8.self) }
}

extension StoreKey {
  /// A key among few.
  package static func sample(list: String = "notices", series: UInt8 = 0, page: Int = 0) -> StoreKey {
    let digest = [series] + withUnsafeBytes(of: page.bigEndian) { Array($0) } + Array(list.utf8)
    return StoreKey(list: list, series: [series, 0, 0xFF], page: digest)
  }
}
