import Configuration
import CurlClient
import EventLoop
import Gateway
import Glibc
import HTTPSemantics
import MicrohttpdServer

/// Asks a running gateway whether it is alive: what a container engine runs every few seconds.
enum Healthcheck {
  private static let patience = Duration.seconds(3)

  /// - Returns: the program's exit status: 0 when it is.
  static func run(_ admin: Configuration.Listener) -> Int32 {
    guard let authority = authority(of: admin) else {
      Terminal.error(
        "listway healthcheck: the admin listener is a Unix socket, which this cannot ask; give it a port")
      return ExitStatus.failed
    }
    do {
      return try ask("http://\(authority)/livez")
    } catch {
      Terminal.error("listway healthcheck: \(error)")
      return ExitStatus.failed
    }
  }

  private static func ask(_ url: String) throws -> Int32 {
    let loop = try EventLoop(index: 0)
    let client = try CurlClient(loop: loop)
    let origin = TransportOrigin(
      use: .requests, version: .http1, connectTimeout: patience, bodyLimit: 65_536, trustedCertificates: nil,
      clientCertificate: nil,
      clientKey: nil, addressAge: .seconds(60), connectionLimit: 1)
    let request = TransportRequest(
      method: .get, url: url, fields: Fields(), content: nil, deadline: .now + patience, origin: origin)
    var status = ExitStatus.failed
    let transfer = client.start(request) { result in
      switch result {
      case .success(let response) where response.status == 200:
        Terminal.print("alive")
        status = ExitStatus.done
      case .success(let response):
        Terminal.error("listway healthcheck: \(url) answers \(response.status)")
      case .failure(let failure):
        Terminal.error("listway healthcheck: \(url): \(failure.kind.rawValue): \(failure.detail)")
      }
      loop.stop()
    }
    loop.run()
    withExtendedLifetime(transfer) {}
    client.shutDown()
    return status
  }

  /// Where a client on this machine finds the listener.
  private static func authority(of listener: Configuration.Listener) -> String? {
    switch Address(listener) {
    case .any(let port): "127.0.0.1:\(port)"
    case .ipv4(let bytes, let port) where bytes == [0, 0, 0, 0]: "127.0.0.1:\(port)"
    case .ipv4, .ipv6: Address(listener).description
    case .unix: nil
    }
  }
}

extension Address {
  /// What a configured listener is to the server.
  init(_ listener: Configuration.Listener) {
    switch listener.address {
    case .any: self = .any(port: listener.port)
    case .ipv4(let bytes): self = .ipv4(bytes, port: listener.port)
    case .ipv6(let bytes): self = .ipv6(bytes, port: listener.port)
    case .unix(let path): self = .unix(path: path, mode: 0o660)
    }
  }
}
