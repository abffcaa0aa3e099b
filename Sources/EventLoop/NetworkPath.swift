import Glibc

/// The way that the kernel would take to an address, as its routes and links are now. Nothing is sent to find out.
package enum NetworkPath {
  package enum State: Sendable, Hashable {
    /// With the address of ours that it starts from.
    case open(local: [UInt8])
    /// No route leads there.
    case noRoute
    /// The route leads over a link that is down, or that has no carrier.
    case linkDown
  }

  /// The numeric address that `host` is, without brackets; nil when it is a name.
  package static func literal(_ host: String) -> String? {
    let address = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard let list = unsafe resolve(address) else { return nil }
    unsafe freeaddrinfo(list)
    return address
  }

  /// - Parameter address: IPv4 or IPv6, numeric.
  package static func state(to address: String) -> State {
    guard let list = unsafe resolve(address) else { return .open(local: []) }
    defer { unsafe freeaddrinfo(list) }
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(list.pointee.ai_family, kind, 0)
    if descriptor < 0 { return .open(local: []) }
    defer { close(descriptor) }
    // A datagram socket is only given its route by this. Whatever is wrong with it (unreachable, prohibited, black hole),
    // the error is the route's.
    if unsafe connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) < 0 { return .noRoute }
    var local = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = unsafe withUnsafeMutablePointer(to: &local) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &count) == 0
      }
    }
    if !isKnown { return .open(local: []) }
    return hasCarrier(local) ? .open(local: Array(addressBytes(bytes(of: local)))) : .linkDown
  }

  /// Whether the link that has `address` works. One that nobody has counts as working.
  private static func hasCarrier(_ address: sockaddr_storage) -> Bool {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return true }
    defer { unsafe freeifaddrs(list) }
    // IFF_UP and IFF_RUNNING of netdevice(7).
    let working: UInt32 = 0x1 | 0x40
    let wanted = bytes(of: address)
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let own = unsafe entry.pointee.ifa_addr,
        unsafe Int32(own.pointee.sa_family) == Int32(address.ss_family)
      else { continue }
      let size =
        Int32(address.ss_family) == AF_INET6
        ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
      let storage = unsafe Array(UnsafeRawBufferPointer(start: own, count: size))
      if addressBytes(storage) == addressBytes(wanted) {
        return unsafe entry.pointee.ifa_flags & working == working
      }
    }
    return true
  }

  private static func bytes(of address: sockaddr_storage) -> [UInt8] {
    unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
  }

  /// The address alone, without family and port: bytes 4 to 8 of a sockaddr_in, 8 to 24 of a sockaddr_in6.
  private static func addressBytes(_ storage: [UInt8]) -> ArraySlice<UInt8> {
    let family = UInt16(storage[0]) | UInt16(storage[1]) << 8
    return Int32(family) == AF_INET6 ? storage[8..<24] : storage[4..<8]
  }

  private static func resolve(_ address: String) -> UnsafeMutablePointer<addrinfo>? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    // The discard port: none is connected to.
    guard unsafe getaddrinfo(address, "9", &hints, &list) == 0 else { return nil }
    return unsafe list
  }
}
