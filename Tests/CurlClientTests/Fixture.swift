import CurlClient
import EventLoop
import Gateway
import HTTPSemantics
import JSON
import Synchronization
import Testing

/// One test at a time: several measure time, and each has threads of its own.
@Suite("The client on libcurl", .serialized) enum CurlClientTests {}

/// How a transfer ended, in a form that may leave its loop.
struct Outcome: Sendable {
  var status = 0
  var fields = Fields()
  var body: [UInt8] = []
  var redirectedTarget: String?
  var kind: TransportFailure.Kind?
  var detail = ""
  /// How long it took, seen from the loop.
  var elapsed = Duration.zero

  var text: String { String(decoding: body, as: UTF8.self) }

  init(_ result: Result<TransportResponse, TransportFailure>) {
    switch result {
    case .success(let response):
      status = response.status
      fields = response.fields
      body = response.body[0..<response.body.count]
      redirectedTarget = response.redirectedTarget.map { String(decoding: $0, as: UTF8.self) }
    case .failure(let failure):
      kind = failure.kind
      detail = failure.detail
    }
  }
}

/// A client on a loop with a thread of its own.
///
/// `@unchecked Sendable`: the client is used on the loop's thread only.
final class Fixture: @unchecked Sendable {
  let loop: EventLoop
  private let loops: Loops
  private let client: CurlClient

  init() throws {
    loops = try Loops(count: 1)
    loop = loops.all[0]
    client = try CurlClient(loop: loop)
    try loops.start()
  }

  /// Shuts the client down, and ends the loop.
  func stop() {
    loop.execute { [self] in client.shutDown() }
    loops.stopAndWait()
  }

  /// Runs `body` on the loop.
  func onLoop(_ body: @escaping @Sendable (CurlClient, EventLoop) -> Void) {
    loop.execute { [self] in body(client, loop) }
  }

  /// Runs `body` on the loop and waits for what it returns.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (CurlClient, EventLoop) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      onLoop { continuation.resume(returning: body($0, $1)) }
    }
  }

  /// Carries out one request and waits for its end.
  func fetch(
    _ url: String, method: Method = .get, fields: [(FieldName, String)] = [], content: [UInt8]? = nil,
    timeout: Duration = .seconds(20), origin: TransportOrigin = .test()
  ) async -> Outcome {
    await withCheckedContinuation { continuation in
      onLoop { client, loop in
        let request = TransportRequest.test(
          url, method: method, fields: fields, content: content, deadline: .now + timeout, origin: origin)
        let start = ContinuousClock.now
        _ = client.start(request) { result in
          var outcome = Outcome(result)
          outcome.elapsed = .now - start
          continuation.resume(returning: outcome)
        }
      }
    }
  }
}

extension TransportRequest {
  static func test(
    _ url: String, method: Method = .get, fields: [(FieldName, String)] = [], content: [UInt8]? = nil,
    deadline: ContinuousClock.Instant, origin: TransportOrigin
  ) -> TransportRequest {
    var sent = Fields()
    for (name, value) in fields { sent.append(name, value) }
    return TransportRequest(
      method: method, url: url, fields: sent, content: content, deadline: deadline, origin: origin)
  }
}

extension TransportOrigin {
  static func test(
    use: Use = .requests, version: Version = .automatic, connectTimeout: Duration = .seconds(10),
    bodyLimit: Int = 8 << 20,
    trusted: String? = nil, certificate: String? = nil, key: String? = nil,
    addressAge: Duration = .seconds(60), connectionLimit: Int = 64
  ) -> TransportOrigin {
    TransportOrigin(
      use: use, version: version, connectTimeout: connectTimeout, bodyLimit: bodyLimit,
      trustedCertificates: trusted,
      clientCertificate: certificate, clientKey: key, addressAge: addressAge, connectionLimit: connectionLimit
    )
  }
}
