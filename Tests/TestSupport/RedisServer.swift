import Glibc

/// A Redis server of a test's own, which can go away and come back.
package final class RedisServer {
  package static let path = "/usr/bin/redis-server"

  package let port: UInt16
  private let folder: TemporaryFolder
  private let options: [String]
  private var child: Child?

  package init(options: [String] = []) throws {
    folder = try TemporaryFolder()
    port = freePort()
    self.options = options
    try start()
  }

  deinit { stop() }

  package func start() throws {
    child = try Child(
      Self.path,
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path,
        "--daemonize", "no",
      ] + options, output: folder.path + "/log")
    try waitForListener(port: port)
  }

  package func stop() {
    child?.terminate()
    child = nil
  }

  /// Ends it as a machine does that loses its power.
  package func kill() {
    child?.kill()
    child = nil
  }

  package func run(_ command: String) throws { try Child.shell("redis-cli -p \(port) \(command)") }

  /// - Returns: what `redis-cli` prints.
  package func ask(_ command: String) throws -> String {
    try Child.shell("redis-cli -p \(port) \(command)", output: folder.path + "/answer")
    return String(decoding: try folder.read("answer"), as: UTF8.self)
  }
}
