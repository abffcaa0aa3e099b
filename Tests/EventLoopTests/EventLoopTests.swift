import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

/// What a test's loop writes down, read by the test once the loop has stopped.
private final class Journal: Sendable {
  private let lines = Mutex<[String]>([])
  func note(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite("EventLoop", .timeLimit(.minutes(10)))
struct EventLoopTests {
  /// Runs `body` on a loop of its own, which `body` must stop.
  private func onLoop(_ body: @escaping @Sendable (EventLoop) -> Void) throws {
    let loops = try Loops(count: 1)
    let loop = loops.all[0]
    loop.execute { body(loop) }
    try loops.start()
    loops.wait()
  }

  @Test("timers fire in the order of their deadlines, and those of one instant as they came")
  func timersInOrder() throws {
    let journal = Journal()
    try onLoop { loop in
      let start = loop.now
      loop.schedule(at: start + .milliseconds(20)) {
        journal.note("d")
        loop.stop()
      }
      loop.schedule(at: start + .milliseconds(10)) { journal.note("b") }
      loop.schedule(at: start + .milliseconds(10)) { journal.note("c") }
      loop.schedule(at: start) { journal.note("a") }
    }
    #expect(journal.all == ["a", "b", "c", "d"])
  }

  @Test("what the end of a turn leaves is done in more rounds before the next wait, but not for ever")
  func rounds() throws {
    let journal = Journal()
    try onLoop { loop in
      var count = 0
      loop.everyTurn {
        count += 1
        let number = count
        journal.note("end \(number) of turn \(loop.figures.turns)")
        if number == 1 { loop.execute { journal.note("job") } }
        if number < 6 { loop.turnAgain() } else { loop.stop() }
      }
    }
    #expect(
      journal.all.prefix(7) == [
        "end 1 of turn 0", "job", "end 2 of turn 0", "end 3 of turn 0", "end 4 of turn 0", "end 5 of turn 1",
        "end 6 of turn 1",
      ])
  }

  @Test("a cancelled timer does not fire")
  func cancelledTimer() throws {
    let journal = Journal()
    try onLoop { loop in
      let timer = loop.schedule(at: loop.now) { journal.note("cancelled") }
      timer.cancel()
      loop.schedule(at: loop.now + .milliseconds(5)) { loop.stop() }
    }
    #expect(journal.all == [])
  }

  @Test("thousands of timers, many of them cancelled, fire exactly as a sorted list would")
  func manyTimers() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let journal = Journal()
      let expected = Mutex<[(Int, Int)]>([])
      try onLoop { loop in
        var random = SeededRandom(seed: seed)
        let start = loop.now - .seconds(1)
        var timers: [(timer: Timer, delay: Int, number: Int)] = []
        for number in 0..<3_000 {
          let delay = Int.random(in: 0..<500, using: &random)
          let timer = loop.schedule(at: start + .milliseconds(delay)) { journal.note("\(number)") }
          timers.append((timer, delay, number))
          if Int.random(in: 0..<4, using: &random) > 0 {
            timers.randomElement(using: &random)?.timer.cancel()
          }
        }
        var kept: [(Int, Int)] = []
        for timer in timers {
          if Bool.random(using: &random) { timer.timer.cancel() }
          if timer.timer.isPending { kept.append((timer.delay, timer.number)) }
        }
        expected.withLock { $0 = kept }
        loop.schedule(at: start + .seconds(1)) { loop.stop() }
      }
      #expect(journal.all == expected.withLock { $0.sorted(by: <).map { "\($0.1)" } })
    }
  }

  @Test("a task started on a loop runs at once up to its first suspension, and stays on the loop's thread")
  func tasksStay() throws {
    let journal = Journal()
    try onLoop { loop in
      loop.start {
        journal.note("first \(loop.isCurrent)")
        for _ in 0..<3 {
          await withUnsafeContinuation { continuation in
            loop.schedule(at: loop.now + .milliseconds(1)) { continuation.resume() }
          }
          journal.note("again \(loop.isCurrent)")
        }
        loop.stop()
      }
      journal.note("started")
    }
    #expect(journal.all == ["first true", "started", "again true", "again true", "again true"])
  }

  @Test("work from other threads all arrives, each piece once")
  func workFromElsewhere() throws {
    let loops = try Loops(count: 2)
    let arrived = Atomic<Int>(0)
    for loop in loops.all {
      let other = loops.all[1 - loop.index]
      loop.execute {
        for _ in 0..<10_000 { other.execute { arrived.add(1, ordering: .relaxed) } }
        other.execute { other.stop() }
      }
    }
    try loops.start()
    loops.wait()
    #expect(arrived.load(ordering: .relaxed) == 20_000)
  }

  @Test("a watcher hears of its descriptor, and not after it has been taken away in the same turn")
  func watchers() throws {
    let journal = Journal()
    try onLoop { loop in
      var ends: [Int32] = [0, 0]
      var others: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0 && pipe(&others) == 0)
      let (first, second) = (ends, others)
      for (pair, other) in [(first, second), (second, first)] {
        loop.watch(pair[0], for: .readable) { readiness in
          journal.note("heard \(readiness.contains(.readable))")
          // Both are ready in this turn: whoever is called first takes the other away.
          loop.unwatch(other[0])
          loop.unwatch(pair[0])
        }
        #expect(write(pair[1], "x", 1) == 1)
      }
      loop.schedule(at: loop.now + .milliseconds(10)) {
        for descriptor in first + second { close(descriptor) }
        loop.stop()
      }
    }
    #expect(journal.all == ["heard true"])
  }

  @Test("a loop that turns has turned within two seconds, one that is blocked has not")
  func beat() throws {
    let loops = try Loops(count: 1)
    let loop = loops.all[0]
    let isBlocked = Atomic<Bool>(false)
    try loops.start()
    loop.execute {
      isBlocked.store(true, ordering: .releasing)
      usleep(300_000)
    }
    while !isBlocked.load(ordering: .acquiring) { usleep(1_000) }
    usleep(150_000)
    #expect(loop.sinceLastTurn(at: .now) >= .milliseconds(100))
    loops.stopAndWait()
    #expect(loop.figures.turns > 0)
  }
}
