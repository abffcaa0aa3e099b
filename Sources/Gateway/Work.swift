import Paging

/// What is under way upstream for one client's request, so that it can be ended when the client goes away.
final class Work {
  private var transfer: (any Transfer)?
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
    transfer?.cancel()
    transfer = nil
  }

  /// Runs one transfer, and waits for the page that `judge` makes of its answer.
  ///
  /// It is judged before the task goes on, so that the task need not carry the answer.
  func run(
    _ request: TransportRequest, on transport: any HTTPTransport,
    _ judge: @escaping (Result<TransportResponse, TransportFailure>) -> Result<Page, GatewayError>
  ) async -> Result<Page, GatewayError> {
    if isStopped {
      return judge(.failure(TransportFailure(kind: .cancelled, detail: "ended before it was sent")))
    }
    return await unsafe withUnsafeContinuation { continuation in
      transfer = transport.start(request) { [self] result in
        transfer = nil
        unsafe continuation.resume(returning: judge(result))
      }
    }
  }
}
