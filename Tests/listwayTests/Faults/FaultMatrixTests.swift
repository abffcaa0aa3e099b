import Foundation
import Synchronization
import TestSupport
import Testing

/// Every way of being ill, before 1, 64 and 512 clients: what they are told and how fast, and that all is well afterwards.
///
/// `LISTWAY_FAULT=WORDS` runs only those whose name has these words in it.
@Suite("Faults", .serialized, .timeLimit(.minutes(10)))
struct FaultMatrixTests {
  private static let crowds = [1, 64, 512]
  /// Faults that are looked at side by side.
  static let lanes = 6
  /// How much later than its deadline an answer may come, on a machine that has much else to do: hanging takes longer.
  private static let margin = Duration.seconds(15)

  /// What was seen of one fault.
  struct Row: Sendable {
    let name: String
    var told: [String] = []
    var slowest: [Duration] = []
    var requests: [Int] = []
    var isSuspended = false
    var recovery = Duration.zero
    var descriptors = (before: 0, after: 0)
    var grownBytes = 0
    var complaints: [String] = []

    var line: String {
      let columns =
        [name, told.joined(separator: ", ")]
        + slowest.map { "\(Int($0 / .milliseconds(1))) ms" } + requests.map(String.init)
        + [isSuspended ? "yes" : "no", "\(Int(recovery / .milliseconds(1))) ms"]
        + ["\(descriptors.before) → \(descriptors.after)", "\(max(0, grownBytes) / 1_000_000) MB"]
      return "| " + columns.joined(separator: " | ") + " |"
    }

    static let head = """
      | fault | told | slowest of 1 | of 64 | of 512 | sent upstream for 1 | for 64 | for 512 | suspended | well again after | descriptors | memory |
      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- | ---: |
      """
  }

