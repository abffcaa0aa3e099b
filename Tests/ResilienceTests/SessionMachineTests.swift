import Resilience
import TestSupport
import Testing

@Suite("SessionMachine")
struct SessionMachineTests {
  private let start = ContinuousClock.now
  private static let settings = SessionMachine.Settings(
    age: .seconds(60), backoff: Backoff(base: .seconds(1), cap: .seconds(30)), loginTimeout: .seconds(10))
  private var random = SeededRandom(seed: 5)

  /// A machine with the session of generation 1.
  private func valid(lifetime: Duration? = nil) -> SessionMachine {
    var machine = SessionMachine(Self.settings)
    #expect(machine.need(at: start) == .logIn(1))
    let isKept = machine.loggedIn(1, lifetime: lifetime, at: start)
    #expect(isKept)
    return machine
  }

  @Test("logs in once for all who need it")
  func once() {
    var machine = SessionMachine(Self.settings)
    #expect((0..<3).map { _ in machine.need(at: start) } == [.logIn(1), .wait(1), .wait(1)])
    let isKept = machine.loggedIn(1, lifetime: nil, at: start)
    #expect(isKept && machine.isValid)
    #expect((0..<2).map { _ in machine.need(at: start) } == [.use(1), .use(1)])
    #expect(machine.loginCount == 1)
  }

  @Test(
    "is renewed when it is as old as it may become, by its own word or by ours",
    arguments: [(nil, 60), (30, 30), (90, 60)] as [(Int?, Int)])
  func age(lifetime: Int?, seconds: Int) {
    var machine = valid(lifetime: lifetime.map { .seconds($0) })
    #expect(machine.need(at: start + .seconds(seconds) - .nanoseconds(1)) == .use(1))
    #expect(machine.need(at: start + .seconds(seconds)) == .logIn(2))
  }

  @Test("is renewed once, however many requests were told that it has expired, and each is made again once")
  func expired() {
    var machine = valid()
    #expect((0..<3).map { _ in machine.rejected(1, hasReplayed: false) } == [true, true, true])
    #expect((0..<2).map { _ in machine.need(at: start) } == [.logIn(2), .wait(2)])
    _ = machine.loggedIn(2, lifetime: nil, at: start)
    // Somebody is late with the old one; the new one stays.
    #expect([machine.rejected(1, hasReplayed: false)] == [true])
    #expect([machine.need(at: start)] == [.use(2)])
    // The new one does no better: no third time.
    #expect([machine.rejected(2, hasReplayed: true)] == [false])
    #expect([machine.need(at: start)] == [.logIn(3)])
  }

  @Test("a refused login is not hammered")
  mutating func refused() {
    var machine = SessionMachine(Self.settings)
    var now = start
    var waits: [Duration] = []
    for generation in 1...8 as ClosedRange<UInt64> {
      #expect([machine.need(at: now)] == [.logIn(generation)])
      machine.loginFailed(generation, at: now, using: &random)
      guard case .refused(let wait) = machine.need(at: now) else {
        return #expect(Bool(false), "let in at once")
      }
      waits.append(wait)
      now += wait
    }
    #expect(
      zip(waits, [1, 2, 4, 8, 16, 30, 30, 30]).allSatisfy { $0 >= .seconds($1) / 2 && $0 <= .seconds($1) })
    // One that goes well ends that.
    #expect([machine.need(at: now)] == [.logIn(9)])
    _ = machine.loggedIn(9, lifetime: nil, at: now)
    _ = machine.rejected(9, hasReplayed: false)
    #expect([machine.need(at: now)] == [.logIn(10)])
    machine.loginFailed(10, at: now, using: &random)
    #expect([machine.need(at: now + .seconds(1))] == [.logIn(11)])
  }

  @Test("a login that nobody heard of again makes way, and its token comes too late")
  func lost() {
    var machine = SessionMachine(Self.settings)
    _ = machine.need(at: start)
    #expect((0..<2).map { machine.need(at: start + .seconds(9 + $0)) } == [.wait(1), .logIn(2)])
    #expect([machine.loggedIn(1, lifetime: nil, at: start)] == [false])
    machine.loginAbandoned(2)
    #expect([machine.need(at: start)] == [.logIn(3)])
  }

  @Test(
    "never two logins at once, never a session that was rejected, never a hammered door",
    arguments: ModelRun.seeds)
  func model(seed: UInt64) throws {
    var run = ModelRun(seed: seed)
    var machine = SessionMachine(Self.settings)
    // What an observer notes down.
    var login: (generation: UInt64, begun: Instant)?
    var session: (generation: UInt64, until: Instant)?
    var closedUntil: Instant?
    var lastFailure: Instant?
    var failures = 0
    var uses = 0
    for step in 0..<ModelRun.steps {
      run.pass(0...300, far: 1_000...40_000)
      let now = run.now
      switch run.number(0...9) {
      case 0...4:
        let verdict = machine.need(at: now)
        switch verdict {
        case .use(let generation):
          uses += 1
          guard let session, session.generation == generation, now < session.until else {
            throw Differs("step \(step): used \(generation)")
          }
        case .wait(let generation):
          guard let login, login.generation == generation, now < login.begun + .seconds(10) else {
            throw Differs("step \(step): waits for nothing")
          }
        case .logIn(let generation):
          let isFree = login.map { now >= $0.begun + .seconds(10) } ?? true
          let isNeeded = session.map { now >= $0.until } ?? true
          let isAllowed = closedUntil.map { now >= $0 } ?? true
          guard isFree, isNeeded, isAllowed, generation > login?.generation ?? session?.generation ?? 0 else {
            throw Differs("step \(step): logs in again")
          }
          (login, session, closedUntil) = ((generation, now), nil, nil)
        case .refused(let wait):
          let until = now + wait
          guard login == nil, session == nil, let lastFailure, closedUntil == nil || closedUntil == until
          else {
            throw Differs("step \(step): refused for nothing")
          }
          let ceiling = Self.settings.backoff.ceiling(after: failures)
          guard until >= lastFailure + ceiling / 2, until <= lastFailure + ceiling else {
            throw Differs("step \(step): \(wait) after \(failures) failures")
          }
          closedUntil = until
        }
      case 5, 6:
        guard let under = login else { continue }
        let generation = run.chance(90) ? under.generation : under.generation - 1
        if run.chance(60) {
          let lifetime: Duration? = run.chance(50) ? .milliseconds(run.number(1...90_000)) : nil
          let isKept = machine.loggedIn(generation, lifetime: lifetime, at: now)
          guard isKept == (generation == under.generation) else { throw Differs("step \(step): kept") }
          if isKept {
            (login, failures) = (nil, 0)
            session = (generation, now + min(lifetime ?? .seconds(60), .seconds(60)))
          }
        } else if run.chance(80) {
          machine.loginFailed(generation, at: now, using: &run.random)
          if generation == under.generation {
            failures += 1
            (login, lastFailure) = (nil, now)
          }
        } else {
          machine.loginAbandoned(generation)
          if generation == under.generation { login = nil }
        }
      default:
        guard let known = session else { continue }
        let generation = run.chance(70) ? known.generation : known.generation - 1
        let hasReplayed = run.chance(30)
        guard machine.rejected(generation, hasReplayed: hasReplayed) == !hasReplayed else {
          throw Differs("step \(step): replayed")
        }
        if generation == known.generation { session = nil }
      }
    }
    #expect(uses > 1_000 && machine.loginCount > 1_000 && machine.refusedCount > 100)
  }
}
