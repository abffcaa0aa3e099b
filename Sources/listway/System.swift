import CLinux
import Configuration
import Glibc

/// The terminal that the program was started from.
enum Terminal {
  static func print(_ text: String) { write(text + "\n", to: 1) }
  static func error(_ text: String) { write(text + "\n", to: 2) }

  static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody listens any more: there is nobody to tell.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

enum FileSystem {
  /// No configuration and no secret is larger.
  private static let ceiling = 16_000_000

  static func content(of path: String) -> ConfigurationSources.FileContent {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .unreadable(reason()) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { return .unreadable(reason()) }
      if count == 0 { return .content(content) }
      content += buffer[..<count]
      if content.count > ceiling { return .unreadable("larger than \(ceiling) bytes") }
    }
  }

  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}

/// Clocks that the kernels are not to read.
enum WallClock {
  /// Unix seconds. The coarse clock is a few milliseconds behind, and costs next to nothing.
  static func unixSeconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return Int64(time.tv_sec)
  }
}

/// The C library's heaps.
enum Heap {
  /// Keeps what one answer gave back for the next. Left alone, the C library returns the end of a loop's heap to the kernel
  /// whenever 128 KiB are free there, and gets the same pages again, cleared, for the next answer.
  static func keepFreedMemory() { listway_keep_freed_memory(4 << 20) }
}

enum Descriptors {
  /// Lets the process open as many descriptors as the system grants it: the usual 1,024 are fewer than one client's worth of
  /// connections.
  static func raiseLimit() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(7), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(7), &limit)
  }
}
