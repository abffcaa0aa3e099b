import Glibc

/// A TCP port of 127.0.0.1 that nothing listened on a moment ago.
package func freePort() -> UInt16 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  return withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
      precondition(bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0)
    }
    return UInt16(bigEndian: pointer.pointee.sin_port)
  }
}
