import Foundation
import TestSupport
import Testing

/// An answer that is not simply JSON in UTF-8, and what a client gets for it from the real program.
struct ShapeCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// The list's `items`, as YAML.
  var items = "{at: /list, id: /id}"
  /// What else the upstream's configuration says, as YAML.
  var upstream = ""
  var contentType = "application/json"
  var body: [UInt8]
  var expected: [String]

  private static func json(_ start: String, _ text: [UInt8], _ end: String) -> [UInt8] {
    Array(start.utf8) + text + Array(end.utf8)
  }

  static let all = [
    ShapeCase(
      testDescription: "GBK by its Content-Type", contentType: "application/json; charset=GBK",
      body: json(#"{"list":[{"id":1,"name":""#, [0xC1, 0xD0, 0xB1, 0xED], #"","n":1.10}]}"#),
      expected: [#"{"id":1,"name":"列表","n":1.10}"#]),
    ShapeCase(
      testDescription: "Shift_JIS by the configuration", upstream: "charset: Shift_JIS",
      contentType: "text/html",
      body: json(#"{"list":[{"id":""#, [0x95, 0x5C], #""}]}"#), expected: [#"{"id":"表"}"#]),
    ShapeCase(
      testDescription: "UTF-16 without a byte order mark", contentType: "application/json; charset=utf-16",
      body: #"{"list":[{"id":"é列"}]}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      expected: [#"{"id":"é列"}"#]),
    ShapeCase(
      testDescription: "JSONP behind a byte order mark", contentType: "text/javascript",
      body: Array("\u{FEFF};cb({\"list\":[{\"id\":1},{\"id\":2}]});".utf8),
      expected: [#"{"id":1}"#, #"{"id":2}"#]),
    ShapeCase(
      testDescription: "a value a line", items: "{at: \"\", id: /id, format: lines}",
      contentType: "application/x-ndjson", body: Array("{\"id\":1}\r\n{\"id\":2}\r\n".utf8),
      expected: [#"{"id":1}"#, #"{"id":2}"#]),
    ShapeCase(
      testDescription: "an object of items in the order of its keys",
      items: "{at: /posts, id: key, order: /order}",
      body: Array(#"{"order":["b","a"],"posts":{"a":{"n":1},"b":{"n":2}}}"#.utf8),
      expected: [#"{"n":2}"#, #"{"n":1}"#]),
    ShapeCase(
      testDescription: "items as JSON within strings",
      items: "{at: /list, each: /content, id: /id, format: texts}",
      body: Array(#"{"list":[{"content":"{\"id\":\"\u5217\",\"n\":1.10}"}]}"#.utf8),
      expected: [#"{"id":"列","n":1.10}"#]),
    ShapeCase(
      testDescription: "rows that are arrays", items: "{at: /data, id: /0}",
      body: Array(#"{"data":[["a",1.0],["b",2.0],["a",1.0]]}"#.utf8),
      expected: [#"["a",1.0]"#, #"["b",2.0]"#]),
  ]
}

@Suite("Shapes", .timeLimit(.minutes(10)))
struct ShapeTests {
  @Test("the real program makes a list of each, with the items' own bytes in UTF-8")
  func shapes() throws {
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        guard let number = Int(request.target.dropFirst().prefix { $0 != "?" }) else { return }
        let example = ShapeCase.all[number]
        connection.send(ListUpstream.response(200, example.contentType, example.body))
      }
    }
    defer { upstream.stop() }
    var upstreams = "upstreams:\n"
    var lists = "lists:\n"
    for (number, example) in ShapeCase.all.enumerated() {
      upstreams += "  u\(number): {url: \"http://127.0.0.1:\(upstream.port)\""
      upstreams += example.upstream.isEmpty ? "}\n" : ", \(example.upstream)}\n"
      lists += "  s\(number): {upstream: u\(number), request: {path: /\(number)}, "
      lists += "paging: {style: whole}, items: \(example.items)}\n"
    }
    let service = try Service(upstreams + lists)
    for (number, example) in ShapeCase.all.enumerated() {
      let answer = try service.get("/v1/lists/s\(number)")
      #expect(answer.status == 200, "\(example.testDescription): \(answer.text)")
      #expect(try EnvelopeReader(answer.body).items == example.expected, "\(example.testDescription)")
    }
  }
}
