import CCurl
package import EventLoop
package import Gateway

// How a request flows:
//
//   start     a handle of its origin takes it, or it waits for one        (OriginPool)
//   turn end  libcurl starts all that were added                          (Multi.runTimers)
//   event     libcurl reads and writes                                    (Sockets, Multi.act, ResponseReader)
//   drain     those that ended are taken out, followed, or completed      (Redirect, TransportFailure)
//   turn end  epoll is told what has changed                              (Sockets.applyWishes)
//
// Completions are called from `drain` and `endTurn` only, so never from within libcurl: whoever is called may start,
// cancel and shut down as he likes.

/// Calls upstreams with libcurl's multi interface, on one loop.
///
/// Confined to the loop's thread, or used before the loop runs or after it has stopped.
package final class CurlClient: HTTPTransport {
  private let loop: EventLoop
  private let sockets: Sockets
  private let share: SessionShare
  /// Nil once shut down.
  private var multi: Multi?
  private var pools: [ObjectIdentifier: OriginPool] = [:]
  private var running: [EasyHandle] = []
  /// Those that end without libcurl, at the end of the turn.
  private var ending: [CurlTransfer] = []
  /// The turn whose end has been seen to.
  private var endedTurn = UInt64.max
  private var isWatching = false

  /// How often a completion may start the next transfer within one turn.
  private static let roundCeiling = 8
  /// How often deadlines are looked at that libcurl does not look at itself: those of transfers that wait, here or for a
  /// connection that another is making.
  private static let watchInterval = Duration.milliseconds(25)
  /// How late libcurl may be before it is helped.
  private static let watchPatience = Duration.milliseconds(10)

  /// - Throws: ``CurlFailure`` when libcurl cannot be used.
  package init(loop: EventLoop) throws(CurlFailure) {
    try Library.require()
    self.loop = loop
    sockets = Sockets(loop: loop)
    share = try SessionShare()
    multi = try Multi(sockets: sockets, alarm: Alarm(loop: loop))
    sockets.whenReady = { [weak self] descriptor, readiness in
      guard let self, let multi = self.multi else { return }
      multi.act(on: descriptor, readiness)
      self.drain()
    }
    loop.everyTurn { [weak self] in self?.endTurn() }
  }

  /// What is going on: transfers that have a handle, transfers that wait for one, and open connections.
  package var figures: (running: Int, waiting: Int, connections: Int) {
    (running.count, pools.values.reduce(0) { $0 + $1.waitingCount }, sockets.openCount)
  }

  // MARK: HTTPTransport

  package func start(
    _ request: TransportRequest, completion: @escaping (Result<TransportResponse, TransportFailure>) -> Void
  ) -> any Transfer {
    loop.preconditionOnLoop()
    let pool = pool(of: request.origin)
    let transfer = CurlTransfer(request, pool: pool, client: self, completion: completion)
    if pool.hasRoom || multi == nil { begin(transfer) } else { pool.wait(transfer) }
    if !isWatching { watchDeadlines() }
    // Others do things at the end of a turn, too, and may start this after it was seen to.
    if loop.figures.turns == endedTurn || !loop.isCurrent { loop.turnAgain() }
    return transfer
  }

  func cancel(_ transfer: CurlTransfer) {
    loop.preconditionOnLoop()
    if case .running(let easy) = transfer.state {
      multi?.remove(easy)
      finish(easy, transfer, .failure(.cancelled))
    } else {
      transfer.complete(.failure(.cancelled))
    }
  }

  /// Ends every transfer as cancelled, closes every connection, and frees what libcurl holds. What is started later is
  /// cancelled at the end of the turn.
  package func shutDown() {
    loop.preconditionOnLoop()
    guard let multi else { return }
    self.multi = nil
    // Those that are called may start, cancel and shut down in turn.
    while let easy = running.last, let transfer = easy.transfer {
      multi.remove(easy)
      finish(easy, transfer, .failure(.cancelled))
    }
    for pool in pools.values { for transfer in pool.waiting(where: { _ in true }) { cancel(transfer) } }
    endTransfers()
    pools.removeAll()
  }

  // MARK: From start to end

  private func begin(_ transfer: CurlTransfer) {
    guard let multi else { return endLater(transfer, .cancelled) }
    let remaining = ContinuousClock.now.duration(to: transfer.request.deadline)
    guard remaining > .zero else { return endLater(transfer, .timedOut) }
    let pool = transfer.pool
    guard let easy = handle(of: pool) else { return endLater(transfer, .outOfMemory) }
    easy.transfer = transfer
    transfer.state = .running(easy)
    pool.runningCount += 1
    easy.position = running.count
    running.append(easy)
    let failure = easy.prepare(transfer.request, url: transfer.url, remaining: remaining)
    if failure == nil && multi.add(easy) { return }
    release(easy)
    endLater(transfer, failure ?? .outOfMemory)
  }

  /// Sees to the transfers that libcurl has ended.
  private func drain() {
    while let multi, let (easy, code) = multi.nextEnded() {
      if easy.mayMultiplex, code == CURLE_OK, let pool = easy.transfer?.pool {
        pool.speaksHTTP2 = easy.spokeHTTP2
        if easy.spokeHTTP2 { sockets.markMultiplexed(easy.descriptor) }
      }
      multi.remove(easy)
      guard let transfer = easy.transfer else { continue }
      guard code == CURLE_OK else {
        finish(easy, transfer, .failure(TransportFailure(code, of: easy, request: transfer.request)))
        continue
      }
      if transfer.request.origin.use == .connects {
        finish(easy, transfer, .success(.connected(to: easy.text(CURLINFO_PRIMARY_IP))))
        continue
      }
      guard unsafe easy.reader.pointee.hasWholeHead else {
        finish(easy, transfer, .failure(.truncatedHead))
        continue
      }
      let status = unsafe easy.reader.pointee.status
      let redirect =
        status / 100 == 3
        ? Redirect(status: status, to: transfer, location: unsafe easy.reader.pointee.location) : .deliver
      switch redirect {
      case .deliver:
        let (fields, body) = unsafe easy.reader.pointee.finish()
        var response = TransportResponse(
          status: status, fields: fields, body: body, redirectedTarget: transfer.redirectedTarget)
        if transfer.request.origin.use != .requests { response.address = easy.text(CURLINFO_PRIMARY_IP) }
        finish(easy, transfer, .success(response))
      case .refuse(let reason):
        finish(easy, transfer, .failure(TransportFailure(kind: .protocol, detail: reason)))
      case .follow(let url):
        follow(url, transfer, easy, multi)
      }
    }
  }

  private func follow(_ url: String, _ transfer: CurlTransfer, _ easy: EasyHandle, _ multi: Multi) {
    transfer.url = url
    transfer.redirectCount += 1
    let remaining = loop.now.duration(to: transfer.request.deadline)
    if remaining <= .zero {
      finish(easy, transfer, .failure(.timedOut))
    } else if let failure = easy.prepare(transfer.request, url: url, remaining: remaining) {
      finish(easy, transfer, .failure(failure))
    } else if !multi.add(easy) {
      finish(easy, transfer, .failure(.outOfMemory))
    }
  }

  /// Ends a transfer whose handle is out of the multi handle, after the next of its origin has its place.
  private func finish(
    _ easy: EasyHandle, _ transfer: CurlTransfer, _ result: Result<TransportResponse, TransportFailure>
  ) {
    release(easy)
    let pool = transfer.pool
    while pool.waitingCount > 0 && pool.hasRoom, let next = pool.nextWaiting() { begin(next) }
    transfer.complete(result)
  }

  private func release(_ easy: EasyHandle) {
    let last = running.removeLast()
    if last !== easy {
      running[easy.position] = last
      last.position = easy.position
    }
    if let pool = easy.transfer?.pool {
      pool.runningCount -= 1
      pool.giveBack(easy)
    }
    easy.clear()
  }

  private func endLater(_ transfer: CurlTransfer, _ failure: TransportFailure) {
    transfer.state = .ending(failure)
    ending.append(transfer)
  }

  private func endTransfers() {
    if ending.isEmpty { return }
    let transfers = ending
    ending.removeAll()
    for transfer in transfers {
      if case .ending(let failure) = transfer.state { transfer.complete(.failure(failure)) }
    }
  }

  private func endTurn() {
    endedTurn = loop.figures.turns
    var rounds = 0
    while let multi, multi.isDue, rounds < Self.roundCeiling {
      multi.runTimers()
      drain()
      rounds += 1
    }
    endTransfers()
    sockets.applyWishes()
    if multi?.isDue ?? false || !ending.isEmpty { loop.turnAgain() }
  }

  // MARK: Deadlines

  private func watchDeadlines() {
    isWatching = true
    loop.schedule(at: loop.now + Self.watchInterval) { [weak self] in self?.endOverdue() }
  }

  private func endOverdue() {
    let now = loop.now
    let overdue = running.compactMap(\.transfer).filter { $0.request.deadline + Self.watchPatience <= now }
    for transfer in overdue {
      guard case .running(let easy) = transfer.state else { continue }
      multi?.remove(easy)
      finish(easy, transfer, .failure(.timedOut))
    }
    for pool in pools.values {
      for transfer in pool.waiting(where: { $0.request.deadline <= now }) {
        transfer.complete(.failure(.timedOut))
      }
    }
    isWatching = false
    if !running.isEmpty || pools.values.contains(where: { $0.waitingCount > 0 }) { watchDeadlines() }
  }

  // MARK: Origins

  private func pool(of origin: TransportOrigin) -> OriginPool {
    if let pool = pools[ObjectIdentifier(origin)] { return pool }
    for (identifier, pool) in pools where pool.isAbandoned { pools[identifier] = nil }
    let pool = OriginPool(origin: origin)
    pools[ObjectIdentifier(origin)] = pool
    multi?.keep(connections: pools.values.reduce(0) { $0 + max(1, $1.origin.connectionLimit) })
    return pool
  }

  private func handle(of pool: OriginPool) -> EasyHandle? {
    if let easy = pool.takeIdle() { return easy }
    return try? EasyHandle(origin: pool.origin, sockets: sockets, share: share)
  }
}
