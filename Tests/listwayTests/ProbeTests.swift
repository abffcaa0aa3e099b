import Foundation
import TestSupport
import Testing

/// `listway probe` against an upstream that pages in some way.
@Suite("Probe", .timeLimit(.minutes(10)), .serialized)
struct ProbeTests {
  /// Answers by path and query.
  private static func upstream(
    _ answer: @escaping @Sendable (ScriptedUpstream.Request, [String: String]) -> (status: Int, body: String)
  ) throws -> ScriptedUpstream {
    try ScriptedUpstream { connection in
      while let request = connection.request() {
        let items = URLComponents(string: "http://a\(request.target)")?.queryItems ?? []
        let query = Dictionary(
          items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        let (status, body) = answer(request, query)
        connection.send(ListUpstream.response(status, "application/json", Array(body.utf8)))
      }
    }
  }

  private static func items(_ range: Range<Int>) -> String {
    "[" + range.clamped(to: 1..<48).map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ",") + "]"
  }

  /// Probes, serves what is printed, and walks the list.
  private func walk(_ arguments: [String], port: UInt16, list: String, limit: Int) throws -> [String] {
    let program = try Program(["probe"] + arguments)
    #expect(program.waitForEnd() == 0, "\(program.outputText)\(program.errorText)")
    let configuration = program.outputText
    let check = try Program(["check", "{folder}/a.yaml"], files: ["a.yaml": configuration])
    #expect(check.waitForEnd() == 0, "\(configuration)\(check.errorText)")
    let service = try Service(configuration, loops: 1)
    return try service.walk("/v1/lists/\(list)", limit: limit)
  }

