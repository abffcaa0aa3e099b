import JSON
import Testing

@Suite("Failure")
struct FailureTests {
  @Test(
    "says what is wrong and where",
    arguments: [
      ("", "line 1, column 1 (byte 0): no JSON, only white space or nothing"),
      ("[1,]", "line 1, column 4 (byte 3): ']' where a value should stand"),
      ("{\n  \"a\": 1,\n}", "line 3, column 1 (byte 12): '}' where a key in double quotes should stand"),
      ("{a:1}", "line 1, column 2 (byte 1): 'a' where a key in double quotes or '}' should stand"),
      ("[\"é\", NaN]", "line 1, column 7 (byte 7): 'N' where a value should stand"),
      ("[\"é\", ‘x’]", "line 1, column 7 (byte 7): '‘' where a value should stand"),
      ("[1 2]", "line 1, column 4 (byte 3): '2' where ',' or ']' should stand"),
      ("{\"a\" 1}", "line 1, column 6 (byte 5): '1' where ':' should stand"),
      ("{\"a\":1]", "line 1, column 7 (byte 6): ']' where ',' or '}' should stand"),
      ("[tru]", "line 1, column 5 (byte 4): ']' where 'true' should stand"),
      ("[01]", "line 1, column 3 (byte 2): a number with a leading zero"),
      ("[1.]", "line 1, column 4 (byte 3): ']' where a digit should stand"),
      ("[\"a\tb\"]", "line 1, column 4 (byte 3): the control character 0x09 within a string"),
      ("[\"a\\x\"]", "line 1, column 4 (byte 3): the unknown escape '\\' with 'x'"),
      ("[\"\\u00zz\"]", "line 1, column 3 (byte 2): '\\u' without four hexadecimal digits"),
      ("[1]\r\n\r\n[2]", "line 3, column 1 (byte 7): '[' where the end of the document should stand"),
      ("[\"abc", "line 1, column 6 (byte 5): the body ends where '\"' should follow"),
      ("[1\0]", "line 1, column 3 (byte 2): 0x00 where ',' or ']' should stand"),
    ])
  func message(text: String, description: String) throws {
    let failure = try #require(throws: Failure.self) { try parsed(text) }
    #expect(failure.description == description)
  }

  @Test("names the bytes that are not UTF-8")
  func invalidUTF8() throws {
    let latin1 = Array("{\"name\":\"Caf".utf8) + [0xE9] + Array("\"}".utf8)
    let failure = try #require(throws: Failure.self) { try parsed(latin1) }
    #expect(
      failure.description == "line 1, column 13 (byte 12): 0xE9 and '\"', which is no character of UTF-8")
    let utf16 = try #require(throws: Failure.self) { try parsed([0xFF, 0xFE, 0x5B, 0, 0x5D, 0]) }
    #expect(utf16.description == "line 1, column 1 (byte 0): 0xFF, which begins no character of UTF-8")
  }

  @Test("counts from the start of the body when only a part is parsed")
  func partOfABody() throws {
    let body = Bytes("while(1);\n[1,,2]")
    let failure = try #require(throws: Failure.self) {
      try Parser(maximumDepth: 8).parse(body, in: 10..<body.count)
    }
    #expect([failure.offset, failure.line, failure.column] == [13, 2, 4])
  }
}
