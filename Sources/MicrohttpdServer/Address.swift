import CMicrohttpd
import Glibc

/// Where a server listens.
package enum Address: Sendable, Hashable, CustomStringConvertible {
  /// Every address of the machine, IPv6 and IPv4; IPv4 alone where the machine has no IPv6.
  case any(port: UInt16)
  /// Four bytes in network order.
  case ipv4([UInt8], port: UInt16)
  /// Sixteen bytes in network order. `::` takes IPv4 connections too.
  case ipv6([UInt8], port: UInt16)
  /// A file system path of 107 bytes at most (unix(7)), and the permissions of the socket file.
  case unix(path: String, mode: UInt32)

  /// Nil for a Unix socket.
  package var port: UInt16? {
    switch self {
    case .any(let port), .ipv4(_, let port), .ipv6(_, let port): port
    case .unix: nil
    }
  }

  package func with(port: UInt16) -> Address {
    switch self {
    case .any: .any(port: port)
    case .ipv4(let bytes, _): .ipv4(bytes, port: port)
    case .ipv6(let bytes, _): .ipv6(bytes, port: port)
    case .unix: self
    }
  }

  /// As it is written in a URL: `127.0.0.1:8080`, `[::1]:8080`; `*:8080` for every address; `unix:/path`.
  package var description: String {
    switch self {
    case .any(let port): "*:\(port)"
    case .ipv4(let bytes, let port): "\(PeerAddress(ipv4: bytes).description):\(port)"
    case .ipv6(let bytes, let port): "[\(PeerAddress(ipv6: bytes).description)]:\(port)"
    case .unix(let path, _): "unix:\(path)"
    }
  }
}
