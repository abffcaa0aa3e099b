import Gateway
import Telemetry

/// What the store's thread does: it keeps the file open, and opens it again when it was lost.
///
///     closed ─► open ─► closed      (until it is tried again, later each time)
///
/// Nothing that goes wrong here is anybody else's: a look-up finds nothing, and what cannot be written is counted.
final class PageKeeper {
  private enum State {
    case closed(until: ContinuousClock.Instant)  // to: open
    case open(PageFile, FileSet)  // to: closed
  }

  private static let shortestPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(60)
  private static let logInterval = Duration.seconds(30)

  private let path: String
  private let limit: Int
  private let counters: StoreCounters
  private let log: Log
  private var state = State.closed(until: .now)
  private var pause = shortestPause
  /// Nothing is written before; what is known can be read meanwhile.
  private var writesAgain = ContinuousClock.now
  private var lastComplaint: ContinuousClock.Instant?
  private var silentComplaints = 0
  private var wasUp: Bool?

  init(path: String, limit: Int, counters: StoreCounters, log: Log) {
    self.path = path
    self.limit = limit
    self.counters = counters
    self.log = log
  }

  // MARK: What is asked of it

  func find(_ key: StoreKey) -> StoreLookup {
    switch attempt({ file throws(SQLiteFailure) in try file.find(key, now: UnixTime.milliseconds()) }) {
    case nil: .unavailable
    case .some(nil): .absent
    case .some(let page?): .found(page)
    }
  }

  /// - Returns: whether they were written, or will never be.
  func write(_ batch: [(key: StoreKey, entry: WriteQueue.Entry)]) {
    let now = UnixTime.milliseconds()
    let pageCount = batch.count { if case .page = $0.entry { true } else { false } }
    reopenIfLost()
    let evicted = attempt { file throws(SQLiteFailure) in
      if file.isReadOnly { throw SQLiteFailure(.readOnly, "the file cannot be written to") }
      return try file.write { () throws(SQLiteFailure) in
        var evicted = 0
        for (key, entry) in batch {
          switch entry {
          case .page(let page): evicted += try file.put(page, as: key, now: now)
          case .renewal(let edition, let lifetime):
            try file.renew(key, edition: edition, lifetime, now: now)
          }
        }
        try file.removeExpired(now: now)
        return evicted
      }
    }
    guard let evicted else { return counters.count(.failed, pageCount) }
    counters.count(.stored, pageCount)
    counters.countEvicted(evicted)
    pause = Self.shortestPause
    publish()
  }

  func purge(_ extent: StoreExtent) -> Int? {
    reopenIfLost()
    let count = attempt { file throws(SQLiteFailure) in
      try file.write { () throws(SQLiteFailure) in try file.purge(extent) }
    }
    publish()
    return count
  }

  /// When writing is worth a try.
  var writesFrom: ContinuousClock.Instant {
    if case .closed(let until) = state { max(until, writesAgain) } else { writesAgain }
  }

  /// Opens the file where it is closed and that is worth a try.
  func open() { _ = attempt { _ throws(SQLiteFailure) in () } }

  func close() { state = .closed(until: .now + .seconds(86_400)) }

  func endTurn() { log.endTurn() }

  // MARK: Trying

  /// - Returns: nil where the file is not to be had, or failed.
  private func attempt<R>(_ work: (PageFile) throws(SQLiteFailure) -> R) -> R? {
    do throws(SQLiteFailure) {
      return try work(try file())
    } catch {
      take(error)
      return nil
    }
  }

  private func file() throws(SQLiteFailure) -> PageFile {
    switch state {
    case .open(let file, _): return file
    case .closed(let until):
      if ContinuousClock.now < until { throw SQLiteFailure(.closed, "") }
      let file = try PageFile.open(path, limit: limit)
      state = .open(file, FileSet(path))
      report(isUp: true, file)
      publish()
      return file
    }
  }

  /// Files that somebody has deleted or replaced are not written to.
  private func reopenIfLost() {
    guard case .open(let file, let files) = state, !file.isReadOnly, !files.isInPlace else { return }
    complain("stored pages: the file was deleted or replaced", SQLiteFailure(.other, path))
    state = .closed(until: .now)
  }

  private func take(_ failure: SQLiteFailure) {
    let now = ContinuousClock.now
    switch failure.kind {
    case .closed: return
    case .corrupt:
      complain("stored pages: the file is corrupt", failure)
      state = .closed(until: now)
      setAside(at: now)
    case .full:
      complain("stored pages: no room", failure)
      rest(at: now)
      writesAgain = now + pause
    case .readOnly:
      complain("stored pages: the file cannot be written to", failure)
      rest(at: now)
      writesAgain = now + pause
      // Opened again, so that it is found out when it can be.
      state = .closed(until: now)
    case .foreign, .other:
      complain("stored pages: the file cannot be used", failure)
      rest(at: now)
      state = .closed(until: now + pause)
      report(isUp: false, nil)
    }
  }

  private func rest(at now: ContinuousClock.Instant) {
    counters.countError()
    pause = min(pause * 2, Self.longestPause)
  }

  private func setAside(at now: ContinuousClock.Instant) {
    counters.countError()
    guard let name = FileSet.setAside(path, now: UnixTime.milliseconds()) else {
      pause = min(pause * 2, Self.longestPause)
      state = .closed(until: now + pause)
      return report(isUp: false, nil)
    }
    counters.countSetAside()
    log.error("stored pages: a corrupt file was set aside") { $0.field("file", name) }
    do throws(SQLiteFailure) {
      _ = try file()
    } catch {
      // A new file that is corrupt, too, is a matter of the next attempt.
      if error.kind != .corrupt { take(error) }
    }
  }

  // MARK: Telling

  private func publish() {
    guard case .open(let file, _) = state else { return counters.publish(isUp: false, pages: 0, bytes: 0) }
    do throws(SQLiteFailure) {
      counters.publish(isUp: true, pages: file.count, bytes: Int(try file.byteCount()))
    } catch {
      take(error)
    }
  }

  private func report(isUp: Bool, _ file: PageFile?) {
    counters.publish(isUp: isUp, pages: file?.count ?? 0, bytes: 0)
    if wasUp == isUp { return }
    wasUp = isUp
    guard isUp, let file else { return }
    log.info("stored pages") { line in
      line.field("file", path)
      line.field("pages", file.count)
      line.field("read_only", file.isReadOnly)
    }
  }

  /// A line now and then: a disk that is full is full for every page.
  private func complain(_ message: StaticString, _ failure: SQLiteFailure) {
    let now = ContinuousClock.now
    if let lastComplaint, lastComplaint.duration(to: now) < Self.logInterval {
      silentComplaints += 1
      return
    }
    log.error(message) { line in
      line.field("file", path)
      line.field("detail", failure.detail)
      if silentComplaints > 0 { line.field("more", silentComplaints) }
    }
    lastComplaint = now
    silentComplaints = 0
  }
}

enum StoreLookup: Sendable {
  case found(StoredPage)
  case absent
  case unavailable
}
