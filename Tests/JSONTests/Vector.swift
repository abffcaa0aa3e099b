import Glibc
import JSON
import Testing

/// A file of `Tests/Vectors/JSON`; those of `fail` are named `KIND.what.json` after the failure that they must give.
struct Vector: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  var testDescription: String { name }

  static let pass = all(in: "pass")
  static let fail = all(in: "fail")

  private static func all(in folder: String) -> [Vector] {
    let root =
      "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Vectors/JSON/\(folder)"
    guard let directory = opendir(root) else { return [] }
    defer { closedir(directory) }
    var vectors: [Vector] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json"), let bytes = contents(of: "\(root)/\(name)") {
        vectors.append(Vector(name: String(name.dropLast(5)), bytes: bytes))
      }
    }
    return vectors.sorted { $0.name < $1.name }
  }

  private static func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes[..<count])
  }
}
