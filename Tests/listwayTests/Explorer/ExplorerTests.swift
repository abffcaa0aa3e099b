import Foundation
import TestSupport
import Testing

/// The page at `/` and its parts, as any client sees them. `Browser` has the tests of what they do.
@Suite("Explorer", .timeLimit(.minutes(10)))
struct ExplorerTests {
  private static let configuration = """
    upstreams: {none: {url: "http://127.0.0.1:1", reachability: {probe: none}}}
    lists: {items: {upstream: none, paging: {style: whole}, items: {at: "", id: /id}}}

    """

  /// Where each file is served, and as what.
  private static let files = [
    "/": ("index.html", "text/html; charset=utf-8"),
    "/explorer.css": ("explorer.css", "text/css; charset=utf-8"),
    "/explorer.svg": ("explorer.svg", "image/svg+xml"),
    "/explorer.js": ("explorer.js", "text/javascript; charset=utf-8"),
    "/explorer-code.js": ("explorer-code.js", "text/javascript; charset=utf-8"),
    "/explorer-items.js": ("explorer-items.js", "text/javascript; charset=utf-8"),
    "/explorer-states.js": ("explorer-states.js", "text/javascript; charset=utf-8"),
    "/listway.js": ("listway.js", "text/javascript; charset=utf-8"),
  ]

  @Test("every file is served as it is in Resources, whole, by HEAD too, and not again to those who have it")
  func files() throws {
    let service = try Service(Self.configuration)
    let resources = Repository.files.filter { $0.hasPrefix("Sources/listway/Resources/") }
    #expect(
      Set(resources.map { $0.split(separator: "/").last.map(String.init) }) == Set(Self.files.values.map(\.0))
    )
    for (path, (file, type)) in Self.files {
      let answer = try service.get(path)
      #expect(answer.status == 200)
      #expect(answer.text == Repository.text(of: "Sources/listway/Resources/\(file)"))
      #expect(answer.field("content-type") == type)
      #expect(answer.field("cache-control") == "no-cache")
      #expect(answer.field("x-content-type-options") == "nosniff")
      let tag = try #require(answer.field("etag"))
      let again = try service.get(path, fields: [("If-None-Match", tag)])
      #expect((again.status, again.body.count) == (304, 0))
      #expect(again.field("etag") == tag)
      #expect(try service.get(path, fields: [("If-None-Match", "\"other\"")]).status == 200)
      let client = try TestClient(port: service.port)
      let head = try client.request("HEAD", path)
      #expect((head.status, head.body.count) == (200, 0))
      #expect(head.field("content-length") == "\(answer.body.count)")
      let post = try client.request("POST", path, body: [])
      #expect((post.status, post.field("allow")) == (405, "GET, HEAD"))
    }
    #expect(try TestClient(port: service.adminPort).request("GET", "/").status == 404)
    #expect(try service.get("/explorer.css/").status == 404)
    #expect(service.program.stop() == 0)
  }

  @Test("the page may load its own files only, and asks for nothing else")
  func policy() throws {
    let service = try Service(Self.configuration)
    let page = try service.get("/")
    let policy = try #require(page.field("content-security-policy"))
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(!policy.contains("unsafe"))
    #expect(policy.contains("frame-ancestors 'none'"))
    for (path, (file, _)) in Self.files where file != "explorer.svg" {
      let text = try service.get(path).text
      for reference in text.matches(of: #/(?:src|href|from) ?= ?"([^"#]+)"|from "([^"$]+)"/#) {
        let target = String(reference.output.1 ?? reference.output.2 ?? "")
        #expect(
          ["/v1/lists", "/healthz", "/openapi.json"].contains(target) || Self.files[target] != nil,
          "\(file): \(target)")
      }
      if file == "index.html" {
        #expect(text.matches(of: #/<style|style=|onclick=|<script(?! type="module" src=)/#).isEmpty)
      }
    }
  }

  @Test("explorer: false switches it off, and the lists stay")
  func off() throws {
    let service = try Service("explorer: false\n" + Self.configuration)
    for path in Self.files.keys { #expect(try service.get(path).status == 404) }
    #expect(try service.get("/v1/lists").status == 200)
  }
}
