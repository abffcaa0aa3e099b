import Paging
import Resilience

/// What is under way upstream for one client's request, so that it can be ended when the client goes away.
final class Work {
  /// One is under way most of the time, several where a request asks several upstreams side by side.
  private var transfer: (any Transfer)?
  private var others: [any Transfer] = []
  private(set) var isAbandoned = false
  private var isStopped = false
  /// How much of the request's time went into waiting for the upstream, and for how many answers.
  var upstreamDuration = Duration.zero
  var upstreamRequests = 0

  /// The client has gone: ends what is under way; nothing new is started.
  func abandon() {
    isAbandoned = true
    stop()
  }

  /// Ends what is under way; nothing new is started.
  func stop() {
    isStopped = true
    let ending = others
    others = []
    transfer?.cancel()
    transfer = nil
    for transfer in ending { transfer.cancel() }
  }

  /// Has one request made of an upstream, and waits for the page that `judge` makes of its answer.
  ///
  /// It is judged before the task goes on, so that the task need not carry the answer.
  func run(
    _ request: TransportRequest, on upstream: Upstream,
    _ judge:
      @escaping (Result<TransportResponse, TransportFailure>, _ sentCount: Int) -> Result<Page, GatewayError>
  ) async -> Result<Page, GatewayError> {
    if isStopped {
      return judge(.failure(TransportFailure(kind: .cancelled, detail: "ended before it was sent")), 0)
    }
    return await unsafe withUnsafeContinuation { continuation in
      var started: (any Transfer)?
      // Reading a list twice does no harm, whatever the method it is read by: pages are asked for again all the time.
      let call = upstream.start(request, .client, isRepeatable: true) { [self] result, sentCount in
        if let started { remove(started) }
        unsafe continuation.resume(returning: judge(result, sentCount))
      }
      started = call
      add(call)
    }
  }

  private func add(_ transfer: any Transfer) {
    if self.transfer == nil { self.transfer = transfer } else { others.append(transfer) }
  }

  private func remove(_ transfer: any Transfer) {
    if self.transfer === transfer {
      self.transfer = nil
    } else {
      others.removeAll { $0 === transfer }
    }
  }
}
