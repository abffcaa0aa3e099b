extension Configuration {
  /// An address to listen on.
  package struct Listener: Sendable, Equatable {
    package let address: Address
    /// 0 lets the system choose a free port. Without meaning for a Unix socket.
    package let port: UInt16

    package init(address: Address, port: UInt16) {
      self.address = address
      self.port = port
    }

    /// Every address, IPv4 and IPv6, port 8080.
    package static let clients = Listener(address: .any, port: 8080)
    /// The machine itself only, port 9090.
    package static let administrators = Listener(address: .ipv4([127, 0, 0, 1]), port: 9090)
  }

  /// The address part of a ``Listener``.
  package enum Address: Sendable, Equatable {
    /// Every address of the machine, IPv4 and IPv6 (IPv4 alone where the machine has no IPv6).
    case any
    /// Four bytes in network order.
    case ipv4([UInt8])
    /// Sixteen bytes in network order; IPv6 only.
    case ipv6([UInt8])
    /// An absolute file system path, 107 bytes at most (unix(7)).
    case unix(path: String)
  }
}
