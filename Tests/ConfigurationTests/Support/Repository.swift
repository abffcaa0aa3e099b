import Glibc

/// The files of the repository that the tests read.
enum Repository {
  static let root: String = {
    let parts = #filePath.split(separator: "/").dropLast(4)
    return "/" + parts.joined(separator: "/")
  }()

  static func bytes(of path: String) -> [UInt8] {
    guard let file = fopen("\(root)/\(path)", "r") else { fatalError("\(path) cannot be read") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  static func text(of path: String) -> String { String(decoding: bytes(of: path), as: UTF8.self) }

  static func write(_ text: String, to path: String) {
    guard let file = fopen("\(root)/\(path)", "w") else { fatalError("\(path) cannot be written") }
    fputs(text, file)
    fclose(file)
  }

  /// The paths of the files in `folder` that end with `suffix`, in order.
  static func files(in folder: String, suffix: String) -> [String] {
    guard let directory = opendir("\(root)/\(folder)") else { fatalError("\(folder) cannot be read") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix) { names.append("\(folder)/\(name)") }
    }
    return names.sorted()
  }

  /// Whether a run is to write what it would compare with.
  static let isRecording = getenv("LISTWAY_RECORD") != nil
}
