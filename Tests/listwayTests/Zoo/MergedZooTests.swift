import Foundation
import TestSupport
import Testing

/// Four real servers as one list, one of them stopped and started again while it is walked.
@Suite("Real list servers merged", .serialized)
struct MergedZooTests {
  private struct Source {
    let server: String
    /// Which of its lists: see ``ZooLists``.
    let kind: String
    /// From an item to its time.
    let time: String
  }

  /// By page number, by `Link`, by cursors within a POST, and by a next URL that is fetched by GET after a POST.
  private static let sources = [
    Source(server: "drf", kind: "page", time: "/created"),
    Source(server: "fastapi-pagination", kind: "bare", time: "/created"),
    Source(server: "graphql-relay", kind: "connection", time: "/created"),
    Source(server: "prefect", kind: "events", time: "/payload/created"),
  ]
  private static let isAskedFor = Shared.hasZoo && sources.allSatisfy { Zoo.servers.contains($0.server) }

  /// Two hundred items each, in the order of their times, of which thirteen at a time are the same, and the first twelve.
  private static let list = "even"
  private static let sameTimeCount = 13

  private static func kind(of source: Source) throws -> ZooLists {
    try #require(ZooLists.of(source.server).first { $0.name == source.kind })
  }

  private static func service(_ zoos: [Zoo]) throws -> Service {
    var upstreams = ""
    var lists = ""
    for (source, zoo) in zip(sources, zoos) {
      upstreams +=
        "  \(source.server): {url: \"http://127.0.0.1:\(zoo.port)\", retries: {attempts: 1}, queue: {wait: 100ms}, "
        + "reachability: {every: 200ms}}\n"
      lists += "  \(source.server):\n    upstream: \(source.server)\n    cache: {keep: 0s}\n"
      for line in try kind(of: source).configuration.replacing("{}", with: list).split(separator: "\n") {
        lists += "    \(line)\n"
      }
    }
    let times = sources.map { "\($0.server): \($0.time)" }.joined(separator: ", ")
    return try Service(
      """
      upstreams:
      \(upstreams)
      lists:
      \(lists)
        all:
          merge: [\(sources.map(\.server).joined(separator: ", "))]
          order: {by: {\(times)}, type: time}
          tag: source
      """)
  }

  /// A walk, and what it met.
  private struct Walk {
    var origins: [Int] = []
    var items: [[String]] = Array(repeating: [], count: sources.count)
    /// Where each item belongs: by its time, then by its source.
    var ranks: [Int] = []
    /// Items when the source was missing first, and when it was back.
    var away: (from: Int, to: Int)?

    mutating func take(_ envelope: EnvelopeReader, stopped: Int) throws {
      var ranks: [Int] = []
      for item in envelope.items {
        let origin = try #require(
          sources.firstIndex { item.hasPrefix(#"{"source":"\#($0.server)","item":"#) })
        let text = item.dropFirst(#"{"source":"\#(sources[origin].server)","item":"#.utf8.count).dropLast()
        ranks.append((items[origin].count + 1) / sameTimeCount * sources.count + origin)
        items[origin].append(
          try CanonicalJSON.text(String(text), members: MergedZooTests.kind(of: sources[origin]).members))
        origins.append(origin)
      }
      #expect(ranks == ranks.sorted())
      let isAway = envelope.warnings.contains("section_failed:\(sources[stopped].server)")
      if isAway { away = (away?.from ?? self.ranks.count, self.ranks.count + ranks.count) }
      self.ranks += ranks
    }
  }

  @Test(
    "four servers of four styles, one of which is stopped and started again: nothing is lost, nothing doubled, all in order",
    .enabled(if: isAskedFor, "LISTWAY_TEST_ZOO does not name four servers of ../shared/zoo: skipped"),
    .timeLimit(.minutes(15)), arguments: zip([1, 7, 50], [0, 1, 2]))
  func restart(limit: Int, stopped: Int) throws {
    var zoos: [Zoo] = []
    defer { for zoo in zoos { zoo.stop() } }
    for source in Self.sources { zoos.append(try Zoo(source.server)) }
    let service = try Self.service(zoos)
    let client = try TestClient(port: service.port, timeout: 120)
    var walk = Walk()
    var isDown = false
    var wasDown = false
    var cursor: String?
    repeat {
      if !wasDown, walk.ranks.count >= 200 {
        zoos[stopped].stop()
        (isDown, wasDown) = (true, true)
      } else if isDown, walk.ranks.count >= 350 {
        try zoos[stopped].start()
        isDown = false
      }
      let answer = try client.request(
        "GET", "/v1/lists/all?limit=\(limit)" + (cursor.map { "&cursor=\($0)" } ?? ""))
      try #require(answer.status == 200, "\(answer.text)")
      let envelope = try EnvelopeReader(answer.body)
      try walk.take(envelope, stopped: stopped)
      cursor = envelope.next
    } while cursor != nil
    for (index, source) in Self.sources.enumerated() {
      let truth = try Self.kind(of: source).truth.replacing("{}", with: Self.list)
      #expect(
        walk.items[index] == (try CanonicalJSON.elements(zoos[index].truth(of: truth))), "\(source.server)")
    }
    // In order until the one is missing, and again when it has been taken up.
    let away = try #require(walk.away)
    #expect(walk.ranks[..<away.from].elementsEqual(walk.ranks[..<away.from].sorted()))
    #expect(walk.ranks[away.to...].elementsEqual(walk.ranks[away.to...].sorted()))
    let others = walk.ranks.filter { $0 % Self.sources.count != stopped }
    #expect(others == others.sorted())
    print(
      "zoo merged limit \(limit): \(walk.ranks.count) items, \(Self.sources[stopped].server) away for \(away)"
    )
  }
}
