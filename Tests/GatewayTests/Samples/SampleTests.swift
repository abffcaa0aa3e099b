import Configuration
import Foundation
import HTTPSemantics
import JSON
import OpenSSLSealer
import TestSupport
import Testing

@testable import Gateway
@testable import Paging

@Suite("Recorded answers", .serialized, .timeLimit(.minutes(10)))
struct SampleTests {
  /// All recordings, each with its configuration, behind one gateway.
  private struct Replay: @unchecked Sendable {
    let samples: [Sample]
    let bodies: [[UInt8]]
    let configurations: [SampleConfiguration]
    let lists: [Configuration.List]
    let harness: Harness
    let counts = RequestCounts()

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
      let responses = zip(samples, bodies).map { sample, body -> Harness.Outcome in
        .bytes(
          body, status: sample.response.status,
          fields: sample.response.headers.compactMap { name, value in
            FieldName(validating: name).map { ($0, value) }
          })
      }
      harness = try Harness(text) { [counts] request in
        guard let number = request.fields.text("X-Sample").flatMap({ Int($0) }) else { return nil }
        return counts.isFirst(number) ? responses[number] : .body("", status: 404)
      }
      self.lists = try Harness.configuration(text).lists
    }

    func ask(_ number: Int, cursor: String?) -> Answered {
      harness.ask("/v1/lists/s\(number)?debug=1\(cursor.map { "&cursor=\($0)" } ?? "")")
    }

    /// A cursor of the page that was recorded, where that is not the list's first.
    func cursor(_ number: Int) throws -> String? {
      guard samples[number].isList, let place = configurations[number].place else { return nil }
      return try cursor(number, at: place)
    }

    func cursor(_ number: Int, at place: Place) throws -> String {
      let sealer = try Harness.sealer()
      return sealer.seal(
        Position(place: place).encode(), binding: ServedList.bindingPrefix(of: lists[number]),
        now: harness.process.unixSeconds())
    }
  }

  /// Made once: to read so large a configuration takes its time.
  private static let replay = Result { try Replay() }

  @Test(
    "every recorded answer gives what its index says: items, numbers, next, and the upstream's own words",
    .enabled(if: Samples.areThere, "../shared/samples is not there: skipped"))
  func replayed() throws {
    let replay = try Self.replay.get()
    replay.counts.reset()
    var right = 0
    var exceptions: [String: Int] = [:]
    for (number, sample) in replay.samples.enumerated() {
      let expected = try SampleExpectation(sample, replay.configurations[number], body: replay.bodies[number])
      let cursor = try replay.cursor(number)
      let answer = replay.ask(number, cursor: cursor)
      var complaints = compare(answer, expected, sample)
      complaints += misfollowed(answer, number, replay)
      complaints += try unidentified(number, replay)
      for complaint in complaints {
        Issue.record("\(sample.file): \(complaint)\n  \(replay.configurations[number].list(upstream: "u"))")
      }
      if complaints.isEmpty { right += 1 }
      for exception in SampleException.all where exception.applies(sample) {
        exceptions[exception.why, default: 0] += 1
      }
    }
    let count = replay.samples.count
    print("recorded answers right: \(right) of \(count)")
    for (why, number) in exceptions.sorted(by: { $0.value > $1.value }) {
      print("  of them \(number) \(why)")
    }
    let readme = try String(contentsOf: Samples.readme, encoding: .utf8).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    #expect(readme.contains("\(count) recorded answers of \(Set(replay.samples.map(\.api)).count) APIs"))
    for (why, number) in exceptions { #expect(readme.contains("\(number) \(why)"), "\(number) \(why)") }
  }

  @Test(
    "what was recorded past the last page ends the list where a walk meets it",
    .enabled(if: Samples.areThere, "../shared/samples is not there: skipped"),
    arguments: [
      "wordpress/past-the-end-400.json", "rick-and-morty/past-the-end-404.json",
      "gitlab/empty.json", "cnode/past-the-end.json", "budejie/subscribe-past-the-end.json",
      "worldbank/past-the-end.json", "weibo/empty-object-array.json", "gank/v1-past-the-end.json",
    ])
  func pastTheEnd(file: String) throws {
    let replay = try Self.replay.get()
    replay.counts.reset()
    let number = try #require(replay.samples.firstIndex { $0.file == file })
    let place = replay.configurations[number].place ?? .page(number: 99, size: 0)
    let answer = replay.ask(number, cursor: try replay.cursor(number, at: place))
    #expect(answer.status == 200 && answer.items.isEmpty && answer.next == nil, "\(answer.text)")
  }

  /// Asks for the page behind `next`: what the answer named must be what is sent.
  private func misfollowed(_ answer: Answered, _ number: Int, _ replay: Replay) -> [String] {
    guard let cursor = answer.next, let next = replay.configurations[number].nextInAnswer else { return [] }
    _ = replay.ask(number, cursor: cursor)
    guard
      let request = replay.harness.upstream.requests.last(where: { $0.fields.text("X-Sample") == "\(number)" }
      ),
      let url = URLComponents(string: request.url)
    else { return ["nothing was asked for behind next"] }
    var sent = [SampleConfiguration.target(of: request.url)] + (url.queryItems ?? []).compactMap(\.value)
    if let range = request.fields.text("Range") { sent.append(range) }
    let content = String(decoding: request.content ?? [], as: UTF8.self)
    sent += URLComponents(string: "?\(content)")?.queryItems?.compactMap(\.value) ?? []
    if let body = try? JSONSerialization.jsonObject(with: Data(content.utf8)) as? [String: Any] {
      sent += body.values.map { "\($0)" }
    }
    return sent.contains(next) ? [] : ["next is \(next), and sent was \(sent)"]
  }

  /// Items that the index gives an id must have one.
  private func unidentified(_ number: Int, _ replay: Replay) throws -> [String] {
    let sample = replay.samples[number]
    let hint = replay.configurations[number].hint
    guard sample.isList, !sample.isXML, sample.itemId != nil || hint.id != nil, hint.id != #""none""#,
      let document = replay.configurations[number].document
    else { return [] }
    let page = try Normaliser(plan: replay.lists[number].plan).page(
      ofBody: sample.charset == nil ? Bytes(copying: replay.bodies[number]) : document.bytes,
      parser: Parser(maximumDepth: 256), status: 200,
      fields: Fields(), target: [])
    let bare = page.items.filter { $0.id == 0 }.count
    let allowed = SampleHint.itemsWithoutID[sample.file] ?? 0
    return bare == allowed ? [] : ["\(bare) items have no id"]
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

  func reset() { lock.withLock { seen = [] } }

  func isFirst(_ number: Int) -> Bool { lock.withLock { seen.insert(number).inserted } }
}
