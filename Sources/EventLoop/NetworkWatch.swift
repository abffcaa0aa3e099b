import CLinux
import Glibc

/// Tells when the kernel's links, addresses or routes change: at once, where a probe would take its time.
///
/// Confined to its loop's thread, or used before the loop runs.
///
/// - SeeAlso: rtnetlink(7)
package final class NetworkWatch {
  private let loop: EventLoop
  private let descriptor: Int32

  /// - Parameter onChange: called on the loop, once for all changes that have come in.
  /// - Throws: ``SystemFailure`` when the kernel does not tell.
  package init(loop: EventLoop, onChange: @escaping () -> Void) throws(SystemFailure) {
    self.loop = loop
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_NETLINK, kind, NETLINK_ROUTE)
    if descriptor < 0 { throw SystemFailure(call: "socket", code: errno) }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(
      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE)
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    if bound < 0 {
      let code = errno
      close(descriptor)
      throw SystemFailure(call: "bind", code: code)
    }
    loop.watch(descriptor, for: .readable) { [descriptor] _ in
      Self.drain(descriptor)
      onChange()
    }
  }

  deinit { close(descriptor) }

  /// Ends it; on the loop, or after it has stopped.
  package func stop() { loop.unwatch(descriptor) }

  /// What exactly has changed is not looked at: whoever cares asks the kernel how things stand now. So nothing is lost
  /// where the kernel could not hand over all of it (ENOBUFS).
  private static func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno != ENOBUFS && errno != EINTR { return }
      if count == 0 { return }
    }
  }
}
