import Gateway

/// What the transfers of one origin share: the handles that carry them, and the limit that holds them back.
///
/// The connections themselves are in the multi handle. HTTP/1.1 carries one transfer a connection, so the limit of
/// connections is one of transfers; where HTTP/2 has been seen, a connection carries a hundred.
final class OriginPool {
  private(set) var origin: TransportOrigin
  /// The transfers that carry a handle.
  var runningCount = 0
  var speaksHTTP2 = false
  private var idle: [EasyHandle] = []
  private var waiting: [CurlTransfer] = []
  private var waitingStart = 0

  private static let streamsPerConnection = 100
  private static let idleCeiling = 256

  init(origin: TransportOrigin) { self.origin = origin }

  var hasRoom: Bool {
    let connections = max(1, origin.connectionLimit)
    return runningCount < (speaksHTTP2 ? connections * Self.streamsPerConnection : connections)
  }

  /// Whether nobody can start a transfer here any more: the origin is in no configuration, and nothing is under way.
  var isAbandoned: Bool { runningCount == 0 && waitingCount == 0 && isKnownUniquelyReferenced(&origin) }

  // MARK: Handles

  func takeIdle() -> EasyHandle? { idle.popLast() }

  func giveBack(_ easy: EasyHandle) {
    if idle.count < Self.idleCeiling { idle.append(easy) }
  }

  // MARK: Waiting

  /// The transfers that wait, those included that have ended while they did.
  var waitingCount: Int { waiting.count - waitingStart }

  func wait(_ transfer: CurlTransfer) { waiting.append(transfer) }

  /// The transfer that has waited longest and still waits.
  func nextWaiting() -> CurlTransfer? {
    while waitingStart < waiting.count {
      let transfer = waiting[waitingStart]
      waitingStart += 1
      if waitingStart == waiting.count || waitingStart > 64 && waitingStart * 2 > waiting.count {
        waiting.removeFirst(waitingStart)
        waitingStart = 0
      }
      if case .waiting = transfer.state { return transfer }
    }
    return nil
  }

  /// Those of the waiting for whom `condition` holds, in the order they came.
  func waiting(where condition: (CurlTransfer) -> Bool) -> [CurlTransfer] {
    waiting[waitingStart...].filter {
      guard case .waiting = $0.state else { return false }
      return condition($0)
    }
  }
}
