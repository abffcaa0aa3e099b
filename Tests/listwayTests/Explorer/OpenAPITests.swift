import Foundation
import TestSupport
import Testing

/// `/openapi.json`, held to the standard and to the running gateway by other people's tools.
@Suite("OpenAPI", .serialized, .timeLimit(.minutes(10)))
struct OpenAPITests {
  private static let script = "\(Repository.root)/Tests/Browser/openapi.py"

  /// Two lists with a parameter of every kind, in front of an upstream that takes whatever it is asked.
  private func service(_ upstream: ScriptedUpstream) throws -> Service {
    try Service(
      """
      debug: true
      upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
      lists:
        things:
          title: Things
          upstream: shop
          parameters:
            word: {type: string, minLength: 2, maxLength: 12}
            count: {type: integer, required: true, min: -5, max: 9007199254740993}
            share: {type: number, min: 0.5, max: 1.50, default: 1.10}
            isOpen: {type: boolean}
            day: {type: date}
            size: {type: integer, enum: [1, 2, 3], default: 2}
            color: {type: string, enum: [red, "blue green"]}
          request:
            path: /things
            query:
              {word: "{word}", count: "{count}", share: "{share}", isOpen: "{isOpen}", day: "{day}", kind: "{size}",
              color: "{color}"}
          paging: {style: page, page: {query: page}, size: {query: size, value: 20}}
          items: {at: /items, id: /id}
          says: {total: /total}
        plain: {upstream: shop, request: {path: /plain}, paging: {style: whole}, items: {at: /items, id: /id}}
      """)
  }

  private func upstream() throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while connection.request() != nil {
        let body = Array(#"{"items":[{"id":1},{"id":2}],"total":2}"#.utf8)
        connection.send(ListUpstream.response(200, "application/json", body))
      }
    }
  }

  @Test("it describes every list with its parameters, types and bounds, and no list that is not there")
  func lists() throws {
    let upstream = try upstream()
    defer { upstream.stop() }
    let service = try service(upstream)
    let answer = try service.get("/openapi.json")
    #expect((answer.status, answer.field("Content-Type")) == (200, "application/json"))
    let tag = try #require(answer.field("ETag"))
    #expect(try service.get("/openapi.json", fields: [("If-None-Match", tag)]).status == 304)
    let root = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    #expect(root["openapi"] as? String == "3.1.0")
    let paths = try #require(root["paths"] as? [String: [String: [String: Any]]])
    #expect(
      Set(paths.keys) == [
        "/", "/listway.js", "/openapi.json", "/livez", "/readyz", "/healthz", "/v1/lists", "/v1/lists/things",
        "/v1/lists/things/all", "/v1/lists/plain", "/v1/lists/plain/all",
      ])
    // What a parser would spoil is compared as text.
    for part in [
      #"{"name":"count","in":"query","required":true,"schema":{"type":"integer","minimum":-5,"maximum":9007199254740993}}"#,
      #"{"name":"share","in":"query","schema":{"type":"number","minimum":0.5,"maximum":1.50,"default":1.10}}"#,
      #"{"name":"isOpen","in":"query","schema":{"type":"boolean"}}"#,
      #"{"name":"day","in":"query","schema":{"type":"string","format":"date"}}"#,
      #"{"name":"size","in":"query","schema":{"type":"integer","enum":[1,2,3],"default":2}}"#,
      #"{"name":"color","in":"query","schema":{"type":"string","enum":["red","blue green"]}}"#,
      #""schema":{"type":"string","minLength":2,"maxLength":12,"#,
    ] { #expect(answer.text.contains(part), "\(part)") }
  }

  @Test("without explorer and debug, neither is described")
  func less() throws {
    let upstream = try upstream()
    defer { upstream.stop() }
    let service = try Service(
      """
      explorer: false
      upstreams: {shop: {url: "http://127.0.0.1:\(upstream.port)"}}
      lists: {plain: {upstream: shop, paging: {style: whole}, items: {at: /items, id: /id}}}
      """)
    let text = try service.get("/openapi.json").text
    #expect(!text.contains(#""/listway.js""#) && !text.contains(#"parameters/debug"#))
    #expect(text.contains(#""/v1/lists/plain":"#))
  }

  @Test(
    "openapi-spec-validator finds it valid, its examples agree with its schemas, and schemathesis finds no answer that it does not describe"
  )
  func tools() throws {
    guard let python = BrowserTools.python else {
      print(BrowserTools.folder.reason)
      return
    }
    let upstream = try upstream()
    defer { upstream.stop() }
    let service = try service(upstream)
    let folder = try TemporaryFolder()
    let child = try Child(
      python, ["-B", Self.script, "http://127.0.0.1:\(service.port)/openapi.json"],
      output: "\(folder.path)/said")
    let status = child.wait()
    let said = String(decoding: try folder.read("said"), as: UTF8.self)
    #expect(status == 0, "\(said.suffix(6_000))")
    #expect(said.contains("valid") && said.contains("examples agree"), "\(said)")
    #expect(service.program.stop() == 0)
  }
}
