import CurlClient
import EventLoop
import Gateway
import HTTPSemantics

/// One request of the program's own, waited for.
enum Fetch {
  typealias Outcome = Result<TransportResponse, TransportFailure>

  private static let bodyLimit = 32_000_000

  static func run(
    _ method: Method, _ url: String, _ fields: Fields, _ content: [UInt8]?, timeout: Duration
  ) throws -> Outcome {
    let origin = TransportOrigin(
      use: .requests, version: .automatic, connectTimeout: min(timeout, .seconds(10)), bodyLimit: bodyLimit,
      trustedCertificates: nil, clientCertificate: nil, clientKey: nil, addressAge: .seconds(60),
      connectionLimit: 1)
    return try run(
      TransportRequest(
        method: method, url: url, fields: fields, content: content, deadline: .now + timeout, origin: origin))
  }

  /// Sends `request` on a loop that is there for it alone.
  static func run(_ request: TransportRequest) throws -> Outcome {
    let loop = try EventLoop(index: 0)
    let client = try CurlClient(loop: loop)
    var outcome = Outcome.failure(TransportFailure(kind: .cancelled, detail: "not answered"))
    let transfer = client.start(request) { result in
      outcome = result
      loop.stop()
    }
    loop.run()
    withExtendedLifetime(transfer) {}
    client.shutDown()
    return outcome
  }
}
