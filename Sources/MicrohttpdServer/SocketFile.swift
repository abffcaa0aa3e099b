import Glibc

/// The file of a Unix socket. It is removed with the last reference, if it is still the one that was made.
final class SocketFile: Sendable {
  private let path: String
  private let identity: [2 of UInt64]?

  /// - Parameter path: where a socket has just been bound.
  init(path: String) {
    self.path = path
    identity = Self.identity(of: path)
  }

  deinit {
    guard let identity, let now = Self.identity(of: path) else { return }
    if identity[0] == now[0] && identity[1] == now[1] { unsafe unlink(path) }
  }

  /// Device and file number.
  private static func identity(of path: String) -> [2 of UInt64]? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }
}
