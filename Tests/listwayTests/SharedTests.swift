import Foundation
import JSON
import TestSupport
import Testing

/// Recorded answers and real list servers that are kept beside the project. Where they are not there, these tests say so.
enum Shared {
  /// `../shared` beside the checkout.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared")

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }

  static let hasZoo = exists("zoo/zoo")
}

@Suite("Recorded answers")
struct SampleTests {
  @Test(
    "every recorded page of a page-numbered list comes through with its items' own bytes",
    .enabled(if: Samples.areThere, "../shared/samples is not there: skipped"), .timeLimit(.minutes(10)))
  func pages() throws {
    let samples = try Samples.all().filter(\.isPage)
    #expect(samples.count >= 50)
    let bodies = try Dictionary(
      uniqueKeysWithValues: samples.map { ($0.name, try Samples.body(of: $0)) })
    let upstream = try ScriptedUpstream { connection in
      while let request = connection.request() {
        let name = String(request.target.dropFirst().prefix { $0 != "?" })
        // Only the first page was recorded: what follows is past the end.
        guard request.target.contains("page=1&") || request.target.hasSuffix("page=1"),
          let body = bodies[name]
        else {
          connection.send(ListUpstream.response(404, "application/json", Array("{}".utf8)))
          continue
        }
        connection.send(ListUpstream.response(200, "application/json", body))
      }
    }
    defer { upstream.stop() }
    var configuration = "upstreams: {replay: {url: \"http://127.0.0.1:\(upstream.port)\"}}\nlists:\n"
    for sample in samples {
      let id = sample.itemId.map { $0.hasPrefix("/") || $0.isEmpty ? "\"\($0)\"" : "none" } ?? "none"
      let says = sample.total.map { $0.hasPrefix("/") ? "\n    says: {total: \($0)}" : "" } ?? ""
      configuration += """
          \(sample.name):
            upstream: replay
            request: {path: /\(sample.name)}
            paging: {style: page, page: {query: page, first: 1}}
            items: {at: "\(sample.items ?? "")", id: \(id), absent: empty}\(says)
            limit: 200
            maxLimit: 1000

        """
    }
    let service = try Service(configuration)
    var right = 0
    for sample in samples {
      let body = try #require(bodies[sample.name])
      let document = try Parser(maximumDepth: 300).parse(Bytes(copying: body))
      var recorded: [String] = []
      if let node = document.node(at: try Pointer(sample.items ?? "")), case .array = document.kind(of: node)
      {
        // A recording may hold a row twice; a client gets it once.
        var seen: Set<String> = []
        for element in document.elements(of: node) {
          if let id = sample.itemId, id.hasPrefix("/"),
            let at = document.node(at: try Pointer(id), from: element),
            let text = document.text(of: at), !seen.insert(text).inserted
          {
            continue
          }
          recorded.append(String(decoding: document.bytes[document.range(of: element)], as: UTF8.self))
        }
      }
      let answer = try service.get("/v1/lists/\(sample.name)")
      let items = try EnvelopeReader(answer.body).items
      #expect(answer.status == 200, "\(sample.file): \(answer.text.prefix(300))")
      #expect(items == recorded, "\(sample.file): \(items.count) items instead of \(recorded.count)")
      if answer.status == 200, items == recorded { right += 1 }
    }
    print("recorded pages right: \(right) of \(samples.count)")
  }
}

extension Sample {
  /// A page of JSON whose items lie in one place.
  fileprivate var isPage: Bool {
    pagingClass == "page-number" && format == "json" && items != nil
      && ["ok", "empty"].contains(expected.outcome) && itemsKind == "array"
  }

  fileprivate var name: String { file.replacing("/", with: "-").replacing(".json", with: "") }
}
