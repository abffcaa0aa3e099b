import Foundation
import Synchronization
import TestSupport
import Testing

private let chaosSeconds = ProcessInfo.processInfo.environment["LISTWAY_CHAOS"].flatMap { Double($0) }

/// Random faults, one after the other, for as long as is wanted, before 256 clients that walk a list over and over.
///
/// `LISTWAY_CHAOS=SECONDS` runs it, `LISTWAY_CHAOS_SEED=N` has it do again what it did. It takes the program beside the
/// tests, so a build with `--sanitize thread` looks for races.
@Suite(
  "Chaos", .timeLimit(.minutes(60)),
  .enabled(if: chaosSeconds != nil, "runs where LISTWAY_CHAOS says for how many seconds"))
struct ChaosTests {
  private static let clients = 256

  /// One client's walk.
  private struct Walker {
    let key: Int
    /// The page that comes next, and the cursor that leads there; nil for the first.
    var page = 1
    var cursor: String?

    var target: String { "/v1/lists/items?key=\(key)" + (cursor.map { "&cursor=\($0)" } ?? "") }

    /// - Returns: what is wrong with the answer.
    mutating func take(_ answer: Crowd.Answer?) -> String? {
      guard let answer else { return "no answer" }
      guard answer.status == 200 else {
        // It asks again for the page that it did not get.
        return ChaosTests.expected.contains(answer.error ?? "")
          ? nil : "\(answer.status) \(answer.text.prefix(300))"
      }
      let items = FaultyUpstream.items(ofPage: page).map { #"{"id":\#($0)}"# }.joined(separator: ",")
      guard answer.text.contains(#""body":[\#(items)]"#) else {
        return "page \(page): \(answer.text.prefix(300))"
      }
      cursor = answer.text.split(separator: #""next":""#).dropFirst().first.map {
        String($0.prefix { $0 != "\"" })
      }
      page = cursor == nil ? 1 : page + 1
      return nil
    }
  }

  private static let expected: Set<String> = [
    "upstream_unreachable", "upstream_fault", "upstream_timeout", "session_failed", "rate_limited",
    "overloaded",
  ]

  @Test("whatever happens, every request is answered, no item is wrong, and memory stays flat")
  func chaos() throws {
    let given = ProcessInfo.processInfo.environment["LISTWAY_CHAOS_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 0..<1_000_000)
    print("chaos: LISTWAY_CHAOS_SEED=\(seed)")
    let place =
      NetworkNamespace.canRelay
      ? FaultWorld.Place.behind(.relayed(.init(delay: .zero, loss: 0))) : FaultWorld.Place.loopback
    let world = try FaultWorld(place, keys: Fault.session)
    defer { world.end() }
    world.upstream.wantSession()
    world.upstream.forgetSession()
    let isOver = Atomic<Bool>(false)
    let faults = Mutex<[String: Int]>([:])
    let tormentor = Thread {
      var random = SeededRandom(seed: seed)
      while !isOver.load(ordering: .relaxed) {
        let name = Self.torment(world, &random)
        faults.withLock { $0[name, default: 0] += 1 }
        usleep(UInt32.random(in: 20_000...600_000, using: &random))
        if Bool.random(using: &random) { Self.soothe(world) }
        usleep(UInt32.random(in: 0...300_000, using: &random))
      }
      Self.soothe(world)
    }
    tormentor.start()
    var walkers = (0..<Self.clients).map { Walker(key: $0) }
    var (asked, served, wrong) = (0, 0, [String]())
    var bytes: [Int] = []
    let end = Date(timeIntervalSinceNow: chaosSeconds ?? 0)
    while Date() < end, wrong.isEmpty {
      let answers = world.ask(walkers.map(\.target))
      for index in walkers.indices {
        if let fault = walkers[index].take(answers[index]) { wrong.append(fault) }
      }
      asked += answers.count
      served += answers.count { $0?.status == 200 }
      bytes.append(world.byteCount)
    }
    isOver.store(true, ordering: .relaxed)
    while !tormentor.isFinished { usleep(10_000) }
    #expect(wrong.prefix(5) == [])
    try world.waitFor("all is well") { world in
      world.ask(walkers.map { "/v1/lists/items?key=\($0.key)" }).allSatisfy { $0?.status == 200 }
    }
    let middle = bytes.dropFirst(bytes.count / 4).first ?? 0
    print(
      "chaos: \(asked) requests, \(served) served; "
        + faults.withLock {
          $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
        + "; memory \(middle / 1_000_000) MB after a quarter, \((bytes.last ?? 0) / 1_000_000) MB at the end; "
        + "\(world.descriptorCount) descriptors, \(world.upstream.logins) logins")
    #expect(served > 0)
    #expect((bytes.last ?? 0) - middle < 32_000_000, "\(bytes)")
    #expect(!world.log.contains("secret-"))
    #expect(!world.log.contains("WARNING: ThreadSanitizer"))
  }

  private static func torment(_ world: FaultWorld, _ random: inout SeededRandom) -> String {
    let upstream = world.upstream
    switch Int.random(in: 0..<14, using: &random) {
    case 0: upstream.set(.resetBefore); return "reset before"
    case 1: upstream.set(.resetWithin); return "reset within"
    case 2: upstream.set(.halfThenSilence); return "half"
    case 3: upstream.set(.drip(.milliseconds(20))); return "drip"
    case 4: upstream.set(.slow(.milliseconds(Int.random(in: 1...400, using: &random)))); return "slow"
    case 5: upstream.set(.answer(FaultyUpstream.response(500, "oops"))); return "500"
    case 6:
      upstream.set(.answer(FaultyUpstream.response(503, fields: "Retry-After: 1\r\n", "busy"))); return "503"
    case 7:
      upstream.set(.answer(FaultyUpstream.response(429, fields: "Retry-After: 1\r\n", "{}"))); return "429"
    case 8: upstream.set(.answer(FaultyUpstream.response(200, type: "text/html", "<p>"))); return "HTML"
    case 9: upstream.forgetSession(); return "session forgotten"
    case 10:
      upstream.refuseLogins(FaultyUpstream.response(403, "no")); upstream.forgetSession();
      return "login refused"
    case 11:
      upstream.stop()
      usleep(UInt32.random(in: 0...200_000, using: &random))
      try? upstream.start()
      return "restarted"
    case 12: world.namespace?.relay?.set(.init(delay: .milliseconds(20), loss: 5)); return "lossy"
    default: world.namespace?.relay?.set(.init(delay: .zero, loss: 100)); return "cut off"
    }
  }

  private static func soothe(_ world: FaultWorld) {
    world.upstream.set(.none)
    world.upstream.refuseLogins(nil)
    world.namespace?.relay?.set(.init(delay: .zero, loss: 0))
  }
}