  private let all = (1..<48).map { #"{"id":\#($0),"name":"n\#($0)"}"# }

  @Test("what is printed for a list of pages is accepted, served, and gives all of it", arguments: [3, 100])
  func pages(_ limit: Int) throws {
    let upstream = try Self.upstream { _, query in
      let page = query["page"].flatMap { Int($0) } ?? 1
      let size = query["per_page"].flatMap { Int($0) } ?? 10
      let range = ((page - 1) * size + 1)..<(page * size + 1)
      return (
        200, #"{"code":0,"message":"ok","data":{"list":\#(Self.items(range)),"total":47,"page":\#(page)}}"#
      )
    }
    defer { upstream.stop() }
    let url = "http://127.0.0.1:\(upstream.port)/api/v1/shops?kind=new%20ones&page=1&per_page=10"
    #expect(try walk([url], port: upstream.port, list: "shops", limit: limit) == all)
  }

  @Test("what is seen is said, with its reason, and confirmed by one further request")
  func report() throws {
    let upstream = try Self.upstream { _, query in
      let start = query["offset"].flatMap { Int($0) } ?? 0
      return (200, #"{"total":47,"offset":\#(start),"records":\#(Self.items((start + 1)..<(start + 11)))}"#)
    }
    defer { upstream.stop() }
    let url = "http://127.0.0.1:\(upstream.port)/records?offset=0&limit=10"
    let program = try Program(["probe", url, "--name", "mine"])
    #expect(program.waitForEnd() == 0, "\(program.errorText)")
    let text = program.outputText
    for words in [
      "# GET \(url)", "/records is an array of 10", "/id is there in every item", "/total is 47", "offset=0",
      "# confirmed: the second page", "10 items, 10 of them not on the first", "  mine:",
      "paging: {style: offset, offset: {query: offset}, size: {query: limit, value: 10}}",
    ] { #expect(text.contains(words), "\(words): \(text)") }
    let once = try Program(["probe", "--once", url])
    #expect(once.waitForEnd() == 0)
    #expect(once.outputText.contains("# not confirmed"), "\(once.outputText)")
  }

  @Test("what is only likely is confirmed by the second page, or not printed as a success")
  func likely() throws {
    let upstream = try Self.upstream { request, query in
      let parameter = request.target.hasPrefix("/good") ? "cursor" : "from_cursor"
      let start = query[parameter].flatMap { Int($0.dropFirst()) } ?? 1
      let next = start + 10 > 47 ? "" : "c\(start + 10)"
      return (200, #"{"cursor":"\#(next)","things":\#(Self.items(start..<(start + 10)))}"#)
    }
    defer { upstream.stop() }
    let base = "http://127.0.0.1:\(upstream.port)"
    #expect(try walk(["\(base)/good/things"], port: upstream.port, list: "things", limit: 20) == all)
    let bad = try Program(["probe", "\(base)/bad/things"])
    #expect(bad.waitForEnd() == 1)
    #expect(bad.errorText.contains("nothing but items of the first"), "\(bad.errorText)")
    let once = try Program(["probe", "--once", "\(base)/good/things"])
    #expect(once.waitForEnd() == 1)
    #expect(once.errorText.contains("likely, and not confirmed"), "\(once.errorText)")
  }

  @Test("a form, JSON and header fields are sent, and are in what is printed")
  func content() throws {
    let upstream = try Self.upstream { request, _ in
      guard request["x-key"] == "k 1", request.method == "POST" else { return (401, "{}") }
      let text = String(decoding: request.content, as: UTF8.self)
      let isForm = request["content-type"] == "application/x-www-form-urlencoded"
      let page: Int
      if isForm {
        let fields = URLComponents(string: "?\(text)")?.queryItems ?? []
        guard fields.contains(where: { $0.name == "q" && $0.value == "a{b}" }) else { return (400, text) }
        page = fields.first { $0.name == "pageNum" }.flatMap { Int($0.value ?? "") } ?? 1
      } else {
        let json =
          (try? JSONSerialization.jsonObject(with: request.content.isEmpty ? Data() : Data(request.content)))
          as? [String: Any]
        guard json?["q"] as? String == "a{b} ${C}" else { return (400, text) }
        page = json?["pageNum"] as? Int ?? 1
      }
      return (200, #"{"rows":\#(Self.items((page * 10 - 9)..<(page * 10 + 1))),"total":47}"#)
    }
    defer { upstream.stop() }
    let url = "http://127.0.0.1:\(upstream.port)/find/rows"
    let key = ["--header", "X-Key: k 1"]
    let form = ["--form", "q=a{b}", "--form", "pageNum=1", "--form", "pageSize=10"]
    #expect(try walk([url] + key + form, port: upstream.port, list: "rows", limit: 50) == all)
    let json = ["--json", #"{"q":"a{b} ${C}","pageNum":1,"pageSize":10}"#]
    #expect(try walk([url] + key + json, port: upstream.port, list: "rows", limit: 50) == all)
  }

  @Test("a list that is all there is stays open for more")
  func whole() throws {
    let upstream = try Self.upstream { _, _ in (200, #"{"projects":[{"id":1},{"id":2}],"meta":{"total":2}}"#)
    }
    defer { upstream.stop() }
    let url = "http://127.0.0.1:\(upstream.port)/projects"
    #expect(try walk([url], port: upstream.port, list: "projects", limit: 5) == [#"{"id":1}"#, #"{"id":2}"#])
    let program = try Program(["probe", url])
    program.waitForEnd()
    #expect(program.outputText.contains("style: auto"), "\(program.outputText)")
  }

  @Test("each failure is said with what it is about, and exits with 1")
  func failures() throws {
    let upstream = try Self.upstream { request, _ in
      switch request.target {
      case "/refused": (200, #"{"code":1001,"message":"no such shop"}"#)
      case "/unclear": (200, #"{"top":[{"id":1}],"new":[{"id":2}]}"#)
      case "/markup": (200, "<html>")
      default: (404, #"{"message":"nobody here"}"#)
      }
    }
    defer { upstream.stop() }
    let cases = [
      ("/refused", "code 1001: no such shop"), ("/unclear", "items.at"), ("/markup", "XML or HTML"),
      ("/none", "answers 404: {\"message\":\"nobody here\"}"),
    ]
    for (path, words) in cases {
      let program = try Program(["probe", "http://127.0.0.1:\(upstream.port)\(path)"])
      #expect(program.waitForEnd() == 1, "\(path)")
      #expect(program.errorText.contains(words), "\(path): \(program.errorText)")
      #expect(!program.outputText.contains("upstreams:"), "\(path)")
    }
    let unreachable = try Program(["probe", "http://127.0.0.1:\(freePort())/x"])
    #expect(unreachable.waitForEnd() == 1)
    #expect(unreachable.errorText.contains("connect"), "\(unreachable.errorText)")
  }

  @Test(
    "a wrong command line is said, and exits with 2",
    arguments: [
      ([], "wants the URL"), (["http://a", "http://b"], "one URL"), (["ftp://a/b"], "http, https"),
      (["http://u:p@a/b"], "credentials"), (["http://a", "--json", "{"], "not JSON"),
      (["http://a", "--method", "PUT"], "GET, POST"), (["http://a", "--form", "x"], "page=1"),
      (["http://a", "--header", "x"], "Accept"), (["http://a", "--json", "{}", "--form", "a=1"], "one of"),
      (["http://a", "--nonsense"], "unknown option"), (["http://a", "--timeout", "0"], "1 to 600"),
      (["http://a", "--method", "GET", "--form", "a=1"], "no content"),
      (["http://a", "--name"], "wants a value"),
    ])
  func usage(_ arguments: [String], _ words: String) throws {
    let program = try Program(["probe"] + arguments)
    #expect(program.waitForEnd() == 2, "\(program.errorText)")
    #expect(program.errorText.contains(words), "\(program.errorText)")
  }
}
