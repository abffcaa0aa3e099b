import Glibc
import Testing

@testable import HTTPSemantics

/// Link fields as servers send them: lines `Link: …`, then in `pass` an empty line and the target of `next`.
private struct Vector: CustomTestStringConvertible, Sendable {
  let name: String
  let fields: Fields
  let next: String?
  var testDescription: String { name }

  static func all(in folder: String) -> [Vector] {
    let root =
      "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Vectors/Link/\(folder)"
    guard let directory = opendir(root) else { return [] }
    defer { closedir(directory) }
    var vectors: [Vector] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".txt"), let text = contents(of: "\(root)/\(name)") {
        vectors.append(Vector(name: String(name.dropLast(4)), text: text))
      }
    }
    return vectors.sorted { $0.name < $1.name }
  }

  private init(name: String, text: String) {
    self.name = name
    var fields = Fields()
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.first, line.hasPrefix("Link:") {
      fields.append(.link, String(line.dropFirst("Link:".count)))
      lines.removeFirst()
    }
    self.fields = fields
    next = lines.first == "" ? lines.dropFirst().first.map(String.init) : nil
  }

  private static func contents(of path: String) -> String? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}

@Suite("Link vectors")
struct LinkVectorTests {
  @Test("finds the next page", arguments: Vector.all(in: "pass"))
  private func pass(vector: Vector) throws {
    let target = LinkField.target("next", in: vector.fields)
    #expect(target.map { String(decoding: $0, as: UTF8.self) } == vector.next)
    #expect(vector.next != nil)
  }

  @Test("finds no next page", arguments: Vector.all(in: "fail"))
  private func fail(vector: Vector) {
    #expect(!vector.fields.isEmpty)
    #expect(LinkField.target("next", in: vector.fields) == nil)
  }

  @Test("has vectors of both kinds")
  func present() {
    #expect(Vector.all(in: "pass").count >= 30)
    #expect(Vector.all(in: "fail").count >= 14)
  }
}
