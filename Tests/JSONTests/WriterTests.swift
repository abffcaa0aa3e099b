import JSON
import TestSupport
import Testing

@Suite("Writer")
struct WriterTests {
  @Test("puts commas and colons where they belong")
  func structure() {
    var writer = Writer(reserving: 16)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    writer.endObject()
    writer.key("body" as String)
    writer.beginArray()
    writer.beginArray()
    writer.endArray()
    writer.integer(1)
    writer.beginObject()
    writer.member("a", true)
    writer.endObject()
    writer.null()
    writer.endArray()
    writer.member("message", "ok")
    writer.endObject()
    #expect(text(writer) == #"{"status":0,"header":{},"body":[[],1,{"a":true},null],"message":"ok"}"#)
  }

  @Test("writes a lone value of each kind")
  func lone() {
    let cases: [(String, (inout Writer) -> Void)] = [
      ("0", { $0.integer(0) }), ("-9223372036854775808", { $0.integer(Int.min) }),
      ("9223372036854775807", { $0.integer(Int64.max) }),
      ("18446744073709551615", { $0.integer(UInt64.max) }),
      ("-128", { $0.integer(Int8.min) }), ("1.5", { $0.number(1.5) }), ("0.1", { $0.number(0.1) }),
      ("-0.0", { $0.number(-0.0) }), ("1e+100", { $0.number(1e100) }),
      ("5e-324", { $0.number(.leastNonzeroMagnitude) }),
      ("null", { $0.number(.nan) }), ("null", { $0.number(-.infinity) }), ("true", { $0.bool(true) }),
      ("false", { $0.bool(false) }), ("null", { $0.null() }), (#""""#, { $0.string("") }),
      (#""literal""#, { $0.string("literal" as StaticString) }), ("[1, 2]", { $0.raw(Array("[1, 2]".utf8)) }),
      (#""a�b""#, { $0.string(repairing: [0x61, 0xFF, 0x62]) }),
      ("[1]", { writer in Array("[1]".utf8).withUnsafeBytes { writer.raw($0) } }),
    ]
    for (expected, write) in cases {
      var writer = Writer(reserving: 0)
      write(&writer)
      #expect(writer.count == expected.utf8.count)
      #expect(text(writer) == expected)
    }
  }

  @Test("writes null for what is not known")
  func unknown() {
    var writer = Writer(reserving: 0)
    writer.beginObject()
    writer.member("total", orNull: nil as Int?)
    writer.member("pages", orNull: 3)
    writer.member("next", orNull: nil as String?)
    writer.member("name", orNull: "x")
    writer.member("share", 0.25)
    writer.endObject()
    #expect(text(writer) == #"{"total":null,"pages":3,"next":null,"name":"x","share":0.25}"#)
  }

  @Test("writes what it read byte for byte")
  func fromDocument() throws {
    let document = try parsed(#"{"list":[ {"id": 9007199254740993, "amount": 1.10} ,"\u00e9"]}"#)
    let list = try #require(document.value(named: "list", in: document.root))
    var writer = Writer(reserving: 0)
    writer.beginArray()
    for item in document.elements(of: list) { writer.raw(item, of: document) }
    writer.endArray()
    #expect(text(writer) == #"[{"id": 9007199254740993, "amount": 1.10},"\u00e9"]"#)
  }

  @Test("escapes what must be and nothing else")
  func escapes() throws {
    for value in UInt32(0)...0x2FF {
      let scalar = Unicode.Scalar(value)!
      var writer = Writer(reserving: 0)
      writer.string("a\(scalar)b")
      let written = text(writer)
      let mustEscape = value < 0x20 || scalar == "\"" || scalar == "\\"
      #expect((written == "\"a\(scalar)b\"") == !mustEscape)
      let document = try parsed(written)
      #expect(document.string(of: document.root)?.utf8.elementsEqual("a\(scalar)b".utf8) == true)
    }
    var writer = Writer(reserving: 0)
    writer.string("\u{0}\u{1F}\u{8}\t\n\u{C}\r\"\\/\u{2028}😀")
    #expect(text(writer) == "\"\\u0000\\u001f\\b\\t\\n\\f\\r\\\"\\\\/\u{2028}😀\"")
  }

  @Test("writes random documents that read back the same", arguments: 0..<8)
  func roundTrip(batch: UInt64) throws {
    for seed in batch * 100..<(batch + 1) * 100 {
      let source = try parsed(RandomDocument(seed: seed).bytes)
      var writer = Writer(reserving: 64)
      write(source.root, of: source, to: &writer)
      let copy = try parsed(writer.finish())
      #expect(outline(of: copy.root, in: copy) == outline(of: source.root, in: source), "seed \(seed)")
    }
  }

  @Test("traps on misuse")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.beginObject()
      writer.integer(1)
    }
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.beginArray()
      writer.key("a")
    }
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.beginArray()
      writer.endObject()
    }
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.beginObject()
      writer.key("a")
      writer.endObject()
    }
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.null()
      writer.null()
    }
    await #expect(processExitsWith: .failure) {
      var writer = Writer(reserving: 0)
      writer.beginArray()
      _ = writer.finish()
    }
  }

  private func text(_ writer: consuming Writer) -> String { String(decoding: writer.finish(), as: UTF8.self) }

  private func write(_ node: Node, of document: Document, to writer: inout Writer) {
    switch document.kind(of: node) {
    case .object:
      writer.beginObject()
      for (key, value) in document.members(of: node) {
        writer.key(key.text)
        write(value, of: document, to: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for element in document.elements(of: node) { write(element, of: document, to: &writer) }
      writer.endArray()
    case .string: writer.string(document.string(of: node) ?? "")
    case .number: writer.raw(node, of: document)
    case .bool: writer.bool(document.bool(of: node) == true)
    case .null: writer.null()
    }
  }

  /// Every name and text in order, by bytes.
  private func outline(of node: Node, in document: Document) -> [[UInt8]] {
    var lines = [Array("\(document.kind(of: node)) \(document.text(of: node) ?? "")".utf8)]
    for element in document.elements(of: node) { lines += outline(of: element, in: document) }
    for (key, value) in document.members(of: node) {
      lines.append(Array(key.text.utf8))
      lines += outline(of: value, in: document)
    }
    return lines
  }
}
