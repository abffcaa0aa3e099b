import Glibc

/// A port of 127.0.0.1 that neither accepts nor refuses: its queue is full, so the kernel ignores new connections.
package final class UnansweredPort: Sendable {
  package let port: UInt16
  private let descriptors: [Int32]

  package init() throws {
    let (listener, port) = try listen(port: 0, onAllAddresses: false, backlog: 0)
    self.port = port
    var descriptors = [listener]
    // Those that fill the queue connect at once; the first one that does not shows that it is full.
    var isFull = false
    while !isFull && descriptors.count < 16 {
      let filler = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      _ = withLoopback(port: port) { connect(filler, $0, $1) }
      descriptors.append(filler)
      isFull = !wait(filler, for: POLLOUT, or: -1, upTo: .milliseconds(200))
    }
    self.descriptors = descriptors
    if !isFull { throw TestFailure("the queue of port \(port) does not fill") }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
