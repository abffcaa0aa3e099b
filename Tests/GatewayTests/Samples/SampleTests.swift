import Configuration
import Foundation
import HTTPSemantics
import JSON
import OpenSSLSealer
import Testing

@testable import Gateway
@testable import Paging

@Suite("Recorded answers", .timeLimit(.minutes(2)))
struct SampleTests {
  /// All recordings, each with its configuration, behind one gateway.
  private struct Replay {
    let samples: [Sample]
    let bodies: [[UInt8]]
    let configurations: [SampleConfiguration]
    let lists: [Configuration.List]
    let harness: Harness

    init() throws {
      let samples = try Samples.all()
      self.samples = samples
      let bodies = try samples.map { try Samples.body(of: $0) }
      self.bodies = bodies
      configurations = zip(samples, bodies).map { sample, body in
        SampleConfiguration(
          sample, among: samples, document: SampleExpectation.document(of: sample, body: body))
      }
      let upstreams = configurations.enumerated().map { #""u\#($0)":\#($1.upstream(number: $0))"# }
      let lists = configurations.enumerated().map { #""s\#($0)":\#($1.list(upstream: "u\($0)"))"# }
      let text =
        #"{"debug":true,"upstreams":{\#(upstreams.joined(separator: ",\n"))},"lists":{\#(lists.joined(separator: ",\n"))}}"#
      // A follower was not recorded: it is past the end.
      let counts = RequestCounts()
      let responses = zip(samples, bodies).map { sample, body -> Harness.Outcome in
        .bytes(
          body, status: sample.response.status,
          fields: sample.response.headers.compactMap { name, value in
            FieldName(validating: name).map { ($0, value) }
          })
      }
      harness = try Harness(text) { request in
        guard let number = request.fields.text("X-Sample").flatMap({ Int($0) }) else { return nil }
        return counts.isFirst(number) ? responses[number] : .body("", status: 404)
      }
      self.lists = try Harness.configuration(text).lists
    }

    /// A cursor of the page that was recorded, where that is not the list's first.
    func cursor(_ number: Int) throws -> String? {
      guard let place = configurations[number].place else { return nil }
      let sealer = try Harness.sealer()
      return sealer.seal(
        Position(place: place).encode(), binding: ListRoute.bindingPrefix(of: lists[number]),
        now: harness.process.unixSeconds())
    }
  }

  @Test(
    "every recorded answer gives what its index says: items, numbers, next, and the upstream's own words",
    .enabled(if: Samples.areThere, "../shared/samples is not there: skipped"))
  func replayed() throws {
    let replay = try Replay()
    var right = 0
    var xml = 0
    for (number, sample) in replay.samples.enumerated() {
      let expected = try SampleExpectation(sample, replay.configurations[number], body: replay.bodies[number])
      let cursor = try replay.cursor(number).map { "?cursor=\($0)" } ?? ""
      let answer = replay.harness.ask("/v1/lists/s\(number)\(cursor)\(cursor.isEmpty ? "?" : "&")debug=1")
      let complaints = compare(answer, expected, sample)
      for complaint in complaints {
        Issue.record("\(sample.file): \(complaint)\n  \(replay.configurations[number].list(upstream: "u"))")
      }
      if complaints.isEmpty { right += 1 }
      if sample.isXML { xml += 1 }
    }
    print(
      "recorded answers right: \(right) of \(replay.samples.count), \(xml) of them XML, which is no list here"
    )
  }

  private func compare(_ answer: Answered, _ expected: SampleExpectation, _ sample: Sample) -> [String] {
    var complaints: [String] = []
    func check(_ name: String, _ found: String, _ wanted: String) {
      if found != wanted { complaints.append("\(name) is \(found) instead of \(wanted)") }
    }
    switch expected.outcome {
    case .items(let items):
      check("status", "\(answer.envelope["status"] ?? "")", "0")
      if answer.status != 200 { return complaints + ["\(answer.header)"] }
      check("count", "\(answer.header["count"] ?? "")", "\(sample.count ?? items.count)")
      if answer.items != items {
        complaints.append(
          "the items are not the upstream's: \(answer.items.count) \(answer.text.suffix(500))")
      }
      if let total = expected.total {
        check("total", "\(answer.header["total"] as? Int ?? -1)", "\(total ?? -1)")
      }
      if let pageCount = expected.pageCount {
        check("pageCount", "\(answer.header["pageCount"] as? Int ?? -1)", "\(pageCount ?? -1)")
      }
      if let hasMore = expected.hasMore {
        check("hasMore", "\(answer.header["hasMore"] as? Bool ?? false)", "\(hasMore)")
        check("next", "\(answer.next != nil)", "\(hasMore)")
      }
      if !complaints.isEmpty { complaints.append("warnings \(answer.warnings)") }
    case .failure(let error, let message):
      check("error", answer.header["error"] as? String ?? "none", error)
      check("body", "\(answer.envelope["body"] is NSNull)", "true")
      if let code = expected.upstreamCode {
        check("upstreamCode", answer.header["upstreamCode"] as? String ?? "none", code)
      }
      let found = answer.envelope["message"] as? String ?? ""
      if let message, error != "cursor_expired" {
        check("message", found, message)
      } else if !Self.ownWords.contains(found) {
        complaints.append("the message is \(found), and not one of Listway's own")
      }
      if !complaints.isEmpty { complaints.append("detail \(answer.header["detail"] ?? "")") }
    }
    return complaints
  }

  private static let ownWords = Set(
    [
      Message.serverFault, .unreadableAnswer, .refusedWithoutReason, .busy, .cursorExpired,
    ].map { $0.text(in: .english) })
}

/// How often each recording was asked for.
private final class RequestCounts: @unchecked Sendable {
  private let lock = NSLock()
  private var seen: Set<Int> = []

  func isFirst(_ number: Int) -> Bool { lock.withLock { seen.insert(number).inserted } }
}
