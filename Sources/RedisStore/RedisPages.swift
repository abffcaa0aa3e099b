import EventLoop
import Gateway
import Glibc

/// Pages in Redis: each a string, head and content, that expires when the page is not to be kept any longer.
final class RedisPages: PageStore {
  /// Of what is stored of a page, what ``StoredPage/encodedHead`` is.
  private static let headCount = 38
  /// Larger ones would keep the server from its other clients.
  private static let largestPage = 16_000_000
  /// What may be on its way to the server: beyond that pages are left out, before they make everything else late.
  private static let backlog = 4_000_000
  /// How soon a page that another replica fetches is looked for, at first and at last.
  private static let firstLook = Duration.milliseconds(4)
  private static let lastLook = Duration.milliseconds(40)
  /// Keys that one step of a purge looks at.
  private static let scanCount: Int64 = 1_000

  private let link: RedisLink
  private let names: RedisNames
  private let tokens: Tokens
  private let loop: EventLoop
  private let counters: StoreCounters
  /// The claims of this replica that stand, for as long as they may.
  private var leases: [StoreKey: [UInt8]] = [:]

  init(link: RedisLink, names: RedisNames, tokens: Tokens, loop: EventLoop, counters: StoreCounters) {
    self.link = link
    self.names = names
    self.tokens = tokens
    self.loop = loop
    self.counters = counters
  }

  var isShared: Bool { true }

  // MARK: Pages

  func find(_ key: StoreKey, completion: @escaping (StoredPage?) -> Void) {
    read(key) { [counters] lookup in
      counters.count(lookup.outcome)
      completion(lookup.page)
    }
  }

  private func read(_ key: StoreKey, completion: @escaping (Lookup) -> Void) {
    let name = names.page(key)
    link.send(Command(word("GET"), name)) { [self] reply in
      switch reply {
      case .bytes(let bytes)?:
        let page = unsafe bytes.withUnsafeBytes { bytes -> StoredPage? in
          guard bytes.count >= Self.headCount else { return nil }
          return unsafe StoredPage(
            head: UnsafeRawBufferPointer(rebasing: bytes[..<Self.headCount]),
            content: UnsafeRawBufferPointer(rebasing: bytes[Self.headCount...]))
        }
        if page == nil { link.send(Command(word("DEL"), name)) }
        completion(.known(page.flatMap { $0.lifetime.keepUntil > UnixTime.milliseconds() ? $0 : nil }))
      case .nothing?: completion(.known(nil))
      default: completion(.unavailable)
      }
    }
  }

  private enum Lookup {
    case known(StoredPage?)
    case unavailable

    var page: StoredPage? { if case .known(let page) = self { page } else { nil } }

    var outcome: StoreCounters.Lookup {
      switch self {
      case .known(.some): .found
      case .known(nil): .absent
      case .unavailable: .unavailable
      }
    }
  }

  func store(_ page: StoredPage, as key: StoreKey) {
    let lease = leases.removeValue(forKey: key)
    let left = page.lifetime.keepUntil - UnixTime.milliseconds()
    guard left > 0, page.byteCount <= Self.largestPage, link.byteCount < Self.backlog else {
      counters.count(.dropped, 1)
      if let lease { give(back: lease, names.lease(key)) }
      return
    }
    let value = page.encodedHead + page.encodedContent()
    link.send(Command(word("SET"), names.page(key), value, word("PX"), word(left))) { [counters] reply in
      guard let reply, !reply.isFailure else { return counters.count(.failed, 1) }
      counters.count(.stored, 1)
    }
    // After the page: who finds the claim gone finds the page there.
    if let lease { give(back: lease, names.lease(key)) }
  }

