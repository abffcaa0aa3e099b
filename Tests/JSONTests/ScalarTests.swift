import JSON
import TestSupport
import Testing

@Suite("Scalars")
struct ScalarTests {
  @Test(
    "gives whole numbers that fit, however they are written",
    arguments: [
      ("0", 0), ("-0", 0), ("-0.0", 0), ("0e999999999999999999999", 0), ("0.000E-5", 0), ("7", 7), ("-4", -4),
      ("3.0", 3), ("1e2", 100), ("1E+2", 100), ("1.5e1", 15), ("-1.50e1", -15), ("100e-2", 1),
      ("12300e-2", 123),
      ("0.001e3", 1), ("1.000000000000000000000000000000", 1), ("10000000000000000000000000000e-28", 1),
      ("9007199254740993", 9_007_199_254_740_993), ("9007199254740993.0", 9_007_199_254_740_993),
      ("9.223372036854775807e18", .max), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("-9.223372036854775808e+18", .min), ("123456789012345678", 123_456_789_012_345_678),
      ("1234567890123456789", 1_234_567_890_123_456_789), ("922337203685477580", 922_337_203_685_477_580),
    ])
  func integers(text: String, value: Int) throws {
    for source in [text, " \(text) ", "[\(text)]", "[ \(text) ]"] {
      let document = try parsed(source)
      let node = document.element(at: 0, in: document.root) ?? document.root
      #expect(document.integer(of: node) == value)
      #expect(document.numberText(of: node) == text)
    }
  }

  @Test(
    "gives no integer for what is no whole number, does not fit, or is no number",
    arguments: [
      "0.5", "-1.1", "1e-1", "15e-1", "100.001e2", "9223372036854775808", "-9223372036854775809", "1e19",
      "1e400",
      "1e99999999999999999999", "1e-99999999999999999999", "18446744073709551616",
      "1000000000000000000000000000000",
      "\"7\"", "true", "null", "[]", "[7]", "{}",
    ])
  func noInteger(text: String) throws {
    let document = try parsed(text)
    #expect(document.integer(of: document.root) == nil)
  }

  @Test("agrees with Swift about every integer's text, plain, with a fraction of zeros, and shifted")
  func integersAtRandom() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<2_000 {
      let value = Int(truncatingIfNeeded: random.next()) >> Int.random(in: 0..<64, using: &random)
      for text in ["\(value)", "\(value).000", "\(value).0e0"] + (value == 0 ? [] : ["\(value)000e-3"]) {
        let document = try parsed(text)
        #expect(document.integer(of: document.root) == value)
      }
    }
  }

  @Test(
    "decodes strings",
    arguments: [
      (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u0041\u00e9\u4E2D""#, "Aé中"), (#""\ud83d\ude00\uD83D\uDE00""#, "😀😀"), (#""\u0000""#, "\0"),
      (#""\ud83d""#, "\u{FFFD}"), (#""\ude00""#, "\u{FFFD}"), (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
      (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
      (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"), (#""\uFFFF\uffff""#, "\u{FFFF}\u{FFFF}"),
      (#""a\\u0041""#, "a\\u0041"),
      (#""\udbff\udfff\ud800\udc00""#, "\u{10FFFF}\u{10000}"),
    ])
  func strings(source: String, text: String) throws {
    let document = try parsed(source)
    #expect(document.string(of: document.root).map { Array($0.utf8) } == Array(text.utf8))
    #expect(document.text(of: document.root) == text)
  }

  @Test("gives any scalar but null as text, and only what is asked for as its own kind")
  func texts() throws {
    let document = try parsed(#"["a\n",1.10,true,false,null,[],{}]"#)
    let nodes = Array(document.elements(of: document.root))
    #expect(nodes.map(document.text(of:)) == ["a\n", "1.10", "true", "false", nil, nil, nil])
    #expect(nodes.map(document.string(of:)) == ["a\n", nil, nil, nil, nil, nil, nil])
    #expect(nodes.map(document.numberText(of:)) == [nil, "1.10", nil, nil, nil, nil, nil])
    #expect(nodes.map(document.bool(of:)) == [nil, nil, true, false, nil, nil, nil])
    #expect(nodes.map(document.isNull) == [false, false, false, false, true, false, false])
    for node in nodes {
      var buffer = Array("before ".utf8)
      #expect(document.appendText(of: node, to: &buffer) == (document.text(of: node) != nil))
      #expect(String(decoding: buffer, as: UTF8.self) == "before " + (document.text(of: node) ?? ""))
      #expect(document.text(of: node, equals: Array("1.10".utf8)) == (document.text(of: node) == "1.10"))
    }
  }

  @Test("fingerprints the text, not its spelling, the same in every version")
  func fingerprints() throws {
    let document = try parsed(
      #"["id","\u0069d",7,"7",null,"","0123456789abcdef","0123456789abcdeg","longer than one word"]"#)
    let marks = document.elements(of: document.root).map { document.fingerprint(of: $0, seed: 1) }
    #expect(marks[0] == marks[1] && marks[2] == marks[3] && marks[4] == nil)
    #expect(Set(marks).count == 7)
    #expect(
      marks[0] == 0x0FF6C339C01C1B47 && marks[5] == 0x0DDF189F7CD6BFCA && marks[8] == 0x316930AAA9BAF3C0)
    #expect(document.fingerprint(of: Array(document.elements(of: document.root))[0], seed: 2) != marks[0])
  }

  @Test("gives ids that follow one another fingerprints that do not")
  func spread() throws {
    let document = try parsed("[" + (0..<20_000).map(String.init).joined(separator: ",") + "]")
    let marks = document.elements(of: document.root).compactMap { document.fingerprint(of: $0, seed: 0) }
    #expect(Set(marks).count == 20_000)
    // Each bit is set about half of the time.
    for bit in 0..<64 {
      let count = marks.count { $0 >> bit & 1 == 1 }
      #expect((9_500...10_500).contains(count), "bit \(bit)")
    }
  }
}
