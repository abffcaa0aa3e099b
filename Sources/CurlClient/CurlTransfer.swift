import Gateway
import HTTPSemantics
import JSON

/// One request under way, and the duty to complete it once.
final class CurlTransfer: Transfer {
  enum State {
    case waiting  // for a connection of its origin; to: running, ending, ended
    case running(EasyHandle)  // to: ending, ended
    case ending(TransportFailure)  // at the end of the turn; to: ended
    case ended
  }

  let request: TransportRequest
  let pool: OriginPool
  var state = State.waiting
  /// The URL that it is at: the request's, or where that was redirected to.
  var url: String
  var redirectCount = 0
  private var client: CurlClient?
  private var completion: ((Result<TransportResponse, TransportFailure>) -> Void)?

  init(
    _ request: TransportRequest, pool: OriginPool, client: CurlClient,
    completion: @escaping (Result<TransportResponse, TransportFailure>) -> Void
  ) {
    self.request = request
    self.pool = pool
    url = request.url
    self.client = client
    self.completion = completion
  }

  /// The path and query that it was redirected to; nil when it was not.
  var redirectedTarget: [UInt8]? {
    if redirectCount == 0 { return nil }
    return SplitURL(url.utf8Span.span)?.target(of: url)
  }

  func cancel() { client?.cancel(self) }

  /// Ends it, and tells whoever started it. The second time this does nothing.
  func complete(_ result: Result<TransportResponse, TransportFailure>) {
    guard let completion else { return }
    state = .ended
    client = nil
    self.completion = nil
    completion(result)
  }
}

extension TransportResponse {
  /// What there is to tell of a connection without a request.
  static func connected(to address: String?) -> TransportResponse {
    var response = TransportResponse(
      status: 0, fields: Fields(), body: Bytes(copying: [UInt8]()), redirectedTarget: nil)
    response.address = address
    return response
  }
}
