package import EventLoop
package import Gateway
import Glibc
import Synchronization
package import Telemetry

/// Stored pages in a file: one for the process, with a thread of its own that alone touches the file.
///
/// Pages are written behind, in batches: a page that comes again before its turn is written once. A look-up goes before
/// whatever waits to be written. The thread gives way to the loops (setpriority(2)).
package final class SQLiteStore: Sendable {
  /// What may wait to be written, in bytes.
  private static let queueLimit = 32_000_000
  /// How long a first page waits for others to be written with it.
  private static let gathering = Duration.milliseconds(50)
  /// Pages written at once: look-ups wait for as long as that takes.
  private static let batch = 32
  private static let lookupLimit = 10_000

  struct Lookup: Sendable {
    let key: StoreKey
    let answer: @Sendable (StoreLookup) -> Void
  }

  private struct Purge: Sendable {
    let extent: StoreExtent
    let waiting: Int
    let answer: @Sendable (Int?) -> Void
  }

  private struct Inbox: Sendable {
    var writes = WriteQueue(limit: SQLiteStore.queueLimit)
    var lookups: [Lookup] = []
    var purges: [Purge] = []
    /// When the first of what waits to be written came.
    var gatheringSince: ContinuousClock.Instant?
    var isSignalled = false
    var isStopping = false
  }

  /// How long a look-up may take.
  let patience: Duration
  let counters: StoreCounters
  private let inbox = Mutex(Inbox())
  private let hasWork = Semaphore()
  private let hasEnded = Semaphore()
  private let largestPage: Int
  private let makeKeeper: @Sendable () -> PageKeeper

  /// Starts the thread, which opens the file: nothing waits for that, and nothing that is wrong with the file is said here.
  ///
  /// - Parameters:
  ///   - limit: what the pages may take in the file, in bytes; its log takes up to 4 MiB more.
  ///   - patience: how long a look-up may take: a disk that is slower is no help.
  ///   - makeLog: called on the store's thread.
  package init(
    path: String, limit: Int, patience: Duration, counters: StoreCounters,
    makeLog: @escaping @Sendable () -> Log
  ) {
    self.counters = counters
    self.patience = patience
    // One page is not to push out a good part of all others.
    largestPage = limit / 8
    makeKeeper = { PageKeeper(path: path, limit: limit, counters: counters, log: makeLog()) }
    counters.readWaiting { [weak self] in
      guard let self else { return StoreCounters.Waiting(pages: 0, bytes: 0) }
      return inbox.withLock { StoreCounters.Waiting(pages: $0.writes.count, bytes: $0.writes.byteCount) }
    }
    var thread = pthread_t()
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, SQLiteStore.body, context)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(code == 0, "no thread for the store")
    pthread_detach(thread)
  }

  /// The store as a loop uses it.
  package func pages(on loop: EventLoop) -> any PageStore { SQLitePages(store: self, loop: loop) }

  /// Writes what waits, and ends the thread.
  ///
  /// - Returns: whether all was done in time.
  @discardableResult
  package func stop(within limit: Duration) -> Bool {
    send { $0.isStopping = true }
    return hasEnded.wait(atMost: limit)
  }

  // MARK: From any thread

  func store(_ page: StoredPage, as key: StoreKey) {
    guard page.byteCount <= largestPage else { return counters.count(.dropped, 1) }
    write { $0.add(page, as: key) }
  }

  func renew(_ key: StoreKey, edition: UInt32, _ lifetime: StoredLifetime) {
    write { $0.renew(key, edition: edition, lifetime) }
  }

  private func write(_ change: (inout WriteQueue) -> Int) {
    var dropped = 1
    send { inbox in
      if inbox.isStopping { return }
      dropped = change(&inbox.writes)
      // The thread is to know that it has to wake up in a moment.
      if inbox.gatheringSince == nil { inbox.gatheringSince = .now }
    }
    counters.count(.dropped, dropped)
  }

  /// - Returns: the page where it is about to be written, and needs no look-up.
  func find(_ key: StoreKey, answer: @escaping @Sendable (StoreLookup) -> Void) -> StoredPage? {
    let (page, isTaken) = inbox.withLock { inbox -> (StoredPage?, Bool) in
      if let page = inbox.writes.page(key) { return (page, true) }
      guard inbox.lookups.count < Self.lookupLimit, !inbox.isStopping else { return (nil, false) }
      inbox.lookups.append(Lookup(key: key, answer: answer))
      return (nil, true)
    }
    if page != nil { return page }
    if isTaken { send { _ in } } else { answer(.unavailable) }
    return nil
  }

  func purge(_ extent: StoreExtent, answer: @escaping @Sendable (Int?) -> Void) {
    send { inbox in
      let waiting = inbox.writes.purge(extent)
      inbox.purges.append(Purge(extent: extent, waiting: waiting, answer: answer))
    }
  }

  private func send(_ change: (inout Inbox) -> Void) {
    let mustSignal = inbox.withLock { inbox in
      change(&inbox)
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal { hasWork.signal() }
  }

  // MARK: The thread

  private func run() {
    // Of this thread alone, as Linux has it.
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    let keeper = makeKeeper()
    keeper.open()
    var isStopping = false
    while !isStopping {
      if let wait = untilWriting(keeper) { _ = hasWork.wait(atMost: wait) } else { hasWork.wait() }
      isStopping = inbox.withLock { inbox in
        inbox.isSignalled = false
        return inbox.isStopping
      }
      serve(keeper)
      while isStopping || isTimeToWrite(keeper), writeBatch(keeper) { serve(keeper) }
      keeper.endTurn()
    }
    keeper.close()
    serve(keeper)
    keeper.endTurn()
    hasEnded.signal()
  }

  private func serve(_ keeper: PageKeeper) {
    let (lookups, purges) = inbox.withLock { inbox in
      defer {
        inbox.lookups.removeAll(keepingCapacity: true)
        inbox.purges.removeAll()
      }
      return (inbox.lookups, inbox.purges)
    }
    for lookup in lookups { lookup.answer(keeper.find(lookup.key)) }
    for purge in purges { purge.answer(keeper.purge(purge.extent).map { $0 + purge.waiting }) }
  }

  /// - Returns: whether there was anything.
  private func writeBatch(_ keeper: PageKeeper) -> Bool {
    let batch = inbox.withLock { inbox in
      let batch = inbox.writes.take(Self.batch)
      if inbox.writes.isEmpty { inbox.gatheringSince = nil }
      return batch
    }
    if batch.isEmpty { return false }
    keeper.write(batch)
    return true
  }

  private func isTimeToWrite(_ keeper: PageKeeper) -> Bool {
    untilWriting(keeper).map { $0 <= .zero } ?? false
  }

  /// Nil while nothing waits to be written.
  private func untilWriting(_ keeper: PageKeeper) -> Duration? {
    guard let since = inbox.withLock(\.gatheringSince) else { return nil }
    return max(.zero, ContinuousClock.now.duration(to: max(since + Self.gathering, keeper.writesFrom)))
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<SQLiteStore>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
