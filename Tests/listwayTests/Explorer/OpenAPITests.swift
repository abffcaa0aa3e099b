import Foundation
import TestSupport
import Testing

/// `/openapi.json`, held to the standard and to the running gateway by other people's tools.
@Suite("OpenAPI", .serialized, .timeLimit(.minutes(10)))
struct OpenAPITests {
  private static let script = "\(Repository.root)/Tests/Browser/openapi.py"

  /// Lists with a parameter of every kind, and whatever can be made of them, in front of an upstream that takes whatever it is
  /// asked.
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
        completed:
          upstream: shop
          request: {path: /plain}
          paging: {style: whole}
          items: {at: /items, id: /id}
          enrich:
            as: user
            by: /id
            request: {path: /users}
            ids: {query: ids}
            items: {at: /items, id: /id}
        both:
          title: Both
          merge: [plain, things]
          order: {by: /id, type: number}
          tag: source
      calls:
        order: {upstream: shop, parameters: {id: {type: integer, required: true}}, request: {path: "/orders/{id}"}}
        place:
          upstream: shop
          parameters:
            lines: {type: array, required: true}
            note: {type: string, maxLength: 20}
            size: {type: integer, enum: [1, 2, 3], default: 2}
          request: {method: POST, path: /orders, json: {lines: "{lines}", note: "{note}", size: "{size}"}}
      screens:
        home:
          parameters: {word: {type: string, minLength: 2}}
          both: {list: both, with: {count: 1, word: "{word}"}}
          completed: {list: completed}
          order: {call: order, with: {id: completed/0/item/id}}
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
        "/v1/lists/things/all", "/v1/lists/plain", "/v1/lists/plain/all", "/v1/lists/completed",
        "/v1/lists/completed/all", "/v1/lists/both", "/v1/lists/both/all", "/v1/calls", "/v1/calls/order",
        "/v1/calls/place", "/v1/screens", "/v1/screens/home",
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
      // What stands around items, and what a call takes.
      #""body":{"items":{"type":"object","required":["source","item"],"properties":{"source":{"description":"The list that it came from.","enum":["plain","things"]},"#,
      #""body":{"items":{"type":"object","required":["item","user"],"#,
      #""application/json":{"schema":{"type":"object","required":["lines"],"properties":{"lines":{"type":"array"},"note":{"type":["string","null"],"#,
      #""size":{"type":["integer","null"],"enum":[1,2,3,null],"default":2}},"additionalProperties":false}}"#,
      ##""Screen.home":{"type":"object","required":["status","header","body","message"],"properties":{"status":{"type":"integer","const":0},"header":{"$ref":"#/components/schemas/ScreenHeader"},"body":{"type":"object","required":["both","completed","order"],"##,
    ] { #expect(answer.text.contains(part), "\(part)") }
    for (path, methods) in paths where path.hasPrefix("/v1/") {
      #expect(Set(methods.keys) == [path == "/v1/calls/place" ? "post" : "get"], "\(path)")
    }
    // Each reference leads somewhere.
    let parts = answer.text.components(separatedBy: ##""$ref":"#/components/"##).dropFirst()
    let components = try #require(root["components"] as? [String: [String: Any]])
    for part in parts {
      let way = part.prefix { $0 != "\"" }.split(separator: "/").map(String.init)
      #expect(way.count == 2 && components[way[0]]?[way[1]] != nil, "\(way)")
    }
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
    // Nor is what there is none of.
    for word in [
      "/v1/calls", "/v1/screens", "CallAnswer", "Screen", "Idempotency-Key", "Failure413", "\"sources\"",
    ] {
      #expect(!text.contains(word), "\(word)")
    }
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
