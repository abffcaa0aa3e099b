import Glibc
import TestSupport

/// A Redis server of a test's own, which can go away and come back.
final class RedisServer {
  static let path = "/usr/bin/redis-server"

  let port: UInt16
  private let folder: TemporaryFolder
  private let options: [String]
  private var child: Child?

  init(options: [String] = []) throws {
    folder = try TemporaryFolder()
    port = freePort()
    self.options = options
    try start()
  }

  deinit { stop() }

  func start() throws {
    child = try Child(
      Self.path,
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path,
        "--daemonize", "no",
      ] + options, output: folder.path + "/log")
    try waitForListener(port: port)
  }

  func stop() {
    child?.terminate()
    child = nil
  }

  func run(_ command: String) throws { try Child.shell("redis-cli -p \(port) \(command)") }

  /// - Returns: what `redis-cli` prints.
  func ask(_ command: String) throws -> String {
    try Child.shell("redis-cli -p \(port) \(command)", output: folder.path + "/answer")
    return String(decoding: try folder.read("answer"), as: UTF8.self)
  }
}
