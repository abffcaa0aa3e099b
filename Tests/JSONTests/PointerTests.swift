import JSON
import Testing

@Suite("Pointer")
struct PointerTests {
  /// The example of RFC 6901 §5.
  static let document = #"""
    {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}
    """#

  @Test(
    "leads where RFC 6901 says",
    arguments: [
      ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
      ("/e^f", "3"),
      ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
    ])
  func example(text: String, source: String) throws {
    let document = try parsed(Self.document)
    let node = try #require(document.node(at: Pointer(text)))
    #expect(document.source(of: node) == source)
  }

  @Test(
    "leads nowhere without a fault",
    arguments: [
      "/bar", "/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/01", "/foo/+1", "/foo/1e0", "/foo/ 1", "/foo/",
      "/foo/0/0",
      "/foo/0/", "/foo/9223372036854775808", "/foo/18446744073709551616", "//", "/a", "/a/b", "/m~01n",
      "/FOO", "/fo", "/fooo",
    ])
  func nowhere(text: String) throws {
    let document = try parsed(Self.document)
    #expect(document.node(at: try Pointer(text)) == nil)
  }

  @Test("of nothing is the whole document, or the node that it starts from")
  func whole() throws {
    let document = try parsed(Self.document)
    let whole = try Pointer("")
    #expect(document.node(at: whole) == document.root)
    let foo = try #require(document.node(at: Pointer("/foo")))
    #expect(document.node(at: whole, from: foo) == foo)
    #expect(document.node(at: try Pointer("/1"), from: foo).map(document.source(of:)) == #""baz""#)
  }

  @Test(
    "treats a number as a name in an object, with its zeros",
    arguments: [("/0", "1"), ("/01", "2"), ("/-", "3"), ("/00/1", "5")])
  func numbersAsNames(text: String, source: String) throws {
    let document = try parsed(#"{"0":1,"01":2,"-":3,"00":[4,5]}"#)
    #expect(document.node(at: try Pointer(text)).map(document.source(of:)) == source)
  }

  @Test(
    "leads from every element of an array to what it leads to from each",
    arguments: ["", "/id", "/0", "/-", "/a/0", "/id/id"])
  func elements(text: String) throws {
    let document = try parsed(
      #"""
      {"list":[{"id":1},{"a":[2],"id":{"id":3},"0":"o"}, [4,[5]],[],{},7,"id",null,{"id":8,"\u0069d":9}],"id":[]}
      """#)
    let pointer = try Pointer(text)
    for name in ["list", "id"] {
      let array = try #require(document.value(named: name, in: document.root))
      var found: [String?] = []
      document.forEachElement(of: array, at: pointer) { element, node in
        #expect(element == document.element(at: found.count, in: array))
        found.append(node.map(document.source(of:)))
      }
      #expect(
        found
          == document.elements(of: array).map {
            document.node(at: pointer, from: $0).map(document.source(of:))
          })
    }
    document.forEachElement(of: document.root, at: pointer) { _, _ in Issue.record("an object has none") }
  }

  @Test("matches names however either side spells them")
  func spelling() throws {
    let document = try parsed(
      #"{"\u0069d":1,"a\/b":2,"caf\u00e9":3,"\ud83d\ude00":4,"tab\t":5,"i":6,"back\\":7}"#)
    for (text, source) in [
      ("/id", "1"), ("/a~1b", "2"), ("/café", "3"), ("/😀", "4"), ("/tab\t", "5"), ("/i", "6"),
      ("/back\\", "7"),
    ] {
      #expect(document.node(at: try Pointer(text)).map(document.source(of:)) == source)
    }
    #expect(document.node(at: try Pointer("/cafe\u{301}")) == nil, "names are compared by bytes")
    #expect(document.node(at: try Pointer("/back\\\\")) == nil)
    #expect(document.node(at: try Pointer(#"/\u0069d"#)) == nil)
  }

  @Test(
    "says what is wrong with a text",
    arguments: [
      ("foo", 0, "a pointer is empty or begins with '/'"),
      ("#/foo", 0, "a pointer is empty or begins with '/'"),
      ("/a~", 3, "'~' is followed by 0 (for '~') or 1 (for '/')"),
      ("/é~2", 4, "'~' is followed by 0 (for '~') or 1 (for '/')"),
      ("/~/a", 2, "'~' is followed by 0 (for '~') or 1 (for '/')"),
    ])
  func faults(text: String, offset: Int, message: String) throws {
    let failure = try #require(throws: Pointer.Failure.self) { try Pointer(text) }
    #expect(failure.offset == offset)
    #expect(failure.message == message)
  }

  @Test("decodes its tokens and keeps its text")
  func tokens() throws {
    let pointer = try Pointer("/data/a~1b/~01/7//é")
    #expect(pointer.tokens.map(pointer.name(of:)) == ["data", "a/b", "~1", "7", "", "é"])
    #expect(pointer.tokens.map(\.index) == [nil, nil, nil, 7, nil, nil])
    #expect(pointer.text == "/data/a~1b/~01/7//é")
  }
}
