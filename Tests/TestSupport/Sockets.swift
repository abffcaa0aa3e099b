import Glibc

/// What a test could not set up.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// The descriptors that this process has open, the timers of Swift's own runtime left out.
package func openDescriptorCount() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = -1  // The directory's own.
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    var target = [UInt8](repeating: 0, count: 256)
    let length = target.withUnsafeMutableBytes {
      readlink("/proc/self/fd/\(name)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
    }
    if length > 0 && !String(decoding: target.prefix(length), as: UTF8.self).contains("timerfd") {
      count += 1
    }
  }
  return count
}

func listen(port: UInt16, onAllAddresses: Bool, backlog: Int32) throws -> (descriptor: Int32, port: UInt16) {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw TestFailure("socket: errno \(errno)") }
  var on: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let host: UInt32 = onAllAddresses ? 0 : 0x7F00_0001
  guard withAddress(host, port: port, { bind(descriptor, $0, $1) }) == 0,
    Glibc.listen(descriptor, backlog) == 0,
    withUnsafeMutablePointer(
      to: &address,
      {
        getsockname(descriptor, UnsafeMutableRawPointer($0).assumingMemoryBound(to: sockaddr.self), &length)
      }) == 0
  else {
    let code = errno
    close(descriptor)
    throw TestFailure("port \(port): errno \(code)")
  }
  return (descriptor, UInt16(bigEndian: address.sin_port))
}

func withLoopback(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
  withAddress(0x7F00_0001, port: port, body)
}

private func withAddress(
  _ host: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = host.bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}

/// So that programs which tests start do not keep connections open. A moment late, which a test can bear.
func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

/// Waits until `descriptor` is ready.
///
/// - Returns: false when `stop` became readable or the time was up before.
func wait(_ descriptor: Int32, for events: Int32, or stop: Int32, upTo limit: Duration?) -> Bool {
  let deadline = limit.map { ContinuousClock.now + $0 }
  while true {
    var polled = [
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(events), revents: 0),
    ]
    var milliseconds: Int32 = -1
    if let deadline {
      milliseconds = Int32(
        max(0, (ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)))
    }
    let count = poll(&polled, 2, milliseconds)
    if polled[0].revents != 0 || count == 0 { return false }
    if count > 0 { return true }
  }
}

/// Runs `body` on a new thread, which is to be joined.
func startThread(_ body: @escaping @Sendable () -> Void) throws -> pthread_t {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, 1 << 20)
  defer { pthread_attr_destroy(&attributes) }
  let context = Unmanaged.passRetained(Box(body)).toOpaque()
  let code = pthread_create(
    &thread, &attributes,
    { context in
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, context)
  if code != 0 {
    Unmanaged<Box>.fromOpaque(context).release()
    throw TestFailure("pthread_create: \(code)")
  }
  return thread
}
