import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

/// Answers that are not simply one JSON document in UTF-8.
@Suite("Bodies", .timeLimit(.minutes(10)))
struct BodyTests {
  private static func harness(
    _ items: String = "items: {at: /list, id: /id}", upstream: String = "", outcome: Harness.Outcome
  ) throws -> Harness {
    let configuration = pagedConfiguration.replacing("items: {at: /list, id: /id}", with: items).replacing(
      #"{url: "http://127.0.0.1:1/api"}"#, with: #"{url: "http://127.0.0.1:1/api"\#(upstream)}"#)
    return try Harness(configuration) { _ in outcome }
  }

  @Test(
    "JSONP and JSON behind a guard against scripts are lists like any other",
    arguments: [
      #";cb({"list":[{"id":1},{"id":2}],"total":2});"#,
      ")]}'\n{\"list\":[{\"id\":1},{\"id\":2}],\"total\":2}",
    ])
  func wrapped(body: String) throws {
    let answer = try Self.harness(outcome: .body(body)).ask("/v1/lists/items")
    #expect(answer.items == [#"{"id":1}"#, #"{"id":2}"#])
    #expect(answer.header["total"] as? Int == 2)
  }

  @Test("a value a line is a list like any other")
  func lines() throws {
    let harness = try Self.harness(
      "items: {at: \"\", id: /id, format: lines, trailers: 1}",
      outcome: .body("{\"id\":1}\n{\"id\":2, \"n\":1.10}\n{\"total\":2}\n"))
    let answer = harness.ask("/v1/lists/items")
    #expect(answer.items == [#"{"id":1}"#, #"{"id":2, "n":1.10}"#])
    #expect(answer.header["total"] as? Int == 2 && answer.next == nil)
  }

  @Test(
    "an answer in the character set that it declares is passed on in UTF-8",
    arguments: [
      ("GBK", [0xC1, 0xD0, 0xB1, 0xED]), ("\"gb2312\"", [0xC1, 0xD0, 0xB1, 0xED]),
      ("Big5", [0xA6, 0x43, 0xAA, 0xED]), ("shift_jis", [0x97, 0xF1, 0x95, 0x5C]),
      ("UTF-8", [0xE5, 0x88, 0x97, 0xE8, 0xA1, 0xA8]),
    ] as [(String, [UInt8])])
  func charsets(name: String, text: [UInt8]) throws {
    let body = Array(#"{"total":1,"list":[{"id":1,"name":""#.utf8) + text + Array(#"","n":1.10}]}"#.utf8)
    let harness = try Self.harness(
      outcome: .bytes(body, fields: [(.contentType, "application/json;charset=\(name)")]))
    for _ in 0..<2 {
      let answer = harness.ask("/v1/lists/items")
      #expect(answer.items == [#"{"id":1,"name":"列表","n":1.10}"#])
      #expect(answer.header["total"] as? Int == 1)
    }
  }

  @Test("UTF-16 is told by its byte order mark, or by its zeros", arguments: [true, false], [true, false])
  func utf16(isBig: Bool, isMarked: Bool) throws {
    let units = Array("\(isMarked ? "\u{FEFF}" : "")[{\"id\":1,\"name\":\"列\"}]".utf16)
    let body = units.flatMap {
      isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
    let harness = try Self.harness(
      "items: {at: \"\", id: /id}",
      outcome: .bytes(body, fields: [(.contentType, "application/json; charset=utf-16")]))
    #expect(harness.ask("/v1/lists/items").items == [#"{"id":1,"name":"列"}"#])
  }

  @Test(
    "the configured character set counts, whatever the answer says", arguments: ["utf-8", "iso-8859-1", nil])
  func configured(declared: String?) throws {
    let body = Array(#"{"list":[{"id":"#.utf8) + [0x22, 0xC1, 0xD0, 0x22] + Array("}]}".utf8)
    let fields = declared.map { [(FieldName.contentType, "text/html; charset=\($0)")] } ?? []
    let harness = try Self.harness(upstream: ", charset: GBK", outcome: .bytes(body, fields: fields))
    #expect(harness.ask("/v1/lists/items").items == [#"{"id":"列"}"#])
  }

  @Test(
    "an unknown character set and bytes that are no text of it are faults that tell what was found",
    arguments: [
      ("klingon", "the character set klingon is not known"), ("a/b", "the character set a/b is not known"),
      ("gbk", "byte 10 (0xFF) is no text of GB18030"),
      // iconv knows these; an answer does not choose them.
      ("utf-7", "the character set utf-7 is not known"), ("IBM037", "the character set IBM037 is not known"),
    ])
  func unreadable(charset: String, detail: String) throws {
    let body = Array(#"{"list":[""#.utf8) + [0xFF, 0xFF] + Array(#""]}"#.utf8)
    let harness = try Self.harness(
      outcome: .bytes(body, fields: [(.contentType, "application/json; charset=\(charset)")]))
    let answer = harness.ask("/v1/lists/items?debug=1")
    #expect(answer.header["error"] as? String == "upstream_fault")
    #expect(answer.header["detail"] as? String == detail)
  }

  @Test("a body is no longer than bodyLimit in UTF-8 either")
  func bodyLimit() throws {
    let text = Array(repeating: [0xC1, 0xD0] as [UInt8], count: 400).flatMap { $0 }
    let body = Array(#"{"list":[{"id":""#.utf8) + text + Array(#""}]}"#.utf8)
    for (limit, detail) in [(1_024, "in UTF-8 the body is longer than 1024 bytes" as String?), (2_048, nil)] {
      let harness = try Self.harness(
        upstream: ", bodyLimit: \(limit)B",
        outcome: .bytes(body, fields: [(.contentType, "application/json; charset=gbk")]))
      #expect(harness.ask("/v1/lists/items?debug=1").header["detail"] as? String == detail)
    }
  }

  @Test("a refusal's words are converted too")
  func refusal() throws {
    let harness = try Self.harness(
      upstream: ", refused: {message: /msg}",
      outcome: .bytes(
        Array(#"{"msg":""#.utf8) + [0xC1, 0xD0, 0xB1, 0xED] + Array(#""}"#.utf8), status: 403,
        fields: [(.contentType, "application/json; charset=gbk")]))
    #expect(harness.ask("/v1/lists/items").envelope["message"] as? String == "列表")
  }
}
