import JSON
import Testing

@Suite("Document")
struct DocumentTests {
  static let page = """
    { "code" : 0, "data": {"data":[ {"id": 9007199254740993, "amount": 1.10 } ,["x"], "é\\n", null],
      "total": "1037", "empty": [], "none": { } }, "more" : true }
    """

  @Test(
    "gives every value its exact bytes",
    arguments: [
      ("", page), ("/code", "0"), ("/data/data/0", #"{"id": 9007199254740993, "amount": 1.10 }"#),
      ("/data/data/0/id", "9007199254740993"), ("/data/data/0/amount", "1.10"), ("/data/data/1", #"["x"]"#),
      ("/data/data/1/0", #""x""#), ("/data/data/2", #""é\n""#), ("/data/data/3", "null"),
      ("/data/total", #""1037""#), ("/data/empty", "[]"), ("/data/none", "{ }"), ("/more", "true"),
    ])
  func ranges(pointer: String, source: String) throws {
    let document = try parsed(Self.page)
    let node = try #require(document.node(at: Pointer(pointer)))
    #expect(document.source(of: node) == source)
  }

  @Test("knows what each value is and how many it holds")
  func kinds() throws {
    let document = try parsed(
      #"{"o":{"a":1},"a":[1,2,3],"s":"","n":-1,"t":true,"f":false,"z":null,"e":[],"p":{}}"#)
    var found: [String] = []
    document.forEachMember(of: document.root) { key, value in
      found.append("\(key.text) \(document.kind(of: value)) \(document.count(of: value))")
    }
    #expect(
      found == [
        "o object 1", "a array 3", "s string 0", "n number 0", "t bool 0", "f bool 0", "z null 0",
        "e array 0",
        "p object 0",
      ])
    #expect(document.count(of: document.root) == 9)
  }

  @Test("is read by many tasks at once, while others parse the same bytes")
  func sharing() async throws {
    let bytes = Bytes(Self.page)
    let document = try Parser(maximumDepth: 8).parse(bytes)
    let names = { @Sendable (document: Document) in document.members(of: document.root).map(\.key.text) }
    let expected = names(document)
    #expect(!expected.isEmpty)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let parser = Parser(maximumDepth: 8)
          for _ in 0..<200 {
            let own = try parser.parse(bytes)
            guard names(own) == expected, names(document) == expected else {
              Issue.record("another document")
              return
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
