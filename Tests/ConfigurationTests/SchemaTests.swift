import Configuration
import Testing

@testable import YAMLReader

@Suite("JSON Schema")
struct SchemaTests {
  private static let path = "config/listway.schema.json"
  private static let goodFiles =
    ["config/listway.yaml"] + Repository.files(in: "config/examples", suffix: ".yaml")
    + Repository.files(in: "Tests/Vectors/Configuration/pass", suffix: ".yaml")

  /// `LISTWAY_RECORD=1` writes the file anew.
  @Test("the schema says exactly what the decoder's tables say")
  func schema() {
    if Repository.isRecording { Repository.write(SchemaWriter.text, to: Self.path) }
    #expect(Repository.text(of: Self.path) == SchemaWriter.text)
  }

  @Test("every good file agrees with it", arguments: goodFiles)
  func agrees(_ path: String) throws {
    let checker = try SchemaChecker(root: Self.tree(Self.path))
    #expect(checker.complaints(about: try Self.tree(path)) == [])
  }

  @Test(
    "what it can see of a broken file, it refuses",
    arguments: [
      "booleans", "calls", "durations", "empty", "enrichment", "integers", "missing-keys", "names",
      "no-lists", "numbers",
      "paging-styles", "screens",
      "paging-other-styles", "parameters", "parameter-names", "paths", "refusals", "says",
      "merged-keys", "section-of-a-later-version", "sizes", "unknown-key-at-the-top",
      "unknown-key-of-another-place",
      "unknown-key-of-the-paging-style", "urls", "words", "wrong-kinds",
    ])
  func refuses(_ name: String) throws {
    let checker = try SchemaChecker(root: Self.tree(Self.path))
    #expect(checker.complaints(about: try Self.tree("Tests/Vectors/Configuration/fail/\(name).yaml")) != [])
  }

  @Test("every key has a description")
  func descriptions() {
    func check(_ keys: [Schema.Key], _ path: String) {
      #expect(Set(keys.map(\.name)).count == keys.count, "\(path) has a key twice")
      for key in keys {
        #expect(!key.about.isEmpty, "\(path).\(key.name)")
        switch key.shape {
        case .mapping(let keys): check(keys, "\(path).\(key.name)")
        case .named(_, .mapping(let keys)): check(keys, "\(path).\(key.name).NAME")
        case .named(_, .open(let keys, _, .mapping(let others))):
          check(keys, "\(path).\(key.name).NAME")
          check(others, "\(path).\(key.name).NAME.NAME")
        case .variants(_, _, let variants):
          for variant in variants { check(variant.keys, "\(path).\(key.name)") }
        case .either(let shapes), .named(_, .either(let shapes)):
          for case .mapping(let keys) in shapes { check(keys, "\(path).\(key.name)") }
        default: continue
        }
      }
    }
    check(Configuration.keys, "")
  }

  private static func tree(_ path: String) throws -> ConfigurationNode {
    try NodeReader.read(Repository.bytes(of: path), file: path)
  }
}
