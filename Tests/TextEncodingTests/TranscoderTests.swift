import JSON
import Testing

@testable import TextEncoding

@Suite("Character sets")
struct TranscoderTests {
  /// Text as a character set has it.
  struct Case: Sendable, CustomTestStringConvertible {
    var label: String
    var bytes: [UInt8]
    var text: String
    var testDescription: String { label }
  }

  static let cases = [
    Case(label: "GBK", bytes: [0x22, 0xC1, 0xD0, 0xB1, 0xED, 0x22], text: "\"列表\""),
    // 镕 is of GBK, and not of GB 2312, whose name such answers bear all the same.
    Case(label: "gb2312", bytes: [0xE9, 0x46], text: "镕"),
    Case(label: "gb18030", bytes: [0x95, 0x32, 0x82, 0x36, 0x41], text: "𠀀A"),
    Case(label: "Big5", bytes: [0xA6, 0x43, 0xAA, 0xED], text: "列表"),
    // The second byte of 表 is the reverse solidus, which must not be taken for an escape.
    Case(label: "Shift_JIS", bytes: [0x22, 0x95, 0x5C, 0x5C, 0x6E, 0x22], text: #""表\n""#),
    Case(label: "EUC-JP", bytes: [0xC9, 0xBD], text: "表"),
    Case(label: "euc-kr", bytes: [0xB8, 0xF1, 0xB7, 0xCF], text: "목록"),
    Case(label: "ISO-8859-1", bytes: [0x63, 0x61, 0x66, 0xE9], text: "café"),
    Case(label: "windows-1252", bytes: [0x80, 0x31], text: "€1"),
    Case(label: "windows-1251", bytes: [0xD1, 0xEF, 0xE8, 0xF1, 0xEE, 0xEA], text: "Список"),
    Case(label: "koi8-r", bytes: [0xF3], text: "С"),
    Case(label: "UTF-16", bytes: [0xFE, 0xFF, 0x52, 0x17, 0xD8, 0x40, 0xDC, 0x00], text: "列𠀀"),
    Case(label: "utf-16", bytes: [0xFF, 0xFE, 0x17, 0x52], text: "列"),
    Case(label: "utf-16", bytes: [0x00, 0x22, 0x52, 0x17, 0x00, 0x22], text: "\"列\""),
    Case(label: "utf-16", bytes: [0x22, 0x00, 0x17, 0x52, 0x22, 0x00], text: "\"列\""),
    Case(label: "utf-16le", bytes: [0x17, 0x52], text: "列"),
    Case(label: "UTF-32", bytes: [0x22, 0, 0, 0, 0x17, 0x52, 0, 0], text: "\"列"),
  ]

  private static func transcoder(_ label: String, for bytes: [UInt8]) throws -> Transcoder {
    let charset = try #require(Charset(label: label.utf8))
    return try #require(Transcoder(charset.converterName(for: bytes)))
  }

  @Test("text of each becomes UTF-8", arguments: cases)
  func converts(example: Case) throws {
    let converted = try Self.transcoder(example.label, for: example.bytes)
      .utf8(of: Bytes(copying: example.bytes))
    #expect(String(decoding: converted[0..<converted.count], as: UTF8.self) == example.text)
  }

  @Test("a text of any length is converted whole, over and over", arguments: [0, 1, 8_191, 8_192, 100_000])
  func lengths(count: Int) throws {
    let transcoder = try Self.transcoder("gbk", for: [])
    let text = Bytes(copying: Array(repeating: [0xC1, 0xD0] as [UInt8], count: count).flatMap { $0 })
    for _ in 0..<2 {
      let converted = try transcoder.utf8(of: text)
      #expect(converted.count == 3 * count)
      #expect(converted[0..<converted.count] == Array(String(repeating: "列", count: count).utf8))
    }
  }

  @Test("what is no text of the character set is a failure that tells where")
  func failures() throws {
    let transcoder = try Self.transcoder("gbk", for: [])
    let broken = Bytes(copying: Array(repeating: UInt8(ascii: "a"), count: 20_000) + [0xFF, 0x41])
    #expect(throws: Transcoder.Failure(offset: 20_000, message: "byte 20000 (0xFF) is no text of GB18030")) {
      try transcoder.utf8(of: broken)
    }
    #expect(throws: Transcoder.Failure(offset: 2, message: "the text ends within a character of GB18030")) {
      try transcoder.utf8(of: Bytes(copying: [0xC1, 0xD0, 0xC1]))
    }
    // And the next text is none the worse for it.
    #expect(try transcoder.utf8(of: Bytes(copying: [0xC1, 0xD0])).count == 3)
  }

  @Test(
    "an unknown character set is none, and nothing can be asked of iconv by its name",
    arguments: ["klingon", "gbk//IGNORE", "utf-8//TRANSLIT", "", "a b", String(repeating: "a", count: 65)])
  func unknown(label: String) {
    #expect(Charset(label: label.utf8).flatMap { Transcoder($0.converterName(for: [])) } == nil)
  }

  @Test("the C library has every set that an answer may declare")
  func declarable() throws {
    #expect(Charset.declarable.count > 150)
    for label in Charset.declarable.union(Charset.larger.keys) {
      let charset = try #require(Charset(label: label.utf8), "\(label)")
      #expect(charset.isDeclarable && Transcoder(charset.converterName(for: [])) != nil, "\(label)")
    }
  }

  @Test(
    "an answer does not choose what no browser reads",
    arguments: ["utf-7", "IBM037", "ebcdic-us", "iso-2022-cn-ext", "utf-8", "GBK", "iso-8859-15"])
  func undeclarable(label: String) throws {
    let charset = try #require(Charset(label: label.utf8))
    #expect(charset.isDeclarable == ["utf-8", "GBK", "iso-8859-15"].contains(label))
    #expect(charset.isUTF8 || Transcoder(charset.converterName(for: [])) != nil)
  }

  @Test("a text that becomes too long is a failure, one that just fits is none")
  func ceiling() throws {
    let transcoder = try Self.transcoder("gbk", for: [])
    let text = Bytes(copying: Array(repeating: [0xC1, 0xD0] as [UInt8], count: 10_000).flatMap { $0 })
    #expect(try transcoder.utf8(of: text, ceiling: 30_000).count == 30_000)
    #expect {
      try transcoder.utf8(of: text, ceiling: 29_999)
    } throws: { error in
      (error as? Transcoder.Failure)?.message == "in UTF-8 the body is longer than 29999 bytes"
    }
  }

  @Test(
    "the names of UTF-8 are known in any case",
    arguments: [
      ("utf-8", true), ("UTF-8", true), ("utf8", true), ("US-ASCII", true), ("utf-7", false), ("gbk", false),
      ("UTF\u{0D}8", false),
    ])
  func utf8(label: String, isUTF8: Bool) {
    #expect(Charset.isUTF8(label: Array(label.utf8)[...]) == isUTF8)
  }
}
