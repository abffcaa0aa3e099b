import Testing

@testable import HTTPSemantics

@Suite("Fields")
struct FieldsTests {
  @Test("finds a field whatever the case of its name, and keeps the order and the spelling")
  func lookUp() {
    var fields = Fields()
    fields.append("content-TYPE".utf8Span.span, "application/json".utf8Span.span)
    fields.append(.age, "3")
    #expect(fields.text(.contentType) == "application/json")
    #expect(fields[0].name.text == "content-TYPE")
    #expect(fields[1].name.text == "Age")
    #expect(fields.count == 2)
    #expect(fields.text(.link) == nil)
    #expect(!fields.contains(.link))
  }

  @Test("gives every value of a repeated field, and joins them with commas")
  func repeated() {
    var fields = Fields()
    fields.append(.vary, "Accept")
    fields.append(.age, "3")
    fields.append(.vary, "Origin, Accept-Language")
    #expect(fields.values(.vary).map(\.text) == ["Accept", "Origin, Accept-Language"])
    #expect(fields.combined(.vary)?.text == "Accept, Origin, Accept-Language")
    #expect(fields.elements(.vary).map(\.text) == ["Accept", "Origin", "Accept-Language"])
    #expect(fields.combined(.age)?.text == "3")
  }

  @Test("keeps commas inside quotes in one element, and drops empty elements")
  func elements() {
    var fields = Fields()
    fields.append("X-List", #", "a,\"b", c ,,d"#)
    #expect(fields.elements("X-List").map(\.text) == [#""a,\"b""#, "c", "d"])
    fields.append("X-List", #""open, e"#)
    #expect(fields.elements("X-List").last?.text == #""open, e"#)
  }

  @Test("never lets a value end its line: CR, LF and NUL become spaces, white space around it goes")
  func noSplitting() {
    var fields = Fields()
    fields.append(.location, " /a\r\nSet-Cookie: b\0c\t")
    #expect(fields.text(.location) == "/a  Set-Cookie: b c")
    for position in 0..<40 {
      var value = [UInt8](repeating: 0x78, count: 40)
      value[position] = [0x0D, 0x0A, 0x00][position % 3]
      fields.append(.link, value)
    }
    let values = fields.values(.link)
    #expect(values.count == 40)
    for value in values { #expect(value.count { $0 == 0x20 } == 1 && value.count { $0 == 0x78 } == 39) }
  }

  @Test(
    "takes a name from outside only when it is a token",
    arguments: [
      ("X-Total", true), ("x_total", true), ("", false), ("a b", false), ("a:", false), ("é", false),
      ("a\n", false),
    ])
  func validatedName(text: String, isName: Bool) {
    #expect((FieldName(validating: text) != nil) == isName)
  }

  @Test("starts over without growing")
  func removeAll() {
    var fields = Fields()
    fields.append(.age, "3")
    fields.removeAll()
    #expect(fields.isEmpty)
    #expect(fields.byteCount == 0)
    fields.append(.age, "4")
    #expect(fields.text(.age) == "4")
  }
}
