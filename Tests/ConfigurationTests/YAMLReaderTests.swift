import Configuration
import Testing

@testable import YAMLReader

@Suite("YAML reader")
struct YAMLReaderTests {
  private static func read(_ text: String) throws -> ConfigurationNode {
    try NodeReader.read(Array(text.utf8), file: "f")
  }

  private static func mark(_ line: Int, _ column: Int) -> Mark { Mark(line: line, column: column) }

  @Test("keys and values know where they stand, in characters")
  func marks() throws {
    let root = try Self.read("é: {日本: x}\nlist:\n  - a\n  - \"b\"\n")
    let members = try #require(root.members)
    #expect(members.map(\.key) == ["é", "list"])
    #expect(members.map(\.mark) == [Self.mark(1, 1), Self.mark(2, 1)])
    #expect(members[0].value.mark == Self.mark(1, 4))
    #expect(members[0].value.members?[0].mark == Self.mark(1, 5))
    #expect(members[0].value["日本"]?.mark == Self.mark(1, 9))
    #expect(members[1].value.elements?.map(\.mark) == [Self.mark(3, 5), Self.mark(4, 5)])
  }

  @Test("a scalar is its text, and plain unless it is quoted")
  func scalars() throws {
    let root = try Self.read("- no\n- \"no\"\n- '1'\n- 0x1F\n- |\n  a\n  b\n- ''\n-\n")
    let found = try #require(root.elements).map { node -> String in
      guard case .scalar(let scalar) = node.content else { return "?" }
      return "\(scalar.isPlain ? "plain" : "quoted") \(scalar.text)"
    }
    #expect(
      found == ["plain no", "quoted no", "quoted 1", "plain 0x1F", "quoted a\nb\n", "quoted ", "plain "])
  }

  @Test("what YAML 1.2 reads as nothing is null, and only that", arguments: ["", "~", "null"])
  func null(_ text: String) throws {
    guard case .scalar(let scalar)? = try Self.read("a: \(text)")["a"]?.content else {
      Issue.record("no scalar")
      return
    }
    #expect(scalar.isNull)
    #expect(!ConfigurationNode.Scalar(text: text, isPlain: false).isNull)
    #expect(!ConfigurationNode.Scalar(text: "Null", isPlain: true).isNull)
  }

  @Test("line ends of every system and a byte order mark make no difference")
  func lineEnds() throws {
    let unix = try Self.read("a: 1\nb: [x]\n")
    #expect(try Self.read("a: 1\r\nb: [x]\r\n") == unix)
    #expect(try Self.read("\u{FEFF}a: 1\nb: [x]\n").members?.map(\.key) == ["a", "b"])
  }

  @Test("an alias is what its anchor marks")
  func alias() throws {
    let root = try Self.read("a: &x {k: [1, 2]}\nb: *x\n")
    #expect(root["a"]?.content == root["b"]?.content)
  }

  @Test("an alias inside its own anchor is refused")
  func recursion() {
    #expect(throws: ConfigurationFault.self) { try Self.read("a: &x [*x]\n") }
  }

  @Test("an alias cannot make a tree deeper than a file can")
  func aliasDepth() {
    let inner = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(throws: Never.self) { try Self.read("a: &x \(inner)\nb: [*x]\n") }
    let outer = String(repeating: "[", count: 30) + "*x" + String(repeating: "]", count: 30)
    #expect(throws: ConfigurationFault.self) { try Self.read("a: &x \(inner)\nb: \(outer)\n") }
  }

  @Test(
    "nothing, comments and an empty document are an empty mapping or nothing", arguments: ["", "\n# a\n"])
  func empty(_ text: String) throws {
    #expect(try Self.read(text).members?.isEmpty == true)
  }

  @Test("a file that is too long is refused before it is read")
  func length() {
    let text = "a: \"" + String(repeating: "x", count: NodeReader.maximumLength) + "\"\n"
    #expect(
      throws: ConfigurationFault(
        file: "f", mark: Self.mark(1, 1), message: "the file has 1048582 bytes; 1048576 are allowed")
    ) { try Self.read(text) }
  }
}
