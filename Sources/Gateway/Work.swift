import Resilience

/// What one client's request waits for, so that it can be given up when the client goes away, and what that gave so far.
final class Work {
  /// One most of the time, several where a request asks several upstreams side by side.
  private var wait: PageWait?
  private var others: [PageWait] = []
  /// Requests to upstreams that are this one's alone.
  private var transfers: [any Transfer] = []
  private(set) var isAbandoned = false
  private(set) var isStopped = false
  /// How much of the request's time went into waiting for the upstream, and for how many answers.
  var upstreamDuration = Duration.zero
  var upstreamRequests = 0
  /// Where the pages came from.
  var account = CacheAccount()
  /// The known pages that were fresh.
  var marks: [KnownPages.Mark] = []

  /// The client has gone: what nobody else waits for is ended; nothing new is started.
  func abandon() {
    isAbandoned = true
    stop()
  }

  /// Gives up what is waited for: what nobody else waits for is ended; nothing new is started.
  func stop() { leave(goesOn: false) }

  /// Gives up what is waited for, which goes on for the cache; nothing new is started.
  func supersede() { leave(goesOn: true) }

  private func leave(goesOn: Bool) {
    isStopped = true
    let leaving = [wait].compactMap(\.self) + others
    wait = nil
    others = []
    for wait in leaving { wait.leave(goesOn: goesOn) }
    let ending = transfers
    transfers = []
    for transfer in ending { transfer.cancel() }
  }

  /// Has one request made of an upstream, and waits for what `judge` makes of its answer.
  ///
  /// It is judged before the task goes on, so that the task need not carry the answer.
  ///
  /// - Parameter isRepeatable: whether doing it twice does no harm.
  func run<Value>(
    _ request: TransportRequest, on upstream: Upstream, isRepeatable: Bool,
    _ judge:
      @escaping (Result<TransportResponse, TransportFailure>, _ sentCount: Int) -> Result<Value, GatewayError>
  ) async -> Result<Value, GatewayError> {
    if isStopped {
      return judge(.failure(TransportFailure(kind: .cancelled, detail: "ended before it was sent")), 0)
    }
    return await unsafe withUnsafeContinuation { continuation in
      var started: (any Transfer)?
      let call = upstream.start(request, .client, isRepeatable: isRepeatable) { [self] result, sentCount in
        if let started { remove(started) }
        let judged = judge(result, sentCount)
        let judgement = judged.judgement
        unsafe continuation.resume(returning: judged)
        return judgement
      }
      started = call
      add(call)
    }
  }

  /// Has it ended with the rest: at once, where that has been ended already.
  func add(_ transfer: any Transfer) {
    if isStopped { return transfer.cancel() }
    transfers.append(transfer)
  }

  func remove(_ transfer: any Transfer) { transfers.removeAll { $0 === transfer } }

  func add(_ wait: PageWait) {
    if self.wait == nil { self.wait = wait } else { others.append(wait) }
  }

  func remove(_ wait: PageWait) {
    if self.wait === wait {
      self.wait = nil
    } else {
      others.removeAll { $0 === wait }
    }
  }
}
