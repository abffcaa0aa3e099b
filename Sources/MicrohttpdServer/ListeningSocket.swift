import CMicrohttpd
import Glibc

/// A descriptor that listens, until a server takes it over.
package final class ListeningSocket {
  /// Where it listens; with the port that the system chose, where 0 was asked for.
  package let address: Address
  private var descriptor: Int32
  /// The file of a Unix socket, shared by all that listen on it; gone with the last of them.
  private(set) var file: SocketFile?

  private init(descriptor: Int32, address: Address, file: SocketFile?) {
    self.descriptor = descriptor
    self.address = address
    self.file = file
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Hands the descriptor over to whoever closes it.
  func take() -> Int32 {
    precondition(descriptor >= 0, "a listening socket serves once")
    defer { descriptor = -1 }
    return descriptor
  }

  /// Connections that the system holds for a server that is busy (listen(2)); it caps them itself.
  private static let backlog: Int32 = 4_096

  /// Opens `count` sockets on one address, one for each loop. The system spreads connections over them.
  ///
  /// Several processes cannot share a port by accident: the first socket is bound, and listens, alone.
  package static func open(_ address: Address, count: Int) throws(ServerFailure) -> [ListeningSocket] {
    precondition(count >= 1)
    if case .unix(let path, let mode) = address {
      return try openUnix(path: path, mode: mode, address: address, count: count)
    }
    var sockets = [try openFirst(address)]
    let address = sockets[0].address
    if listen(sockets[0].descriptor, backlog) != 0 { throw failure(errno, at: address) }
    if count == 1 { return sockets }
    // From here on sockets may join that are bound with SO_REUSEPORT too: those below.
    setOption(sockets[0].descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
    for _ in 1..<count {
      let next = try bind(address, isFirst: false)
      if listen(next.descriptor, backlog) != 0 { throw failure(errno, at: address) }
      sockets.append(next)
    }
    return sockets
  }

  private static func openFirst(_ address: Address) throws(ServerFailure) -> ListeningSocket {
    do {
      return try bind(address, isFirst: true)
    } catch let failure {
      // Without IPv6, every address means every IPv4 address.
      if case .any(let port) = address, failure.code == EAFNOSUPPORT || failure.code == EADDRNOTAVAIL {
        return try bind(.ipv4([0, 0, 0, 0], port: port), isFirst: true)
      }
      throw failure
    }
  }

  /// Makes a socket and binds it, and does not listen yet.
  private static func bind(_ address: Address, isFirst: Bool) throws(ServerFailure) -> ListeningSocket {
    var storage = sockaddr_storage()
    let length: Int
    switch address {
    case .any(let port): length = write(ipv6: Array(repeating: 0, count: 16), port, into: &storage)
    case .ipv4(let bytes, let port): length = write(ipv4: bytes, port, into: &storage)
    case .ipv6(let bytes, let port): length = write(ipv6: bytes, port, into: &storage)
    case .unix: preconditionFailure("a Unix socket is opened by its path")
    }
    let descriptor = socket(Int32(storage.ss_family), Int32(SOCK_STREAM.rawValue) | flags, 0)
    if descriptor < 0 { throw failure(errno, at: address) }
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if !isFirst { setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
    if Int32(storage.ss_family) == AF_INET6 {
      setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, takesIPv4(address) ? 0 : 1)
    }
    let result = unsafe withUnsafeBytes(of: &storage) { bytes in
      unsafe Glibc.bind(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
    }
    if result != 0 {
      let code = errno
      close(descriptor)
      throw failure(code, at: address)
    }
    return ListeningSocket(
      descriptor: descriptor, address: address.with(port: boundPort(descriptor)), file: nil)
  }

  private static func takesIPv4(_ address: Address) -> Bool {
    switch address {
    case .any: true
    case .ipv6(let bytes, _): bytes.allSatisfy { $0 == 0 }
    case .ipv4, .unix: false
    }
  }

  private static let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

  // MARK: Unix sockets

  private static func openUnix(
    path: String, mode: UInt32, address: Address, count: Int
  ) throws(ServerFailure) -> [ListeningSocket] {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let isFitting = unsafe withUnsafeMutableBytes(of: &name.sun_path) { space in
      guard !path.utf8.isEmpty, path.utf8.count < space.count, !path.utf8.contains(0) else { return false }
      unsafe space.copyBytes(from: path.utf8)
      return true
    }
    if !isFitting { throw ServerFailure(kind: .unusablePath, address: address, code: ENAMETOOLONG) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
    if descriptor < 0 { throw failure(errno, at: address) }
    let first = ListeningSocket(descriptor: descriptor, address: address, file: nil)
    try removeStale(path: path, name: name, address: address)
    let result = unsafe withUnsafeBytes(of: &name) { bytes in
      unsafe Glibc.bind(
        descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    if result != 0 { throw failure(errno, at: address) }
    first.file = SocketFile(path: path)
    // Nobody can connect between the two: it does not listen yet.
    if unsafe chmod(path, mode) != 0 || listen(descriptor, backlog) != 0 { throw failure(errno, at: address) }
    var sockets = [first]
    for _ in 1..<count {
      let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
      if copy < 0 { throw failure(errno, at: address) }
      sockets.append(ListeningSocket(descriptor: copy, address: address, file: first.file))
    }
    return sockets
  }

  /// Takes away what an earlier process left at `path`: a socket that nobody listens on.
  private static func removeStale(path: String, name: sockaddr_un, address: Address) throws(ServerFailure) {
    var status = stat()
    if unsafe lstat(path, &status) != 0 { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ServerFailure(kind: .unusablePath, address: address, code: ENOTSOCK)
    }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
    if probe < 0 { throw failure(errno, at: address) }
    defer { close(probe) }
    let result = unsafe withUnsafeBytes(of: name) { bytes in
      unsafe connect(probe, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    let code = result == 0 ? EADDRINUSE : errno
    // Only a refusal says that nobody listens; a full queue (EAGAIN) says the opposite.
    if code == EACCES { throw failure(code, at: address) }
    if code != ECONNREFUSED { throw failure(EADDRINUSE, at: address) }
    unsafe unlink(path)
  }

  // MARK: Pieces

  private static func failure(_ code: Int32, at address: Address) -> ServerFailure {
    let kind: ServerFailure.Kind =
      switch code {
      case EADDRINUSE: .addressInUse
      case EACCES, EPERM: .notPermitted
      case EADDRNOTAVAIL, EAFNOSUPPORT: .noSuchAddress
      case ENOENT, ENOTDIR, ELOOP, EROFS: .unusablePath
      default: .system
      }
    return ServerFailure(kind: kind, address: address, code: code)
  }

  private static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func boundPort(_ descriptor: Int32) -> UInt16 {
    var storage = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe getsockname(descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    // The port lies at the same place for both families.
    return result == 0 ? UInt16(bigEndian: storage.sin6_port) : 0
  }

  private static func write(
    ipv4 bytes: [UInt8], _ port: UInt16, into storage: inout sockaddr_storage
  ) -> Int {
    precondition(bytes.count == 4)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &name.sin_addr) { unsafe $0.copyBytes(from: bytes) }
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in.self) }
    return MemoryLayout<sockaddr_in>.size
  }

  private static func write(
    ipv6 bytes: [UInt8], _ port: UInt16, into storage: inout sockaddr_storage
  ) -> Int {
    precondition(bytes.count == 16)
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &name.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: name, as: sockaddr_in6.self) }
    return MemoryLayout<sockaddr_in6>.size
  }
}
