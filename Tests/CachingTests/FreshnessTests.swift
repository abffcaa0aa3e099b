import Caching
import HTTPSemantics
import TestSupport
import Testing

@Suite("Freshness")
struct FreshnessTests {
  /// Fresh to 30 s, stale to 90 s, kept to 300 s.
  private static let terms = CacheTerms(
    fresh: .seconds(30), stale: .seconds(60), keep: .seconds(300), failure: .seconds(1))
  private static let start = ContinuousClock.now

  private static func situation(
    _ lifetime: Lifetime? = terms.lifetime(from: start), _ standing: Editions.Standing = .current,
    hasFailure: Bool = false, isUnreachable: Bool = false
  ) -> Freshness.Situation {
    Freshness.Situation(
      lifetime: lifetime, standing: standing, hasFailure: hasFailure, isUnreachable: isUnreachable)
  }

  private func judge(_ situation: Freshness.Situation, _ client: String, at second: Int) -> Freshness.Verdict
  {
    Freshness.judge(
      situation, client: CacheControl(parsing: client.utf8Span.span), at: Self.start + .seconds(second))
  }

  @Test(
    "a page is fresh, then stale while it is renewed, then fetched",
    arguments: [
      (0, "", .fresh), (29, "", .fresh), (30, "", .stale(.revalidating)), (89, "", .stale(.revalidating)),
      (90, "", .fetch(because: .stale)), (299, "", .fetch(because: .stale)),
      // The client would rather have it newer, or newer for longer.
      (10, "max-age=9", .fetch(because: .request)), (10, "max-age=10", .fresh),
      (10, "min-fresh=20", .fresh), (10, "min-fresh=21", .fetch(because: .request)),
      (40, "min-fresh=0", .fetch(because: .stale)),
      // Pull to refresh.
      (0, "no-cache", .fetch(because: .request)), (0, "max-age=0", .fetch(because: .request)),
      (40, "no-cache", .fetch(because: .request)), (40, "no-cache, max-stale", .fetch(because: .request)),
      // It takes an old one.
      (89, "max-stale=3", .stale(.revalidating)), (100, "max-stale=70", .stale(.accepted)),
      (100, "max-stale=69", .fetch(because: .stale)), (299, "max-stale", .stale(.accepted)),
      (300, "max-stale", .fetch(because: .stale)),
      // It takes what is known, and nothing else.
      (0, "only-if-cached", .fresh), (89, "only-if-cached", .stale(.accepted)),
      (90, "only-if-cached", .nothingKnown), (90, "only-if-cached, max-stale", .stale(.accepted)),
      (300, "only-if-cached, max-stale", .nothingKnown), (0, "only-if-cached, no-cache", .nothingKnown),
      (10, "only-if-cached, max-age=9", .nothingKnown), (10, "only-if-cached, min-fresh=21", .nothingKnown),
    ] as [(Int, String, Freshness.Verdict)])
  func held(second: Int, client: String, expected: Freshness.Verdict) {
    #expect(judge(Self.situation(), client, at: second) == expected)
  }

  @Test("what is not held is fetched, unless that failed a moment ago or the client forbids it")
  func missing() {
    #expect(judge(Self.situation(nil), "", at: 0) == .fetch(because: .miss))
    #expect(judge(Self.situation(nil, isUnreachable: true), "", at: 0) == .fetch(because: .miss))
    #expect(judge(Self.situation(nil, hasFailure: true), "", at: 0) == .shareFailure)
    #expect(judge(Self.situation(nil, hasFailure: true), "no-cache", at: 0) == .fetch(because: .miss))
    #expect(judge(Self.situation(nil, hasFailure: true), "only-if-cached", at: 0) == .nothingKnown)
  }

  @Test(
    "while the upstream is down or has just failed, a page serves to the end of its time",
    arguments: [(true, false), (false, true)])
  func down(isUnreachable: Bool, hasFailure: Bool) {
    let situation = Self.situation(hasFailure: hasFailure, isUnreachable: isUnreachable)
    #expect(judge(situation, "", at: 29) == .fresh)
    #expect(judge(situation, "", at: 299) == .stale(.unavailable))
    #expect(judge(situation, "", at: 300) == (hasFailure ? .shareFailure : .fetch(because: .stale)))
    // A refresh must be one.
    #expect(judge(situation, "no-cache", at: 29) == .fetch(because: .request))
  }