  func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) {
    if let lease = leases.removeValue(forKey: key) { give(back: lease, names.lease(key)) }
    let left = lifetime.keepUntil - UnixTime.milliseconds()
    guard left > 0 else { return }
    let head = StoredPage.encodeHead(edition: edition, lifetime)
    link.send(Command(word("EVAL"), Script.renew, word("1"), names.page(key), head, word(left)))
  }

  // MARK: Claims

  func claim(
    _ key: StoreKey, after born: Int64?, wait: Duration, completion: @escaping (StoreClaim) -> Void
  ) {
    guard link.isReady, wait > .zero else {
      counters.count(StoreCounters.Claim.alone)
      loop.schedule(at: loop.now) { completion(.fetch(nil)) }
      return
    }
    attempt(
      Claim(key: key, born: born, wait: wait, deadline: .now + wait, completion: completion),
      next: Self.firstLook)
  }

  private struct Claim {
    let key: StoreKey
    let born: Int64?
    let wait: Duration
    let deadline: ContinuousClock.Instant
    let completion: (StoreClaim) -> Void
  }

  /// Looks for the page, and asks for the claim; both again a little later where there is neither.
  private func attempt(_ claim: Claim, next: Duration) {
    let token = tokens.next()
    let milliseconds = max(1, Int64(claim.wait / .milliseconds(1)))
    var lease: Reply?
    link.send(
      Command(word("SET"), names.lease(claim.key), token, word("NX"), word("PX"), word(milliseconds))
    ) { lease = $0 }
    // In this order: whoever had the lease before has stored the page before it gave the lease back.
    link.send(Command(word("GETRANGE"), names.page(claim.key), word("0"), word(Int64(Self.headCount - 1)))) {
      [self] reply in
      let isGranted = if case .bytes? = lease { true } else { false }
      if case .bytes(let head)? = reply, isNews(head, for: claim) {
        if isGranted { give(back: token, names.lease(claim.key)) }
        return fetched(claim, next: next)
      }
      if isGranted { return grant(claim, token) }
      guard case .nothing? = lease, .now + next < claim.deadline else {
        return end(claim, .fetch(nil), .alone)
      }
      again(claim, next: next)
    }
  }

  private func again(_ claim: Claim, next: Duration) {
    loop.schedule(at: .now + next) { [self] in attempt(claim, next: min(next * 1.5, Self.lastLook)) }
  }

  private func isNews(_ head: [UInt8], for claim: Claim) -> Bool {
    guard let born = StoredPage.born(ofHead: head) else { return false }
    return claim.born.map { born > $0 } ?? true
  }

  private func fetched(_ claim: Claim, next: Duration) {
    read(claim.key) { [self] lookup in
      guard let page = lookup.page else { return end(claim, .fetch(nil), .alone) }
      end(claim, .found(page), .awaited)
    }
  }

  private func grant(_ claim: Claim, _ token: [UInt8]) {
    leases[claim.key] = token
    // Of a claim that is over the server knows nothing either.
    loop.schedule(at: .now + claim.wait) { [weak self] in
      guard let self, leases[claim.key] == token else { return }
      leases[claim.key] = nil
    }
    end(claim, .fetch(StoreLease(key: claim.key, token: token)), .granted)
  }

  private func end(_ claim: Claim, _ outcome: StoreClaim, _ count: StoreCounters.Claim) {
    counters.count(count)
    claim.completion(outcome)
  }

  func release(_ lease: StoreLease) {
    if leases[lease.key] == lease.token { leases[lease.key] = nil }
    give(back: lease.token, names.lease(lease.key))
  }

  private func give(back token: [UInt8], _ name: [UInt8]) {
    link.send(Command(word("EVAL"), Script.release, word("1"), name, token))
  }

  // MARK: Purging

  func purge(_ extent: StoreExtent, completion: @escaping (Int?) -> Void) {
    step(names.pages(within: extent), cursor: word("0"), count: 0, completion)
  }

  /// A step of a walk through all keys, which keeps nobody waiting (SCAN).
  private func step(
    _ pattern: [UInt8], cursor: [UInt8], count: Int, _ completion: @escaping (Int?) -> Void
  ) {
    let scan = Command(word("SCAN"), cursor, word("MATCH"), pattern, word("COUNT"), word(Self.scanCount))
    link.send(scan) { [self] reply in
      guard case .array(let parts)? = reply, parts.count == 2, case .bytes(let next) = parts[0],
        case .array(let found) = parts[1]
      else { return completion(nil) }
      let keys = found.compactMap { if case .bytes(let key) = $0 { key } else { nil } }
      guard !keys.isEmpty else { return go(on: next, count) }
      link.send(Command([word("UNLINK")] + keys)) { reply in
        guard case .integer(let deleted)? = reply else { return completion(nil) }
        go(on: next, count + deleted)
      }
      func go(on next: [UInt8], _ count: Int) {
        if next == word("0") { return completion(count) }
        step(pattern, cursor: next, count: count, completion)
      }
    }
  }

  func close() { link.close() }
}

enum UnixTime {
  static func milliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
