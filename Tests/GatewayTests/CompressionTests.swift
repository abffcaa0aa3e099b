import Foundation
import HTTPSemantics
import TestSupport
import Testing

@testable import Gateway

@Suite("Compressed answers", .timeLimit(.minutes(5)))
struct CompressedAnswerTests {
  private static let items = (0..<40).map { #"{"id":\#($0),"title":"Somebody approved invoice \#($0)"}"# }
  private static let codings: [ContentCoding] = [.zstd, .br, .gzip]

  private static func harness(_ head: String = "", cache: String = "{fresh: 0s}") throws -> Harness {
    try Harness(
      head + """

        upstreams: {a: {url: "http://u.test"}}
        lists:
          items:
            upstream: a
            request: {path: /items}
            paging: {style: whole}
            items: {at: "", id: /id}
            cache: \(cache)
        """
    ) { _ in .body("[\(items.joined(separator: ","))]") }
  }

  private static func ask(
    _ harness: Harness, _ coding: String?, _ fields: [(FieldName, String)] = [],
    _ method: HTTPSemantics.Method = .get,
    target: String = "/v1/lists/items?limit=40"
  ) -> Answered {
    harness.ask(target, method, fields + (coding.map { [(.acceptEncoding, $0)] } ?? []))
  }

  @Test(
    "the client's favourite is taken, of equals ours; without one the answer goes out as it is",
    arguments: [
      (nil, nil), ("", nil), ("gzip", "gzip"), ("br", "br"), ("zstd", "zstd"),
      ("gzip, deflate, br, zstd", "zstd"),
      ("gzip, deflate, br", "br"), ("br;q=0.5, gzip", "gzip"), ("*", "zstd"), ("zstd;q=0, *;q=0.1", "br"),
      ("identity, gzip;q=0.5", nil), ("deflate", nil), ("gzip;q=0", nil), ("identity;q=0, br", "br"),
      ("identity;q=0", nil),
    ] as [(String?, String?)])
  func negotiation(accepted: String?, coding: String?) throws {
    let answer = Self.ask(try Self.harness(), accepted)
    #expect(answer.status == 200)
    #expect(answer.fields.text(.contentEncoding) == coding)
    #expect(answer.fields.combined(.vary)?.text == "Accept, Accept-Encoding, Accept-Language")
    if coding == nil {
      #expect(answer.items == Self.items)
    } else {
      #expect(answer.content.count < 1_000)
    }
  }

  @Test("the configuration's favourites and its minimum are kept to")
  func settings() throws {
    let own = try Self.harness("compression: {codings: [gzip, br]}")
    #expect(Self.ask(own, "gzip, br, zstd").fields.text(.contentEncoding) == "gzip")
    #expect(Self.ask(own, "zstd").fields.text(.contentEncoding) == nil)
    let off = try Self.harness("compression: {codings: []}")
    let plain = Self.ask(off, "gzip")
    #expect(plain.fields.text(.contentEncoding) == nil)
    #expect(plain.fields.combined(.vary)?.text == "Accept, Accept-Language")
    let harness = try Self.harness()
    let short = "/v1/lists/items?limit=1"
    #expect(Self.ask(harness, "gzip", target: short).fields.text(.contentEncoding) == nil)
    // Who does not take it as it is gets no less than who does.
    #expect(Self.ask(harness, "gzip, identity;q=0", target: short).fields.text(.contentEncoding) == "gzip")
    #expect(Self.ask(harness, "gzip, *;q=0", target: short).fields.text(.contentEncoding) == "gzip")
    let all = try Self.harness("compression: {minimum: 0B}")
    #expect(Self.ask(all, "br", target: "/v1/lists/items?limit=30").fields.text(.contentEncoding) == "br")
  }

  @Test("each coding has its own tag, and who has one that it still takes is told so")
  func tags() throws {
    let harness = try Self.harness()
    let plain = try #require(Self.ask(harness, nil).fields.text(.etag))
    var tags = [plain]
    for coding in Self.codings {
      let name = "\(coding.name)"
      let tag = try #require(Self.ask(harness, name).fields.text(.etag))
      #expect(tag == plain.dropLast() + "-\(name)\"")
      tags.append(tag)
      let unchanged = Self.ask(harness, name, [(.ifNoneMatch, "\"other\", \(tag)")])
      #expect(unchanged.status == 304)
      #expect(unchanged.content.isEmpty)
      #expect(unchanged.fields.text(.etag) == tag)
      #expect(unchanged.fields.text(.contentEncoding) == nil)
      #expect(unchanged.fields.combined(.vary)?.text == "Accept, Accept-Encoding, Accept-Language")
      // What it cannot read any more is of no use to it.
      for accepted in [nil, "identity", "\(name);q=0"] {
        #expect(Self.ask(harness, accepted, [(.ifNoneMatch, tag)]).status == 200)
      }
    }
    #expect(Set(tags).count == 4)
    #expect(Self.ask(harness, "gzip", [(.ifNoneMatch, plain)]).status == 304)
    #expect(Self.ask(harness, "gzip", [(.ifNoneMatch, "*")]).status == 304)
  }

  @Test("a slice that is given again is compressed once, and the rest of it only", arguments: codings)
  func memo(_ coding: ContentCoding) throws {
    let harness = try Self.harness(cache: "{fresh: 30s}")
    let name = "\(coding.name)"
    _ = Self.ask(harness, nil)
    _ = Self.ask(harness, nil)
    let first = Self.ask(harness, name, [(.xRequestID, "first")])
    harness.clock.advance(by: .seconds(7))
    let second = Self.ask(harness, name, [(.xRequestID, "another-one")])
    #expect(first.fields.text(.etag) == second.fields.text(.etag))
    #expect(second.fields.text(.age) == "7")
    // The start is not compressed: it is told from the same bytes behind it.
    #expect(String(decoding: first.content, as: UTF8.self).contains(#""age":0,"requestId":"first""#))
    #expect(String(decoding: second.content, as: UTF8.self).contains(#""age":7,"requestId":"another-one""#))
    let end = coding == .gzip ? 8 : 0
    #expect(first.content.dropLast(end).suffix(200) == second.content.dropLast(end).suffix(200))
    let tag = try #require(second.fields.text(.etag))
    #expect(Self.ask(harness, name, [(.ifNoneMatch, tag)]).status == 304)
    #expect(harness.upstream.requests.count == 1)
  }

  @Test("HEAD announces what GET sends", arguments: codings)
  func head(_ coding: ContentCoding) throws {
    let harness = try Self.harness(cache: "{fresh: 30s}")
    for _ in 0..<3 {
      let fields: [(FieldName, String)] = [(.xRequestID, "x")]
      let get = Self.ask(harness, "\(coding.name)", fields)
      let head = Self.ask(harness, "\(coding.name)", fields, .head)
      #expect(head.fields.text(.contentEncoding) == "\(coding.name)")
      #expect(head.fields.text(.etag) == get.fields.text(.etag))
      #expect(head.content.count == get.content.count)
    }
  }

  @Test("a whole list's stream goes out as it is")
  func stream() throws {
    let answer = Self.ask(try Self.harness(), "gzip", target: "/v1/lists/items/all")
    #expect(answer.fields.text(.contentEncoding) == nil)
    #expect(answer.text.split(separator: "\n").count == 41)
  }
}
