import CMicrohttpd
import EventLoop
import Glibc

/// Connections that were answered while their client was still sending.
///
/// A socket that is closed with unread bytes is reset, and a reset makes the client lose the answer it has not read
/// yet. So our half is closed, and what still comes is thrown away for a while (RFC 9112 §9.6).
final class LingeringSockets {
  private static let most = 256
  private static let time = Duration.seconds(2)
  private static let byteCeiling = 1 << 20

  private struct Entry {
    var byteCount = 0
    let timer: Timer
  }

  private let loop: EventLoop
  private var open: [Int32: Entry] = [:]

  init(loop: EventLoop) { self.loop = loop }

  /// Goes on with a copy of `descriptor`, which its owner closes.
  func add(copyOf descriptor: Int32) {
    guard open.count < Self.most else { return }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if copy < 0 { return }
    shutdown(copy, Int32(SHUT_WR))
    open[copy] = Entry(timer: loop.schedule(at: loop.now + Self.time) { [weak self] in self?.finish(copy) })
    loop.watch(copy, for: .readable) { [unowned self] _ in discard(copy) }
  }

  func closeAll() {
    for descriptor in open.keys { finish(descriptor) }
  }

  private func discard(_ descriptor: Int32) {
    guard let soFar = open[descriptor]?.byteCount else { return }
    var space: [65_536 of UInt8] = .init(repeating: 0)
    let count = unsafe withUnsafeMutableBytes(of: &space) {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    if count <= 0 || soFar + count > Self.byteCeiling { return finish(descriptor) }
    open[descriptor]?.byteCount = soFar + count
  }

  private func finish(_ descriptor: Int32) {
    guard let entry = open.removeValue(forKey: descriptor) else { return }
    entry.timer.cancel()
    loop.unwatch(descriptor)
    close(descriptor)
  }
}
