import Glibc

/// Why a server cannot start: what is wrong, where, and what to do.
package struct ServerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// Another process, or another listener of this one, has the port or the socket file.
    case addressInUse
    /// The port or the directory needs a privilege that the process does not have.
    case notPermitted
    /// The machine has no such address.
    case noSuchAddress
    /// The path is longer than a socket's may be, its directory is missing, or something else lies there.
    case unusablePath
    /// The system refused for another reason, such as being out of descriptors.
    case system
    /// The HTTP library did not start.
    case library
  }

  package let kind: Kind
  package let address: Address
  /// The value of `errno`; 0 where no system call failed.
  package let code: Int32

  package var description: String {
    switch kind {
    case .addressInUse:
      "\(address) is in use already: stop the process that listens there, or choose another \(portOrPath)"
    case .notPermitted:
      switch address {
      case .unix: "not permitted to create \(address): give this user the right to write to its directory"
      default:
        "not permitted to listen on \(address): choose a port from 1024 on, or give the process "
          + "CAP_NET_BIND_SERVICE"
      }
    case .noSuchAddress:
      "cannot listen on \(address): this machine has no such address; choose one of its own, or all of them"
    case .unusablePath:
      switch code {
      case ENAMETOOLONG:
        "cannot listen on \(address): the path is longer than 107 bytes; choose a shorter one"
      case ENOTSOCK:
        "cannot listen on \(address): there is a file there that is not a socket; move it away, or "
          + "choose another path"
      default:
        "cannot listen on \(address): \(Self.text(of: code)); create the directory, or choose another path"
      }
    case .system:
      "cannot listen on \(address): \(Self.text(of: code))"
    case .library:
      "the HTTP server on \(address) does not start: the process may be out of memory or of descriptors"
    }
  }

  private var portOrPath: String { address.port == nil ? "path" : "port" }

  private static func text(of code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }
}
