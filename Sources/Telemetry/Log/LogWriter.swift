internal import Glibc
internal import Synchronization

/// Writes log lines to a descriptor, on a thread of its own: a descriptor that blocks holds up this thread and nothing else.
///
/// What waits to be written is bounded. Lines that find no room are dropped whole and counted, and a line of its own says
/// so as soon as there is room again.
package final class LogWriter: Sendable {
  private struct Queue {
    var bytes: [UInt8] = []
    var lineCount = 0
    var droppedLineCount: UInt64 = 0
    var reportedLineCount: UInt64 = 0
    var isStopping = false
  }

  private let descriptor: Int32
  private let capacity: Int
  private let queue = Mutex(Queue())
  private let hasWork = Semaphore()
  private let hasEnded = Semaphore()

  /// Starts the thread, with every signal blocked: a reader that goes away is an error of write(2), not a SIGPIPE.
  ///
  /// - Parameters:
  ///   - descriptor: stays the caller's, who closes it after ``stop(within:)``.
  ///   - capacity: how many bytes may wait.
  package init(descriptor: Int32, capacity: Int) {
    self.descriptor = descriptor
    self.capacity = capacity
    var thread = pthread_t()
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, LogWriter.body, context)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    precondition(code == 0, "no thread for the log")
    pthread_detach(thread)
  }

  /// Takes whole lines, or drops them. From any thread; waits for nothing but another call of this.
  package func take(_ lines: [UInt8], lineCount: Int) {
    let isFirst = queue.withLock { queue in
      guard queue.bytes.count + lines.count <= capacity, !queue.isStopping else {
        queue.droppedLineCount += UInt64(lineCount)
        return false
      }
      defer {
        queue.bytes.append(contentsOf: lines)
        queue.lineCount += lineCount
      }
      return queue.bytes.isEmpty
    }
    if isFirst { hasWork.signal() }
  }

  /// The lines that were never written: no room, or the descriptor failed.
  package var droppedLineCount: UInt64 { queue.withLock { $0.droppedLineCount } }

  /// Writes what waits, and ends the thread. Lines taken afterwards are dropped.
  ///
  /// - Returns: whether all of it was written in time. A descriptor that blocks cannot hold the process longer.
  package func stop(within limit: Duration) -> Bool {
    queue.withLock { $0.isStopping = true }
    hasWork.signal()
    return hasEnded.wait(atMost: limit)
  }

  private func run() {
    var batch: [UInt8] = []
    while true {
      hasWork.wait()
      let (lineCount, dropped, isStopping) = queue.withLock { queue in
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &queue.bytes)
        defer {
          queue.lineCount = 0
          queue.reportedLineCount = queue.droppedLineCount
        }
        return (queue.lineCount, queue.droppedLineCount - queue.reportedLineCount, queue.isStopping)
      }
      if dropped > 0 { batch += LogWriter.report(dropped) }
      if !write(batch) { queue.withLock { $0.droppedLineCount += UInt64(lineCount) } }
      if isStopping { break }
      // Lines that come meanwhile go out together, and wake nobody: a signal to a thread that does not wait is cheap.
      usleep(5_000)
    }
    hasEnded.signal()
  }

  /// - Returns: false when the descriptor cannot be written to.
  private func write(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while position < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress.map { unsafe $0 + position }, bytes.count - position)
      }
      if count >= 0 {
        position += count
      } else if errno == EAGAIN {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&request, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private static func report(_ dropped: UInt64) -> [UInt8] {
    var time = [UInt8(ascii: "\"")]
    WallTime.now.append(to: &time)
    time.append(UInt8(ascii: "\""))
    var line = LogLine(level: .warn, time: time, message: "log lines were dropped")
    line.field("count", dropped)
    return line.finish()
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
