import Glibc

/// A small disk of its own, in memory. It takes the right to mount.
package final class MountedFolder {
  package static let isPossible: Bool = {
    guard geteuid() == 0, let folder = try? MountedFolder(kilobytes: 100) else { return false }
    return folder.isMounted
  }()

  private let folder: TemporaryFolder
  private var isMounted = false
  package var path: String { folder.path }

  package init(kilobytes: Int) throws {
    folder = try TemporaryFolder()
    try Child.shell("mount -t tmpfs -o size=\(kilobytes)k tmpfs '\(folder.path)'")
    isMounted = true
  }

  package func remount(_ options: String) throws { try Child.shell("mount -o remount,\(options) '\(path)'") }

  deinit { if isMounted { try? Child.shell("umount -l '\(path)'") } }
}