  @Test(
    "clients are told what is so, in time; upstreams are not trampled; and all is well when the fault is over"
  )
  func matrix() throws {
    let wanted = ProcessInfo.processInfo.environment["LISTWAY_FAULT"]
    let faults = Fault.all.filter { fault in wanted.map { fault.name.contains($0) } ?? true }
    let possible = faults.filter { $0.isPossible }
    let rows = Mutex<[Int: Row]>([:])
    let next = Atomic<Int>(0)
    let threads = (0..<Self.lanes).map { _ in
      let thread = Thread {
        while true {
          let index = next.add(1, ordering: .relaxed).oldValue
          guard index < possible.count else { break }
          let row = Self.look(at: possible[index])
          rows.withLock { $0[index] = row }
        }
      }
      thread.stackSize = 1 << 22
      return thread
    }
    for thread in threads { thread.start() }
    while threads.contains(where: { !$0.isFinished }) { usleep(20_000) }
    let found = rows.withLock { rows in possible.indices.compactMap { rows[$0] } }
    print("deadline: \(Fault.deadline)")
    print(([Row.head] + found.map(\.line)).joined(separator: "\n"))
    for fault in faults where !fault.isPossible { print("skipped, for want of what it takes: \(fault.name)") }
    #expect(found.count == possible.count)
    for row in found { #expect(row.complaints.isEmpty, "\(row.name)") }
  }

  // MARK: One fault

  private static func look(at fault: Fault) -> Row {
    var row = Row(name: fault.name)
    do {
      let world = try FaultWorld(
        fault.place, keys: fault.keys, isNamed: fault.isNamed, isSecure: fault.isSecure)
      defer { world.end() }
      try look(at: fault, in: world, &row)
      if world.log.contains("secret-") { row.complaints.append("a session's token is in the log") }
    } catch {
      row.complaints.append("\(error)")
    }
    return row
  }

  private static func look(at fault: Fault, in world: FaultWorld, _ row: inout Row) throws {
    let sentAtFirst = world.upstream.pages
    var budget = 20
    // Warm, so that what is kept for good is there already.
    for count in [512, 64] {
      try world.waitFor("all are served before the fault") { world in
        budget += count + count / 5
        return world.ask(targets(count, 0)).allSatisfy { $0?.status == 200 }
      }
    }
    let cursors = crowds.indices.compactMap { cursor(of: world.ask(1, "/v1/lists/items?key=\(900 + $0)")) }
    guard cursors.count == crowds.count else { return row.complaints.append("no cursor") }
    usleep(100_000)
    row.descriptors.before = world.descriptorCount
    let bytes = world.byteCount

    try fault.begin(world)
    let start = ContinuousClock.now
    for (round, count) in crowds.enumerated() {
      try fault.beforeEach?(world)
      let before = world.upstream.pages
      var asked = targets(count, 1_000 * (round + 1))
      // One is in the middle of a walk.
      asked[0] = "/v1/lists/items?key=\(900 + round)&cursor=\(cursors[round])"
      let helper = fault.meanwhile.map { meanwhile in
        let thread = Thread { try? meanwhile(world) }
        thread.start()
        return thread
      }
      let answers = world.ask(asked)
      while let helper, !helper.isFinished { usleep(1_000) }
      let allowed = count == 1 ? fault.told : fault.told.union(fault.others)
      check(answers, world, allowed, "\(count) clients", walkFrom: 0, &row)
      row.slowest.append(answers.compactMap { $0?.elapsed }.max() ?? .zero)
      let sent = world.upstream.pages - before
      row.requests.append(sent)
      // Each once, a fifth again, the least that may be made again on each loop, and once more with a new session. What
      // was not made again before may be made again now.
      budget += count + count / 5 + (fault.wantsSession ? count : 0)
      let sentInAll = world.upstream.pages - sentAtFirst
      if sentInAll > budget {
        row.complaints.append("\(sentInAll) requests, not \(budget), with \(count)")
      }
    }
    let downs = world.figure("listway_upstream_changes_total{", #"state="down""#)
    row.isSuspended = downs > 0
    if fault.suspends != row.isSuspended, !fault.mayBeSuspended {
      row.complaints.append(fault.suspends ? "was not suspended" : "was suspended")
    }
    if fault.wantsSession, world.upstream.logins > 12 {
      row.complaints.append("\(world.upstream.logins) logins")
    }
    let limit = start.duration(to: .now)
    if fault.suspends, world.upstream.pages > 3_000 { row.complaints.append("hammered within \(limit)") }

    try fault.end(world)
    let over = ContinuousClock.now
    try world.waitFor("well again after \(fault.name)") {
      $0.ask(1, "/v1/lists/items?key=5000").first??.status == 200
    }
    row.recovery = over.duration(to: .now)
    try world.waitFor("all are served") { world in
      world.ask(targets(64, 6_000)).allSatisfy { $0?.status == 200 }
    }
    try world.waitFor("seen as reachable") { $0.isReachable }
    if world.figure("listway_upstream_waiting{") != 0 { row.complaints.append("somebody still waits") }
    try world.waitFor("no descriptor is left open", seconds: 20) { world in
      world.descriptorCount <= row.descriptors.before + 16
    }
    row.descriptors.after = world.descriptorCount
    row.grownBytes = world.byteCount - bytes
    if row.grownBytes > 64_000_000 { row.complaints.append("grew by \(row.grownBytes) bytes") }
  }

  /// Each client asks for something of its own, so that none is answered with what another asked for.
  private static func targets(_ count: Int, _ first: Int) -> [String] {
    (0..<count).map { "/v1/lists/items?key=\(first + $0)" }
  }

  private static func cursor(of answers: [Crowd.Answer?]) -> String? {
    answers.first??.text.split(separator: #""next":""#).dropFirst().first.map {
      String($0.prefix { $0 != "\"" })
    }
  }

  private static func check(
    _ answers: [Crowd.Answer?], _ world: FaultWorld, _ allowed: Set<String>, _ what: String,
    walkFrom walker: Int? = nil, _ row: inout Row
  ) {
    let missing = answers.count { $0 == nil }
    if missing > 0 { row.complaints.append("\(what): \(missing) without an answer") }
    for (index, answer) in answers.enumerated() {
      guard let answer else { continue }
      let told = ([String(answer.status)] + [answer.error].compactMap(\.self)).joined(separator: " ")
      if !row.told.contains(told) { row.told.append(told) }
      if !allowed.contains(told) { row.complaints.append("\(what): \(told): \(answer.text.prefix(300))") }
      if answer.elapsed > Fault.deadline + margin, !allowed.contains("200") {
        row.complaints.append("\(what): answered after \(answer.elapsed)")
      }
      if answer.status == 200 {
        let page = index == walker ? 2 : 1
        let items = FaultyUpstream.items(ofPage: page).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        if !answer.text.contains(#""body":[\#(items)]"#) { row.complaints.append("\(what): wrong items") }
      }
      if row.complaints.count > 5 { return }
    }
  }
}
