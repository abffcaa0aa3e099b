import Glibc
import Synchronization

/// A DNS server that knows the same addresses for every name, or none (RFC 1035 §4).
package final class NameServer: Sendable {
  package enum Answer: Sendable {
    /// These addresses, good for one second.
    case addresses([String])
    /// There is no such name.
    case unknown
    /// Nothing.
    case silence

    package static func address(_ address: String) -> Answer { .addresses([address]) }
  }

  private struct State {
    var answer: Answer
    var count = 0
  }

  private let descriptor: Int32
  private let stopping: (read: Int32, write: Int32)
  private let state: Mutex<State>
  private let thread = Mutex<pthread_t?>(nil)

  /// - Parameter address: to listen on, at port 53.
  package init(on address: String, _ answer: Answer) throws {
    state = Mutex(State(answer: answer))
    let opened = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_port = UInt16(53).bigEndian
    own.sin_addr.s_addr = inet_addr(address)
    let bound = withUnsafePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(opened, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var ends: [Int32] = [0, 0]
    guard bound == 0, pipe(&ends) == 0 else { throw TestFailure("\(address):53: errno \(errno)") }
    for end in ends { closeOnExec(end) }
    descriptor = opened
    stopping = (ends[0], ends[1])
  }

  /// Serves until ``stop()``.
  package func start() throws {
    let started = try startThread { [self] in serve() }
    thread.withLock { $0 = started }
  }

  package func stop() {
    _ = write(stopping.write, "x", 1)
    if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    for descriptor in [descriptor, stopping.read, stopping.write] { close(descriptor) }
  }

  package func set(_ answer: Answer) { state.withLock { $0.answer = answer } }

  /// How often it was asked for an address.
  package var count: Int { state.withLock { $0.count } }

  private func serve() {
    while wait(descriptor, for: POLLIN, or: stopping.read, upTo: nil) {
      var message = [UInt8](repeating: 0, count: 512)
      var peer = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let count = withUnsafeMutablePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, &message, message.count, Int32(MSG_DONTWAIT), $0, &length)
        }
      }
      guard count > 12, let reply = reply(to: Array(message[..<count])) else { continue }
      _ = withUnsafePointer(to: &peer) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, reply, reply.count, 0, $0, length)
        }
      }
    }
  }

  private func reply(to query: [UInt8]) -> [UInt8]? {
    // The question: labels up to an empty one, then type and class.
    guard let end = query[12...].firstIndex(of: 0), query.count >= end + 5 else { return nil }
    let isForAddress = query[end + 1] == 0 && query[end + 2] == 1
    let answer = state.withLock { state in
      if isForAddress { state.count += 1 }
      return state.answer
    }
    var code: UInt8 = 0
    var records: [[UInt8]] = []
    switch answer {
    case .silence: return nil
    case .unknown: code = 3
    case .addresses(let addresses):
      if isForAddress {
        records = addresses.map { address in
          // A pointer to the name, type A, class IN, a second to live, four bytes.
          [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4] + address.split(separator: ".").compactMap { UInt8($0) }
        }
      }
    }
    return query[..<2] + [0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
      + query[12..<end + 5] + records.joined()
  }
}
