import Foundation
import JSON
import TestSupport
import Testing

/// Pages in a file, and what becomes of the file.
@Suite("A store in a file, end to end", .timeLimit(.minutes(10)))
struct StoreFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func service(
    _ port: UInt16, in folder: String, cache: String = "{fresh: 1h}", size: String = "64MB"
  ) throws -> Service {
    let service = try Service(
      StoredLists.configuration(
        port, store: "{sqlite: '\(folder)/pages.db', size: \(size)}", cache: cache))
    try service.wait(for: "listway_store_up") { $0 == 1 }
    return service
  }

  @Test("256 clients that ask one gateway for one cold page cost a 20 ms upstream one request")
  func coldPage() throws {
    let upstream = try StoredLists.slowUpstream(.milliseconds(20))
    defer { upstream.stop() }
    let service = try service(upstream.port, in: folder.path)
    let answers = Crowd.ask(
      Array(repeating: "/v1/lists/items", count: 256), port: service.port, within: .seconds(60))
    #expect(answers.allSatisfy { $0?.status == 200 })
    #expect(upstream.requests.count == 1)
  }

  @Test("after kill -9, and with the upstream down, all that was known is served, stale and with its age")
  func restart() throws {
    let upstream = try StoredLists.upstream()
    // Every request is to reach the upstream: what is served without it is served in its place.
    let before = try service(upstream.port, in: folder.path, cache: "{keep: 1h}")
    let known = try before.walk("/v1/lists/items", limit: 10)
    #expect(known.count == 60)
    // Three with items, and the empty one that showed the end.
    try before.wait(for: "listway_store_pages") { $0 == 4 }
    before.program.signal(SIGKILL)
    #expect(before.program.waitForEnd() == 128 + SIGKILL)
    upstream.stop()
    pause(milliseconds: 2_100)
    let after = try service(upstream.port, in: folder.path, cache: "{keep: 1h}")
    #expect(try after.walk("/v1/lists/items", limit: 10) == known)
    let answer = try after.get("/v1/lists/items?limit=10")
    let envelope = try EnvelopeReader(answer.body)
    #expect(answer.text.contains(#""stale":true"#))
    let age = try #require(envelope.node("/header/age").flatMap { envelope.document.integer(of: $0) })
    #expect(age >= 1)
    #expect(answer.field("Age") == "\(age)")
    #expect(answer.field("Cache-Status")?.contains("listway") == true)
    // Nothing is made up for what was never known.
    #expect(try after.get("/v1/lists/items?limit=10&q=1").status == 503)
  }

  @Test("a page that is fresh after a restart costs no request; of another configuration nothing is found")
  func another() throws {
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let first = try service(upstream.port, in: folder.path)
    #expect(try first.get("/v1/lists/items").status == 200)
    first.program.stop()
    let second = try service(upstream.port, in: folder.path)
    #expect(try second.get("/v1/lists/items").status == 200)
    second.program.stop()
    #expect(upstream.pagesAsked == [1])
    let text = StoredLists.configuration(
      upstream.port, store: "{sqlite: '\(folder.path)/pages.db'}", cache: "{fresh: 1h}")
    // Where its items are, or who asks for them: it is another list.
    let query = #"query: {q: "{q}"}"#
    let tenant = query + #", headers: {X-Tenant: "${TENANT}"}"#
    for (part, other) in [("at: /list", "at: [/list]"), (query, tenant)] {
      let third = try Service(text.replacing(part, with: other), environment: ["TENANT": "b"])
      try third.wait(for: "listway_store_up") { $0 == 1 }
      #expect(try third.get("/v1/lists/items").status == 200)
      third.program.stop()
    }
    // The same words, and another tenant by the environment.
    let fourth = try Service(text.replacing(query, with: tenant), environment: ["TENANT": "c"])
    try fourth.wait(for: "listway_store_up") { $0 == 1 }
    #expect(try fourth.get("/v1/lists/items").status == 200)
    #expect(upstream.pagesAsked == [1, 1, 1, 1])
  }

  // MARK: What becomes of the file

  /// Has clients ask for cold pages before, while and after something befalls the file; all of them are answered.
  private func endure(
    in folder: String, size: String = "64MB", _ befall: (Service) throws -> Void,
    until isFelt: (Service) throws -> Void
  ) throws {
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let service = try service(upstream.port, in: folder, size: size)
    let load = SteadyLoad(port: service.port, clients: 4)
    try load.pass(50)
    try befall(service)
    try load.pass(100)
    try isFelt(service)
    try load.pass(50)
    #expect(load.stop() == [])
    #expect(service.program.isRunning)
    #expect(service.program.stop() == 0)
  }

  private static func hasErred(_ service: Service) throws {
    try service.wait(for: "listway_store_errors_total") { $0 > 0 }
  }

  @Test(
    "a disk that is full costs no request",
    .enabled(if: MountedFolder.isPossible, "a small disk takes the right to mount"))
  func full() throws {
    let disk = try MountedFolder(kilobytes: 600)
    try endure(in: disk.path, { _ in }, until: Self.hasErred)
  }

  @Test(
    "a disk that has become read-only is read, and costs no request",
    .enabled(if: MountedFolder.isPossible, "a small disk takes the right to mount"))
  func readOnly() throws {
    let disk = try MountedFolder(kilobytes: 40_000)
    let upstream = try StoredLists.upstream()
    let first = try service(upstream.port, in: disk.path, cache: "{keep: 1h}")
    #expect(try first.get("/v1/lists/items").status == 200)
    #expect(first.program.stop() == 0)
    try disk.remount("ro")
    let second = try service(upstream.port, in: disk.path, cache: "{keep: 1h}")
    let load = SteadyLoad(port: second.port, clients: 4)
    try load.pass(100)
    try Self.hasErred(second)
    try load.pass(50)
    #expect(load.stop() == [])
    upstream.stop()
    let answer = try second.get("/v1/lists/items")
    #expect(answer.status == 200)
    #expect(answer.text.contains(#""stale":true"#))
  }

  @Test("a file that may not grow (RLIMIT_FSIZE) costs no request")
  func limited() throws {
    try endure(
      in: folder.path,
      { try Child.shell("prlimit --pid \($0.program.processIdentifier) --fsize=100000:100000") },
      until: Self.hasErred)
  }

  @Test("a bound that is reached costs no request, and makes room for the newest")
  func bounded() throws {
    try endure(
      in: folder.path, size: "1MB", { _ in },
      until: { try $0.wait(for: "listway_store_evicted_total") { $0 > 0 } })
  }

  @Test("a file that is overwritten costs no request, and is set aside when it is opened the next time")
  func corrupt() throws {
    // Not at its end only: the pages that are read first, and its log's.
    let overwrite = {
      for name in ["pages.db", "pages.db-wal"] {
        try Child.shell(
          "dd if=/dev/urandom of='\(folder.path)/\(name)' bs=4096 count=40 conv=notrunc status=none")
      }
    }
    try endure(in: folder.path, { _ in try overwrite() }, until: { _ in })
    try overwrite()
    try endure(
      in: folder.path, { _ in },
      until: { service in
        #expect(try service.figure("listway_store_set_aside_total") == 1)
        let pages = try service.figure("listway_store_pages")
        #expect((pages ?? 0) > 0)
      })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains { $0.contains(".corrupt-") }, "\(names)")
  }

  @Test("a file that is no database at the start is set aside, and pages are kept in a new one")
  func garbage() throws {
    try folder.write(String(repeating: "no database at all. ", count: 5_000), to: "pages.db")
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let service = try service(upstream.port, in: folder.path)
    #expect(try service.get("/v1/lists/items").status == 200)
    try service.wait(for: "listway_store_pages") { $0 == 1 }
    #expect(try service.figure("listway_store_set_aside_total") == 1)
  }

  @Test("a file that is deleted is made anew, and costs no request")
  func deleted() throws {
    try endure(
      in: folder.path, { _ in try Child.shell("rm -f '\(folder.path)'/pages.db*") },
      until: { _ in
        for _ in 0..<2_000 {
          if FileManager.default.fileExists(atPath: folder.path + "/pages.db") { return }
          pause(milliseconds: 10)
        }
        throw TestFailure("it is not made anew")
      })
  }

  @Test("a folder that is not there costs no request, and is used once it is")
  func missing() throws {
    let upstream = try StoredLists.upstream()
    defer { upstream.stop() }
    let service = try Service(
      StoredLists.configuration(
        upstream.port, store: "{sqlite: '\(folder.path)/later/pages.db'}", cache: "{fresh: 1h}"))
    #expect(try service.get("/v1/lists/items?q=1").status == 200)
    #expect(try service.figure("listway_store_up") == 0)
    try Child.shell("mkdir '\(folder.path)/later'")
    var number = 1
    for _ in 0..<1_000 {
      number += 1
      #expect(try service.get("/v1/lists/items?q=\(number)").status == 200)
      if try service.figure("listway_store_pages") ?? 0 > 0 { return }
      pause(milliseconds: 20)
    }
    throw TestFailure("it is not used: \(service.program.errorText)")
  }
}
