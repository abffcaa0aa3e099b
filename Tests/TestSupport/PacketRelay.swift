import Glibc
import Synchronization

/// A link whose packets pass through the test: late, or not at all. It does what tc-netem(8) does, which not every kernel
/// has, between two TUN devices.
package final class PacketRelay: Sendable {
  package struct Terms: Sendable {
    /// Of each packet, each way.
    package var delay: Duration
    /// Of a hundred packets, each way, how many are lost.
    package var loss: Int

    package init(delay: Duration, loss: Int) {
      self.delay = delay
      self.loss = loss
    }
  }

  private let ends: [Int32]
  private let stopping: (read: Int32, write: Int32)
  private let terms: Mutex<Terms>
  private let seed: UInt64
  private let thread = Mutex<pthread_t?>(nil)

  /// - Parameters:
  ///   - ends: what ``openDevice(named:)`` gave, of either side; closed by this.
  ///   - seed: of the losses.
  init(between ends: (Int32, Int32), _ terms: Terms, seed: UInt64) throws {
    self.ends = [ends.0, ends.1]
    self.terms = Mutex(terms)
    self.seed = seed
    var pipeEnds: [Int32] = [0, 0]
    guard pipe(&pipeEnds) == 0 else { throw TestFailure("pipe: errno \(errno)") }
    for end in pipeEnds { closeOnExec(end) }
    stopping = (pipeEnds[0], pipeEnds[1])
    let started = try startThread { [ends = self.ends, stop = stopping.read, weakly = Weakly(self)] in
      Self.run(ends, stop: stop, seed: seed) { weakly.relay?.current }
    }
    thread.withLock { $0 = started }
  }

  deinit {
    _ = write(stopping.write, "x", 1)
    if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
    for descriptor in ends + [stopping.read, stopping.write] { close(descriptor) }
  }

  package func set(_ terms: Terms) { self.terms.withLock { $0 = terms } }

  private var current: Terms { terms.withLock { $0 } }

  /// Opens a new TUN device in the network of the calling thread.
  static func openDevice(named name: String) throws -> Int32 {
    typealias Control = @convention(c) (Int32, UInt, UnsafeMutableRawPointer) -> Int32
    let descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0, let symbol = dlsym(nil, "ioctl") else {
      throw TestFailure("/dev/net/tun: errno \(errno)")
    }
    // struct ifreq: a name of 16 bytes, then the flags IFF_TUN and IFF_NO_PI.
    var request = [UInt8](repeating: 0, count: 40)
    for (index, byte) in name.utf8.prefix(15).enumerated() { request[index] = byte }
    request[16] = 0x01
    request[17] = 0x10
    let tunSetInterface: UInt = 0x4004_54CA
    guard unsafeBitCast(symbol, to: Control.self)(descriptor, tunSetInterface, &request) == 0 else {
      let code = errno
      close(descriptor)
      throw TestFailure("\(name): errno \(code)")
    }
    return descriptor
  }

  private static func run(_ ends: [Int32], stop: Int32, seed: UInt64, terms: () -> Terms?) {
    var random = SeededRandom(seed: seed)
    var onTheWay: [[(due: ContinuousClock.Instant, packet: [UInt8])]] = [[], []]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let due = onTheWay.compactMap { $0.first?.due }.min()
      let wait = due.map { max(0, ContinuousClock.now.duration(to: $0) / .milliseconds(1)) } ?? 1_000
      var polled = ([stop] + ends).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&polled, 3, Int32(wait.rounded(.up)))
      guard polled[0].revents == 0, let terms = terms() else { return }
      for side in 0..<2 where polled[side + 1].revents != 0 {
        while true {
          let count = read(ends[side], &buffer, buffer.count)
          guard count > 0 else { break }
          if Int.random(in: 0..<100, using: &random) < terms.loss { continue }
          onTheWay[side].append((.now + terms.delay, Array(buffer[..<count])))
        }
      }
      let now = ContinuousClock.now
      for side in 0..<2 {
        let arrived = onTheWay[side].prefix { $0.due <= now }
        for (_, packet) in arrived { _ = write(ends[1 - side], packet, packet.count) }
        onTheWay[side].removeFirst(arrived.count)
      }
    }
  }

  /// So that its thread does not keep it alive.
  private final class Weakly: @unchecked Sendable {
    weak var relay: PacketRelay?
    init(_ relay: PacketRelay) { self.relay = relay }
  }
}
