/// What is under way upstream for one client's request, so that it can be ended when the client goes away.
final class Work {
  private var transfer: (any Transfer)?
  private(set) var isAbandoned = false
  /// How much of the request's time went into waiting for the upstream, and for how many answers.
  var upstreamDuration = Duration.zero
  var upstreamRequests = 0

  /// Ends what is under way; nothing new is started.
  func abandon() {
    isAbandoned = true
    transfer?.cancel()
    transfer = nil
  }

  /// Runs one transfer, and waits for its answer.
  func run(
    _ request: TransportRequest, on transport: any HTTPTransport
  ) async -> Result<TransportResponse, TransportFailure> {
    if isAbandoned {
      return .failure(TransportFailure(kind: .cancelled, detail: "abandoned before it was sent"))
    }
    let result = await unsafe withUnsafeContinuation { continuation in
      transfer = transport.start(request) { result in unsafe continuation.resume(returning: result) }
    }
    transfer = nil
    return result
  }
}
