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

  static let hasSamples = exists("samples/index.json")
  static let hasZoo = exists("zoo/zoo") && exists("tools/walk")
}

@Suite("Recorded answers")
struct SampleTests {
  struct Sample: Decodable, Sendable {
    struct Response: Decodable, Sendable {
      var status: Int
      var headers: [String: String]
    }
    struct Expected: Decodable, Sendable { var outcome: String }
    var file: String
    var format: String
    var items: String?
    var itemsKind: String?
    var itemId: String?
    var total: String?
    var response: Response
    var expected: Expected
    var pagingClass: String?

    /// A page of JSON whose items lie in one place.
    var isPage: Bool {
      pagingClass == "page-number" && format == "json" && items != nil
        && ["ok", "empty"].contains(expected.outcome) && itemsKind == "array"
    }

    var name: String { file.replacing("/", with: "-").replacing(".json", with: "") }
  }
  private struct Index: Decodable { var files: [Sample] }

  @Test(
    "every recorded page of a page-numbered list comes through with its items' own bytes",
    .enabled(if: Shared.hasSamples, "../shared/samples is not there: skipped"), .timeLimit(.minutes(2)))
  func pages() throws {
    let data = try Data(contentsOf: Shared.folder.appendingPathComponent("samples/index.json"))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let samples = try decoder.decode(Index.self, from: data).files.filter(\.isPage)
    #expect(samples.count >= 50)
    let bodies = try Dictionary(
      uniqueKeysWithValues: samples.map { sample in
        (
          sample.name,
          Array(try Data(contentsOf: Shared.folder.appendingPathComponent("samples/\(sample.file)")))
        )
      })
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

@Suite("Real list servers", .serialized)
struct ZooTests {
  private func run(_ program: String, _ arguments: [String], seconds: Double = 280) throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    // Foundation learns of a child's end by a descriptor that all its descendants inherit: a server that goes on would
    // keep it from ending. So it is closed first.
    let closing = #"for descriptor in {3..255}; do eval "exec $descriptor>&-"; done; exec "$@""#
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", closing, "run", program] + arguments
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "listway-zoo-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let deadline = Date(timeIntervalSinceNow: seconds)
    while process.isRunning && Date() < deadline { usleep(20_000) }
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return (process.terminationStatus, (try? String(contentsOf: file, encoding: .utf8)) ?? "")
  }

  @Test(
    "Django REST Framework's 1,037 items are walked whole with every limit and page size",
    .enabled(if: Shared.hasZoo, "../shared/zoo is not there: skipped"), .timeLimit(.minutes(10)))
  func django() throws {
    let zoo = Shared.folder.appendingPathComponent("zoo/zoo").path
    let walk = Shared.folder.appendingPathComponent("tools/walk").path
    let installed = try run(zoo, ["install", "drf"])
    try #require(installed.status == 0, "\(installed.output.suffix(2_000))")
    // One that an interrupted run left behind.
    _ = try run(zoo, ["stop", "drf"])
    let port = freePort()
    let started = try run(zoo, ["start", "drf", "\(port)"])
    try #require(started.status == 0, "\(started.output.suffix(2_000))")
    defer { _ = try? run(zoo, ["stop", "drf"]) }

    var configuration =
      "upstreams: {drf: {url: \"http://127.0.0.1:\(port)\", timeout: {total: 30s}}}\nlists:\n"
    for (size, list) in [20, 50].flatMap({ size in ["items", "none", "one", "even"].map { (size, $0) } }) {
      configuration += """
          \(list)-\(size):
            upstream: drf
            request: {path: /page/\(list)/}
            paging: {style: page, page: {query: page, first: 1}, size: {query: page_size, value: \(size)}}
            items: {at: /results, id: /id}
            says: {total: /count}
            maxLimit: 1000

        """
    }
    let service = try Service(configuration)
    for list in ["items", "none", "one", "even"] {
      let truth = try run(zoo, ["truth", "drf", "page/\(list)"])
      let file = service.program.folder.appendingPathComponent("truth-\(list)")
      try truth.output.write(to: file, atomically: true, encoding: .utf8)
      for size in [20, 50] {
        // Of the long list a slice of one item each is a thousand pages of the server's: the list of 200 shows the same.
        for limit in list == "items" ? [7, 20, 100, 1_000] : list == "even" ? [1, 7, 100] : [1, 7] {
          let walked = try run(
            walk,
            [
              "http://127.0.0.1:\(service.port)/v1/lists/\(list)-\(size)", "--limit", "\(limit)", "--truth",
              file.path,
            ])
          #expect(walked.status == 0, "\(list), size \(size), limit \(limit): \(walked.output)")
        }
      }
    }
  }
}
