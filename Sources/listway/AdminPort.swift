import Configuration
import Gateway
import HTTPSemantics
import MicrohttpdServer

/// A running gateway's admin port, as this machine's own commands ask it.
enum AdminPort {
  /// Where a client on this machine finds the listener; nil for a Unix socket.
  static func authority(of listener: Configuration.Listener) -> String? {
    switch Address(listener) {
    case .any(let port): "127.0.0.1:\(port)"
    case .ipv4(let bytes, let port) where bytes == [0, 0, 0, 0]: "127.0.0.1:\(port)"
    case .ipv4, .ipv6: Address(listener).description
    case .unix: nil
    }
  }

  /// Asks, and waits for the answer.
  static func ask(
    _ method: HTTPSemantics.Method, _ url: String, within patience: Duration
  ) throws -> Fetch.Outcome {
    let origin = TransportOrigin(
      use: .requests, version: .http1, connectTimeout: patience, bodyLimit: 65_536, trustedCertificates: nil,
      clientCertificate: nil, clientKey: nil, addressAge: .seconds(60), connectionLimit: 1)
    return try Fetch.run(
      TransportRequest(
        method: method, url: url, fields: Fields(), content: method == .post ? [] : nil,
        deadline: .now + patience, origin: origin))
  }
}
