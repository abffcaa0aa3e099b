import JSON
import Testing

@Suite("Key")
struct KeyTests {
  @Test("equals its own name only, however it is spelt")
  func equality() throws {
    let document = try parsed(#"{"id":1,"i\u0064":2,"ID":3,"id ":4,"\"id\"":5,"":6,"idx":7,"i":8,"id\\":9}"#)
    let members = Array(document.members(of: document.root))
    #expect(members.map { $0.key == "id" } == [true, true] + Array(repeating: false, count: 7))
    #expect(members.map(\.key.text) == ["id", "id", "ID", "id ", "\"id\"", "", "idx", "i", "id\\"])
    for (key, _) in members {
      for (other, _) in members {
        #expect((key == other.text) == (key.text == other.text), "\(key.text) and \(other.text)")
        let isEqual = key.withText { key in other.withText { key.elementsEqual($0) } }
        #expect(isEqual == (key.text == other.text))
      }
    }
    #expect(document.bytes[members[1].key.range] == Array(#""i\u0064""#.utf8))
  }

  @Test("given twice, the last member counts, and both are enumerated")
  func duplicates() throws {
    let document = try parsed(#"{"a":1,"b":{"a":2},"\u0061":3,"c":4}"#)
    #expect(document.value(named: "a", in: document.root).map(document.source(of:)) == "3")
    #expect(document.node(at: try Pointer("/a")).map(document.source(of:)) == "3")
    #expect(document.count(of: document.root) == 4)
    var names: [String] = []
    document.forEachMember(of: document.root) { key, _ in names.append(key.text) }
    #expect(names == ["a", "b", "a", "c"])
  }

  @Test("is looked for in objects only, elements in arrays only")
  func otherKinds() throws {
    let document = try parsed(#"[{"a":1},["a"],"a",1,null,true]"#)
    let nodes = Array(document.elements(of: document.root))
    #expect(
      nodes.map { document.value(named: "a", in: $0) != nil } == [true, false, false, false, false, false])
    #expect(
      nodes.map { document.element(at: 0, in: $0) != nil } == [false, true, false, false, false, false])
    #expect(nodes.map { Array(document.members(of: $0)).count } == [1, 0, 0, 0, 0, 0])
    #expect(nodes.map { Array(document.elements(of: $0)).count } == [0, 1, 0, 0, 0, 0])
    #expect(
      document.element(at: -1, in: document.root) == nil && document.element(at: 6, in: document.root) == nil)
  }

  @Test("lets an error out of an enumeration, which ends there")
  func errors() throws {
    struct Stop: Error {}
    let document = try parsed(#"{"a":[1,2,3],"b":0}"#)
    let list = try #require(document.value(named: "a", in: document.root))
    var seen = 0
    #expect(throws: Stop.self) {
      try document.forEachElement(of: list) { (_) throws(Stop) in
        seen += 1
        if seen == 2 { throw Stop() }
      }
    }
    #expect(seen == 2)
    #expect(throws: Stop.self) {
      try document.forEachMember(of: document.root) { (_, _) throws(Stop) in throw Stop() }
    }
  }
}
