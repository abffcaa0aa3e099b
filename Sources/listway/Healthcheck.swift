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
    guard let authority = AdminPort.authority(of: admin) else {
      Terminal.error(
        "listway healthcheck: the admin listener is a Unix socket, which this cannot ask; give it a port")
      return ExitStatus.failed
    }
    let url = "http://\(authority)/livez"
    do {
      switch try AdminPort.ask(.get, url, within: patience) {
      case .success(let response) where response.status == 200:
        Terminal.print("alive")
        return ExitStatus.done
      case .success(let response):
        Terminal.error("listway healthcheck: \(url) answers \(response.status)")
      case .failure(let failure):
        Terminal.error("listway healthcheck: \(url): \(failure.kind.rawValue): \(failure.detail)")
      }
    } catch {
      Terminal.error("listway healthcheck: \(error)")
    }
    return ExitStatus.failed
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