  @Test("a walk reads its own edition while that may be stale, and an older one only when all else fails")
  func editions() {
    let own = Self.situation(Self.terms.lifetime(from: Self.start), .superseded)
    #expect(judge(own, "", at: 0) == .fresh)
    #expect(judge(own, "", at: 60) == .stale(.superseded))
    #expect(judge(own, "", at: 90) == .fetch(because: .stale))
    let older = Self.situation(Self.terms.lifetime(from: Self.start), .outdated)
    #expect(judge(older, "", at: 0) == .fetch(because: .stale))
    #expect(judge(older, "only-if-cached", at: 0) == .stale(.accepted))
    let down = Self.situation(Self.terms.lifetime(from: Self.start), .outdated, isUnreachable: true)
    #expect(judge(down, "", at: 0) == .stale(.unavailable))
  }

  @Test(
    "a held page stands in for a failure of the network or the server, and for no answer",
    arguments: [
      (.unreachable, "", true), (.faulty, "", true), (.answered, "", false),
      (.faulty, "no-cache", false), (.faulty, "no-cache, max-stale", true),
      (.faulty, "no-cache, stale-if-error=70", true), (.faulty, "stale-if-error=69", false),
    ] as [(Freshness.Failing, String, Bool)])
  func replaces(failing: Freshness.Failing, client: String, expected: Bool) {
    let client = CacheControl(parsing: client.utf8Span.span)
    let lifetime = Self.terms.lifetime(from: Self.start)
    let now = Self.start + .seconds(100)
    #expect(Freshness.mayReplace(lifetime, failing: failing, client: client, at: now) == expected)
    #expect(!Freshness.mayReplace(lifetime, failing: failing, client: client, at: Self.start + .seconds(300)))
  }

  @Test("keeps its promises whatever comes together", arguments: RandomRun.seeds)
  func promises(seed: UInt64) throws {
    var run = RandomRun(seed: seed)
    for step in 0..<RandomRun.steps {
      var client = CacheControl()
      client.isNoCache = run.chance(15)
      client.isOnlyIfCached = run.chance(15)
      client.maxAge = run.chance(20) ? run.number(0...60) : nil
      client.minFresh = run.chance(15) ? run.number(0...60) : nil
      client.maxStale = run.chance(20) ? (run.chance(50) ? Int.max : run.number(0...300)) : nil
      client.staleIfError = run.chance(10) ? run.number(0...300) : nil
      let fresh = Self.start + .seconds(run.number(0...40))
      let stale = fresh + .seconds(run.number(0...40))
      let lifetime = Lifetime(
        born: Self.start, freshUntil: fresh, staleUntil: stale,
        keepUntil: stale + .seconds(run.number(0...40)),
        mustRevalidate: run.chance(20))
      let situation = Freshness.Situation(
        lifetime: run.chance(85) ? lifetime : nil,
        standing: [.current, .superseded, .outdated][run.number(0...2)], hasFailure: run.chance(25),
        isUnreachable: run.chance(25))
      let now = Self.start + .seconds(run.number(0...130))
      let verdict = Freshness.judge(situation, client: client, at: now)
      if let broken = broken(verdict, situation, client, at: now) {
        throw Differs("step \(step): \(broken): \(verdict) for \(situation), \(client)")
      }
    }
  }

  /// The promise that a verdict breaks; nil when it keeps all.
  private func broken(
    _ verdict: Freshness.Verdict, _ situation: Freshness.Situation, _ client: CacheControl,
    at now: ContinuousClock.Instant
  ) -> String? {
    switch verdict {
    case .fresh, .stale:
      guard let lifetime = situation.lifetime, now < lifetime.keepUntil else {
        return "serves what is not held"
      }
      if client.isNoCache { return "does not refresh" }
      if client.maxAge == 0, now > lifetime.born, client.maxStale == nil { return "too old for its client" }
      let isFresh = now < lifetime.freshUntil
      if verdict == .fresh && !isFresh { return "calls fresh what is not" }
      if verdict == .fresh && situation.standing == .outdated { return "mixes editions" }
      if !isFresh && lifetime.mustRevalidate { return "serves what must be checked" }
      if verdict == .stale(.revalidating), now >= lifetime.staleUntil { return "stale for too long" }
      if verdict == .stale(.unavailable), !situation.isUnreachable, !situation.hasFailure {
        return "does not ask"
      }
      return nil
    case .fetch: return client.isOnlyIfCached ? "asks for what should be known only" : nil
    case .shareFailure:
      if client.wantsRenewal { return "does not ask again" }
      return situation.hasFailure ? nil : "shares a failure that is not"
    case .nothingKnown: return client.isOnlyIfCached ? nil : "gives up"
    }
  }
}
