import Glibc

/// Standard output, to which whole lines are written, and of which it is known how many there are.
///
/// A reader that takes nothing holds the pull up; a signal still ends it, behind the line under way.
@safe
final class PullOutput {
  enum Result {
    /// All lines were written.
    case whole
    /// A signal came: so many lines were written, the last one whole.
    case interrupted(lines: Int)
    /// The reader has gone.
    case closed
    /// So many whole lines are there; `isCut` when a part of another follows that could not be taken back.
    case failed(lines: Int, reason: String, isCut: Bool)
  }

  /// A pipe that is ready takes this many bytes without blocking (pipe(7), PIPE_BUF).
  private static let pipeBlock = 4_096
  private static let fileBlock = 1 << 20

  private let descriptor: Int32
  private let signals: StopSignals
  /// Whether it is a regular file: it never blocks for long, and it can be cut.
  let isFile: Bool
  let isTerminal: Bool

  init(descriptor: Int32, signals: StopSignals) {
    self.descriptor = descriptor
    self.signals = signals
    var status = stat()
    isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    isTerminal = isatty(descriptor) == 1
  }

  /// The bytes in the file; nil when it is none.
  var byteCount: Int? {
    var status = stat()
    guard isFile, unsafe fstat(descriptor, &status) == 0 else { return nil }
    return Int(status.st_size)
  }

  /// What tells the file from all others, by whatever name; nil when it is none.
  var identity: String? {
    var status = stat()
    guard isFile, unsafe fstat(descriptor, &status) == 0 else { return nil }
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// The file's path; nil when it is none, or has no name any more.
  var path: String? {
    guard isFile else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.hasSuffix(" (deleted)") ? nil : path
  }

  /// Cuts the file behind `byteCount` bytes, and goes on there.
  ///
  /// - Returns: whether that worked.
  func cut(to byteCount: Int) -> Bool {
    ftruncate(descriptor, byteCount) == 0 && lseek(descriptor, byteCount, SEEK_SET) == byteCount
  }

  /// Writes lines, each with its line feed.
  func write(_ lines: [UInt8]) -> Result {
    var written = 0
    var end = lines.count
    var isEnding = false
    while written < end {
      if !isEnding, signals.arrived(or: isFile ? nil : descriptor) {
        // Behind the line under way, which may be the last; nothing of the next.
        isEnding = true
        end = Self.endOfLine(written, in: lines)
        continue
      }
      let count = unsafe lines.withUnsafeBytes { bytes in
        let block = isFile ? Self.fileBlock : Self.pipeBlock
        return unsafe Glibc.write(
          descriptor, bytes.baseAddress.map { unsafe $0 + written }, min(end - written, block))
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
      } else if errno != EINTR {
        return errno == EPIPE ? .closed : failure(errno, after: written, of: lines)
      }
    }
    return end == lines.count ? .whole : .interrupted(lines: Self.lineCount(lines[..<end]))
  }

  private func failure(_ code: Int32, after written: Int, of lines: [UInt8]) -> Result {
    let reason = unsafe String(cString: strerror(code))
    let whole = written - lines[..<written].reversed().prefix { $0 != UInt8(ascii: "\n") }.count
    var isCut = whole < written
    if isCut, let byteCount, cut(to: byteCount - (written - whole)) { isCut = false }
    return .failed(lines: Self.lineCount(lines[..<whole]), reason: reason, isCut: isCut)
  }

  /// Where the line ends of which a part has been written; `position` itself between two lines.
  private static func endOfLine(_ position: Int, in lines: [UInt8]) -> Int {
    if position == 0 || lines[position - 1] == UInt8(ascii: "\n") { return position }
    return lines[position...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.count
  }

  private static func lineCount(_ lines: ArraySlice<UInt8>) -> Int {
    lines.count { $0 == UInt8(ascii: "\n") }
  }
}
