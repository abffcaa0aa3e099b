import Glibc

/// A program that a test runs beside itself.
package final class Child: @unchecked Sendable {
  private let pid: pid_t
  private var status: Int32?

  /// Starts a program; what it writes goes to `output`, standard error included.
  ///
  /// - Parameter path: of the program; the environment is the test's own.
  package init(_ path: String, _ arguments: [String], output: String = "/dev/null") throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    // The threads of Swift's runtime block signals, and a program would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pid = pid_t()
    let code = posix_spawn(&pid, path, &actions, &attributes, &pointers, environ)
    if code != 0 { throw TestFailure("\(path): errno \(code)") }
    self.pid = pid
  }

  package var processIdentifier: Int32 { pid }

  /// Starts a program with none of the test's descriptors but for the three that every program has: what it starts and
  /// leaves behind can then keep nothing of the test's open.
  package static func detached(_ path: String, _ arguments: [String], output: String = "/dev/null") throws
    -> Child
  {
    let closing = #"for descriptor in {3..255}; do eval "exec $descriptor>&-"; done; exec "$@""#
    return try Child("/bin/bash", ["-c", closing, "bash", path] + arguments, output: output)
  }

  /// Waits until it has ended by itself.
  ///
  /// - Returns: its exit status; 128 and more when a signal ended it.
  @discardableResult
  package func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(pid, &raw, 0) < 0 && errno == EINTR {}
    let status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    self.status = status
    return status
  }

  /// Whether it has not ended yet.
  package var isRunning: Bool {
    if status != nil { return false }
    var raw: Int32 = 0
    guard waitpid(pid, &raw, WNOHANG) == pid else { return true }
    status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    return false
  }

  /// Asks it to end (SIGTERM), makes it end (SIGKILL) after five seconds, and waits until it has.
  package func terminate() {
    if status != nil { return }
    Glibc.kill(pid, SIGTERM)
    var raw: Int32 = 0
    for _ in 0..<500 {
      if waitpid(pid, &raw, WNOHANG) == pid {
        status = 0
        return
      }
      usleep(10_000)
    }
    kill()
  }

  /// Ends it at once (SIGKILL), and waits until it has.
  package func kill() {
    if status == nil { Glibc.kill(pid, SIGKILL) }
    wait()
  }

  /// Runs a line of shell to its end.
  package static func shell(_ line: String, output: String = "/dev/null") throws {
    let status = try Child("/bin/sh", ["-ec", line], output: output).wait()
    if status != 0 { throw TestFailure("status \(status) of: \(line)") }
  }

  package static func isInstalled(_ path: String) -> Bool { access(path, X_OK) == 0 }
}

/// A folder that goes away with its owner.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/listway-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure("mkdtemp: errno \(errno)") }
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { try? Child.shell("rm -rf '\(path)'") }

  package func write(_ text: String, to name: String) throws {
    try write(Array(text.utf8), to: name)
  }

  package func write(_ bytes: [UInt8], to name: String) throws {
    guard let file = fopen("\(path)/\(name)", "w") else { throw TestFailure("\(name): errno \(errno)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw TestFailure("\(name): not written")
    }
  }

  package func read(_ name: String) throws -> [UInt8] {
    guard let file = fopen("\(path)/\(name)", "r") else { throw TestFailure("\(name): errno \(errno)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
    }
  }
}

/// Waits, at most ten seconds, until something listens on a port of 127.0.0.1.
package func waitForListener(port: UInt16) throws {
  for _ in 0..<1_000 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    if withLoopback(port: port, { connect(descriptor, $0, $1) }) == 0 { return }
    usleep(10_000)
  }
  throw TestFailure("nothing listens on port \(port)")
}

/// Sets a variable of this process's environment, or takes it away.
package func setEnvironment(_ name: String, _ value: String?) {
  if let value { setenv(name, value, 1) } else { unsetenv(name) }
}
