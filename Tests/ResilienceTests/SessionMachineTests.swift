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
  mutating func expired() {
    var machine = valid()
    machine.accepted(1)
    #expect((0..<3).map { _ in reject(&machine, 1, hasReplayed: false) } == [true, true, true])
    #expect((0..<2).map { _ in machine.need(at: start) } == [.logIn(2), .wait(2)])
    _ = machine.loggedIn(2, lifetime: nil, at: start)
    // Somebody is late with the old one; the new one stays.
    #expect(reject(&machine, 1, hasReplayed: false))
    #expect([machine.need(at: start)] == [.use(2)])
  }

  @Test("a session that nobody is served with counts as a refused login")
  mutating func neverAccepted() {
    var machine = valid()
    #expect(reject(&machine, 1, hasReplayed: false))
    #expect([machine.need(at: start)] == [.logIn(2)])
    _ = machine.loggedIn(2, lifetime: nil, at: start)
    #expect(!reject(&machine, 2, hasReplayed: true))
    guard case .refused(let wait) = machine.need(at: start) else { return #expect(Bool(false), "let in") }
    #expect(wait >= .milliseconds(500) && wait <= .seconds(1))
    // The next is no better: it takes longer.
    #expect([machine.need(at: start + wait)] == [.logIn(3)])
    _ = machine.loggedIn(3, lifetime: nil, at: start + wait)
    #expect(!reject(&machine, 3, hasReplayed: true, at: start + wait))
    guard case .refused(let longer) = machine.need(at: start + wait) else {
      return #expect(Bool(false), "let in")
    }
    #expect(longer >= .seconds(1))
  }

  @Test("a request that is not allowed does not cost the others their session again and again")
  mutating func forbidden() {
    var machine = valid()
    machine.accepted(1)
    #expect(reject(&machine, 1, hasReplayed: false))
    #expect([machine.need(at: start)] == [.logIn(2)])
    _ = machine.loggedIn(2, lifetime: nil, at: start)
    machine.accepted(2)
    #expect(!reject(&machine, 2, hasReplayed: true))
    #expect([machine.need(at: start)] == [.use(2)])
    // Its next attempts do not even renew it, for a while.
    #expect(!reject(&machine, 2, hasReplayed: false))
    #expect([machine.need(at: start)] == [.use(2)])
    #expect(reject(&machine, 2, hasReplayed: false, at: start + .seconds(1)))
    #expect([machine.need(at: start + .seconds(1))] == [.logIn(3)])
  }

  private mutating func reject(
    _ machine: inout SessionMachine, _ generation: UInt64, hasReplayed: Bool, at now: Instant? = nil
  ) -> Bool {
    machine.rejected(generation, hasReplayed: hasReplayed, at: now ?? start, using: &random)
  }

  private mutating func fail(
    _ machine: inout SessionMachine, _ generation: UInt64,
    _ failure: SessionMachine.LoginFailure = .refused(retryAfter: nil),
    at now: Instant
  ) -> Bool {
    machine.loginFailed(generation, failure, at: now, using: &random)
  }

  @Test("a refused login is not hammered")
  mutating func refused() {
    var machine = SessionMachine(Self.settings)
    var now = start
    var waits: [Duration] = []
    for generation in 1...8 as ClosedRange<UInt64> {
      #expect([machine.need(at: now)] == [.logIn(generation)])
      #expect(fail(&machine, generation, at: now))
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
    machine.accepted(9)
    _ = reject(&machine, 9, hasReplayed: false, at: now)
    #expect([machine.need(at: now)] == [.logIn(10)])
    _ = fail(&machine, 10, at: now)
    #expect([machine.need(at: now + .seconds(1))] == [.logIn(11)])
  }

  @Test("is tried again no earlier than the upstream says, and soon where nobody answered")
  mutating func waits() {
    var machine = SessionMachine(Self.settings)
    _ = machine.need(at: start)
    _ = fail(&machine, 1, .refused(retryAfter: .seconds(7)), at: start)
    #expect([machine.need(at: start)] == [.refused(retryAfter: .seconds(7))])
    let later = start + .seconds(7)
    _ = machine.need(at: later)
    _ = fail(&machine, 2, .refused(retryAfter: .seconds(7_000)), at: later)
    #expect([machine.need(at: later)] == [.refused(retryAfter: .seconds(30))])
    let last = later + .seconds(30)
    _ = machine.need(at: last)
    _ = fail(&machine, 3, .unanswered, at: last)
    #expect([machine.need(at: last)] == [.refused(retryAfter: .seconds(1))])
  }

  @Test("a login that nobody heard of again makes way, and its token comes too late")
  func lost() {
    var machine = SessionMachine(Self.settings)
    _ = machine.need(at: start)
    #expect((0..<2).map { machine.need(at: start + .seconds(9 + $0)) } == [.wait(1), .logIn(2)])
    #expect([machine.loggedIn(1, lifetime: nil, at: start)] == [false])
    #expect([machine.loginAbandoned(1), machine.loginAbandoned(2)] == [false, true])
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
    var session: (generation: UInt64, until: Instant, isProven: Bool)?
    var trustedUntil: Instant?
    var closedUntil: Instant?
    var lastFailure: Instant?
    var isUnanswered = false
    var failures = 0
    var uses = 0
    var replays = 0
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
          let range =
            isUnanswered
            ? lastFailure + .seconds(1)...lastFailure + .seconds(1)
            : lastFailure + ceiling / 2...lastFailure + ceiling
          guard range.contains(until) else {
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
            login = nil
            session = (generation, now + min(lifetime ?? .seconds(60), .seconds(60)), false)
          }
        } else if run.chance(80) {
          let failure: SessionMachine.LoginFailure = run.chance(80) ? .refused(retryAfter: nil) : .unanswered
          let isItsOwn = machine.loginFailed(generation, failure, at: now, using: &run.random)
          guard isItsOwn == (generation == under.generation) else { throw Differs("step \(step): failed") }
          if isItsOwn {
            isUnanswered = failure == .unanswered
            if !isUnanswered { failures += 1 }
            (login, lastFailure) = (nil, now)
          }
        } else {
          let isItsOwn = machine.loginAbandoned(generation)
          guard isItsOwn == (generation == under.generation) else { throw Differs("step \(step): abandoned") }
          if isItsOwn { login = nil }
        }
      case 7:
        guard let known = session else { continue }
        let generation = run.chance(80) ? known.generation : known.generation - 1
        machine.accepted(generation)
        if generation == known.generation, !known.isProven {
          session?.isProven = true
          failures = 0
        }
      default:
        guard let known = session else { continue }
        let generation = run.chance(70) ? known.generation : known.generation - 1
        let hasReplayed = run.chance(30)
        let mayReplay = machine.rejected(generation, hasReplayed: hasReplayed, at: now, using: &run.random)
        guard generation == known.generation else {
          guard mayReplay == !hasReplayed else { throw Differs("step \(step): late, and \(mayReplay)") }
          continue
        }
        let isTrusted = trustedUntil.map { now < $0 } ?? false
        guard mayReplay == (!hasReplayed && !isTrusted) else { throw Differs("step \(step): replayed") }
        if mayReplay { replays += 1 }
        switch (hasReplayed, known.isProven) {
        case (true, true): trustedUntil = now + .seconds(1)
        case (true, false):
          failures += 1
          (session, lastFailure, isUnanswered) = (nil, now, false)
        case (false, _): if !isTrusted { session = nil }
        }
      }
    }
    #expect(uses > 1_000 && machine.loginCount > 1_000 && machine.refusedCount > 100 && replays > 1_000)
  }
}
