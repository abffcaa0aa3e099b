import Glibc

/// The project's own files: those that git tracks or would track.
enum Repository {
  static let root: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(4).joined(separator: "/")
  }()

  /// Every file's path from the root; empty when git cannot tell.
  static let files: [String] = {
    // A work tree that belongs to someone else (a mounted volume) is as good.
    let git = "git -c safe.directory='*' -C '\(root)' ls-files -z --cached --others --exclude-standard"
    guard let pipe = popen(git, "r") else { return [] }
    defer { pclose(pipe) }
    return readAll(pipe).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { access("\(root)/\($0)", F_OK) == 0 }
  }()

  static let sources: [SourceFile] = files.filter { $0.hasSuffix(".swift") }
    .map { SourceFile(path: $0, text: text(of: $0)) }

  /// The file's text; empty when it cannot be read.
  static func text(of path: String) -> String {
    guard let file = fopen("\(root)/\(path)", "r") else { return "" }
    defer { fclose(file) }
    return String(decoding: readAll(file), as: UTF8.self)
  }

  private static func readAll(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return bytes
  }
}
