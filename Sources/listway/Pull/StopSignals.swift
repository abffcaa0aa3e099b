import CLinux
import Glibc

/// SIGINT and SIGTERM as a descriptor that becomes readable, so that what waits for something else can wait for them too.
/// After the first, the next one ends the program at once.
final class StopSignals {
  let descriptor: Int32
  /// The first that came.
  private(set) var number: Int32?

  /// To be made before any other thread is started: threads inherit what is blocked.
  init() {
    Signals.prepare()
    var set = Signals.stopSignals
    descriptor = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
  }

  deinit { close(descriptor) }

  /// Whether one has come. With `output`, waits until one has or until `output` can be written to.
  func arrived(or output: Int32?) -> Bool {
    if number != nil { return true }
    var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if let output { entries.append(pollfd(fd: output, events: Int16(POLLOUT), revents: 0)) }
    while unsafe poll(&entries, nfds_t(entries.count), output == nil ? 0 : -1) < 0 && errno == EINTR {}
    take()
    return number != nil
  }

  /// Takes note of one that has come.
  func take() {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard number == nil, unsafe read(descriptor, &information, size) == size else { return }
    number = Int32(information.ssi_signo)
    Signals.endAtOnce()
  }
}
