public import Foundation
#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends requests. A test gives the client one of its own.
public protocol Transport: Sendable {
  /// - Returns: the content, the status, and the fields by lower-case names.
  /// - Throws: ``ListwayError/offline(_:)`` where no answer came, ``ListwayError/cancelled`` where the task was cancelled.
  func answer(to request: URLRequest) async throws(ListwayError) -> (Data, Int, [String: String])
}

/// `URLSession`, without a cache of its own: what is known is the gateway's to say, and its answers are not to be stored.
public struct URLSessionTransport: Transport {
  private let session: URLSession

  public init(timeout: TimeInterval = 30) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    session = URLSession(configuration: configuration)
  }

  public func answer(to request: URLRequest) async throws(ListwayError) -> (Data, Int, [String: String]) {
    let content: Data
    let response: URLResponse
    do {
      (content, response) = try await session.data(for: request)
    } catch {
      let isCancelled = (error as? URLError)?.code == .cancelled || error is CancellationError
      throw isCancelled ? ListwayError.cancelled : ListwayError.offline(error.localizedDescription)
    }
    guard let response = response as? HTTPURLResponse else {
      throw ListwayError.notAnEnvelope(httpStatus: 0, detail: "not an HTTP answer")
    }
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { fields[name.lowercased()] = value }
    }
    return (content, response.statusCode, fields)
  }
}
