import Caching
package import Configuration
import HTTPSemantics
import JSON
import Paging
import Resilience
import Synchronization

/// What all loops know of the lists' pages: those that are held, those that are under way, and the editions of the lists.
///
/// One lock, held for a look-up or a landing and nothing else: what is decided under it is done outside of it.
package final class KnownPages: Sendable {
  typealias Figures = PageCache<KnownPage, GatewayError>.Figures
  typealias Held = PageCache<KnownPage, GatewayError>.Held
  typealias Boarding = Flights<Waiter>.Boarding
  typealias Ticket = Flights<Waiter>.Ticket
  typealias FlightID = Flights<Waiter>.ID

  /// Told how a flight ended; passes it on to its own loop.
  typealias Waiter = @Sendable (Landing) -> Void

  /// What somebody wants to know of a page.
  struct Question {
    let key: PageKey
    /// The edition of the list that the walk is in; nil where none is known.
    let edition: UInt32?
    /// Whether only the list as it is now will do.
    let isFresh: Bool
    let client: CacheControl?
    /// Whether the upstream is known to be out of reach.
    let isUnreachable: Bool
  }

  enum Finding {
    /// - Parameter renewal: a flight that is to be started, to renew it in the background.
    case page(Held, isStale: Freshness.Reason?, renewal: Departure?)
    case failure(GatewayError)
    /// Nothing is known, and the client does not want it asked for.
    case nothing
    /// A flight that is to be waited for; `departure` where it is to be started.
    case flight(Boarding, because: CacheStatus.Forward, held: Held?, departure: Departure?)
  }

  /// A flight that is to be started.
  struct Departure {
    let id: FlightID
    /// What its page belongs to, unless it is a list's first.
    let edition: UInt32
    /// What is held of the page.
    let held: Held?
    /// Purges before it.
    fileprivate let purges: Int
    /// Whether what comes may be kept.
    let isKept: Bool
    /// Whether nobody had asked for the page when it was started.
    let isAhead: Bool
  }

  fileprivate struct State {
    var cache: PageCache<KnownPage, GatewayError>
    var flights = Flights<Waiter>()
    var editions = Editions(capacity: 10_000)
    /// What ends each flight that is under way.
    var ends: [FlightID: @Sendable () -> Void] = [:]
    var purges = 0
    /// By list.
    var throttles: [UInt32: PrefetchThrottle] = [:]
  }

  /// Counts what becomes of the pages whose keys share it.
  final class Changes: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }
    fileprivate func add() { count.add(1, ordering: .releasing) }
  }

  /// A page as it was found: what was made of it is good while nothing has come in its place.
  struct Mark {
    let key: PageKey
    private let changes: Changes
    private let value: UInt64

    fileprivate init(_ key: PageKey, _ changes: Changes) {
      self.key = key
      self.changes = changes
      value = changes.value
    }

    var isUnchanged: Bool { changes.value == value }
  }

  /// How much of the memory loops have for answers made of known pages, all together.
  private static let memoShare = 8

  private let changes = (0..<256).map { _ in Changes() }
  private let state: Mutex<State>
  /// Bytes that all loops' ``SliceMemos`` may take.
  let memoLimit: Int
  private let clock: @Sendable () -> Instant

  package init(_ configuration: Configuration.Cache, clock: @escaping @Sendable () -> ContinuousClock.Instant)
  {
    memoLimit = configuration.memory / Self.memoShare
    state = Mutex(State(cache: PageCache(limit: configuration.memory - memoLimit)))
    self.clock = clock
  }

  var now: Instant { clock() }

  private func changes(of key: PageKey) -> Changes { changes[Int(key.hash & 255)] }

  /// To be taken of a page before what was found of it is used on.
  func mark(_ key: PageKey) -> Mark { Mark(key, changes(of: key)) }

  /// The page was read once more, by what was made of it.
  func touch(_ mark: Mark, at now: Instant) {
    state.withLock { _ = $0.cache.find(mark.key, preferring: nil, at: now) }
  }

  // MARK: Asking

  /// Looks for a page, and finds a seat in a flight where it has to be asked for.
  ///
  /// - Parameters:
  ///   - waiter: made when it has to be waited for.
  ///   - end: made when a flight has to be started: what ends that, from any thread, once nobody waits for it.
  func ask(
    _ question: Question, at now: Instant, waiter: () -> Waiter,
    end: (Departure) -> @Sendable () -> Void
  ) -> Finding {
    state.withLock { state in
      let key = question.key
      let found = state.cache.find(key, preferring: question.edition, at: now)
      let current = state.editions.current(list: key.list, series: Array(key.series))
      let standing =
        found.page.map { Editions.standing(of: $0.edition, walk: question.edition, current: current) }
        ?? .current
      let situation = Freshness.Situation(
        lifetime: found.page?.lifetime, standing: standing, hasFailure: found.failure != nil,
        isUnreachable: question.isUnreachable)
      if found.page?.isFirstUse == true { state.throttles[key.list]?.read(key, at: now) }
      switch Self.judge(question, situation, at: now) {
      case .fresh:
        if let page = found.page { return .page(page, isStale: nil, renewal: nil) }
      case .stale(let reason):
        guard let page = found.page else { break }
        var renewal: Departure?
        if reason == .revalidating, !question.isUnreachable, let id = state.flights.startUnattended(key) {
          renewal = state.depart(
            id, edition: max(current ?? 0, question.edition ?? 0), held: page, isKept: true,
            isAhead: false, end)
        }
        return .page(page, isStale: reason, renewal: renewal)
      case .shareFailure:
        if let failure = found.failure { return .failure(failure) }
      case .nothingKnown: return .nothing
      case .fetch(let because):
        // What one client wants nobody to keep is nobody else's.
        let isKept = question.client?.isNoStore != true
        let boarding =
          question.isFresh || !isKept
          ? .started(state.flights.boardAlone(key, waiter())) : state.flights.board(key, waiter())
        var departure: Departure?
        if case .started(let ticket) = boarding {
          departure = state.depart(
            ticket.flight, edition: max(current ?? 0, question.edition ?? 0), held: found.page,
            isKept: isKept, isAhead: false, end)
        }
        return .flight(boarding, because: because, held: found.page, departure: departure)
      }
      preconditionFailure("a page was judged that is not held")
    }
  }

  private static func judge(
    _ question: Question, _ situation: Freshness.Situation, at now: Instant
  ) -> Freshness.Verdict {
    guard question.isFresh, question.client?.isOnlyIfCached != true else {
      return Freshness.judge(situation, client: question.client, at: now)
    }
    // Known pages prove nothing, but they are what there is.
    if question.isUnreachable, let lifetime = situation.lifetime,
      Freshness.mayReplace(lifetime, failing: .unreachable, client: question.client, at: now)
    {
      return .stale(.unavailable)
    }
    return .fetch(because: .request)
  }

  // MARK: Landing

  /// What came of a page, as its flight found it.
  struct Arrival {
    let key: PageKey
    let result: Result<KnownPage, GatewayError>
    /// Until when the page may be what; nil where it may not be kept.
    let lifetime: Lifetime?
    /// Whether it is the first page of its list.
    let isFirst: Bool
    let isRenewed: Bool
    /// Until when a failure is shared; nil where it is not.
    let failureEnd: Instant?
    let sentCount: Int
    /// Unix seconds.
    let seconds: Int64
    /// Of a page that was stored: its edition, and what it is good for.
    var stored: (edition: UInt32, standing: StoredStanding)?
  }

  /// A flight has ended: what came is kept, and everybody who waits for it gets it.
  @discardableResult
  func land(_ departure: Departure, _ arrival: Arrival, at now: Instant) -> Landing {
    let (landing, waiters) = state.withLock { state in
      let landing = state.keep(arrival, of: departure, at: now)
      if landing.isStored { changes(of: arrival.key).add() }
      state.ends[departure.id] = nil
      return (landing, state.flights.land(departure.id))
    }
    for waiter in waiters { waiter(landing) }
    return landing
  }

  // MARK: Leaving

  /// Waits no longer.
  ///
  /// - Parameter goesOn: whether what is under way may go on for the cache, though nobody waits for it.
  func leave(_ ticket: Ticket, goesOn: Bool) {
    let end = state.withLock { state -> (@Sendable () -> Void)? in
      if goesOn {
        state.flights.release(ticket)
        return nil
      }
      return state.flights.leave(ticket) ? state.ends.removeValue(forKey: ticket.flight) : nil
    }
    end?()
  }

  // MARK: Fetching ahead

  enum StepAhead {
    case held(Held)
    case started(Departure)
    /// It is under way already, or is not to be fetched.
    case nothing
  }

  /// Looks for a page that a reader would want next, and starts a flight for the cache where there is none.
  ///
  /// - Parameters:
  ///   - mayStart: whether it may be fetched.
  ///   - hasChance: whether the list's throttle was asked, and had nothing against it.
  func lookAhead(
    _ key: PageKey, edition: UInt32?, mayStart: Bool, hasChance: inout Bool, at now: Instant,
    end: (Departure) -> @Sendable () -> Void
  ) -> StepAhead {
    state.withLock { state in
      if let held = state.cache.peek(key, preferring: edition, at: now),
        now < held.lifetime.staleUntil || now < held.lifetime.freshUntil
      {
        return .held(held)
      }
      guard mayStart, !state.flights.isUnderWay(key) else { return .nothing }
      hasChance = hasChance || state.throttles[key.list, default: PrefetchThrottle()].takeChance(at: now)
      guard hasChance, let id = state.flights.startUnattended(key) else { return .nothing }
      let current = state.editions.current(list: key.list, series: Array(key.series))
      return .started(
        state.depart(
          id, edition: max(current ?? 0, edition ?? 0), held: nil, isKept: true, isAhead: true, end))
    }
  }

  /// A flight for the cache is not wanted any more; whoever waits for it by now still gets it.
  func dismiss(_ id: FlightID) {
    let end = state.withLock { state in
      state.flights.dismiss(id) ? state.ends.removeValue(forKey: id) : nil
    }
    end?()
  }

  /// A list's pages that were fetched ahead, and what became of them.
  func prefetchFigures(of list: UInt32) -> PrefetchThrottle.Figures {
    state.withLock { $0.throttles[list]?.figures ?? PrefetchThrottle.Figures() }
  }

  // MARK: Purging

  /// Forgets pages, and keeps nothing of what has been asked for before.
  ///
  /// - Parameters:
  ///   - list: nil for all.
  ///   - prefix: of the series; nil for all of the list.
  /// - Returns: how many there were.
  func purge(list: UInt32?, seriesBeginning prefix: [UInt8]?) -> Int {
    state.withLock { state in
      state.purges += 1
      state.flights.close()
      for counter in changes { counter.add() }
      guard let list else { return state.cache.purgeAll() }
      return prefix.map { state.cache.purge(list: list, seriesBeginning: $0) }
        ?? state.cache.purge(list: list)
    }
  }

  // MARK: What is shown

  var figures: Figures { state.withLock { $0.cache.figures } }
}

extension KnownPages.State {
  fileprivate mutating func depart(
    _ id: KnownPages.FlightID, edition: UInt32, held: KnownPages.Held?, isKept: Bool,
    isAhead: Bool, _ end: (KnownPages.Departure) -> @Sendable () -> Void
  ) -> KnownPages.Departure {
    let departure = KnownPages.Departure(
      id: id, edition: edition, held: held, purges: purges, isKept: isKept, isAhead: isAhead)
    ends[id] = end(departure)
    return departure
  }

  fileprivate mutating func keep(
    _ arrival: KnownPages.Arrival, of departure: KnownPages.Departure, at now: Instant
  ) -> Landing {
    // What was asked for before a purge is not to be found after it, nor what is older than what is known.
    let isKept =
      departure.isKept && departure.purges == purges && !flights.isOvertaken(departure.id)
    switch arrival.result {
    case .failure(let error):
      if isKept, let end = arrival.failureEnd, end > now {
        cache.storeFailure(
          error, byteCount: 256 + (error.answer?.count ?? 0), as: arrival.key, until: end, at: now)
      }
      return Landing(
        arrival.result, lifetime: nil, isStored: false, isRenewed: false, sentCount: arrival.sentCount)
    case .success(let known):
      var edition = arrival.stored?.edition ?? departure.edition
      if arrival.isFirst, isKept {
        edition = editions.receive(
          firstPage: known.page.fingerprint, list: arrival.key.list, series: Array(arrival.key.series),
          stamp: arrival.stored?.edition ?? UInt32(clamping: arrival.seconds))
      }
      let known = known.inEdition(edition)
      var isStored = false
      if isKept, let lifetime = arrival.lifetime, lifetime.keepUntil > now {
        let isUnread = departure.isAhead && flights.waitingCount(of: departure.id) == 0
        isStored = cache.store(
          known, byteCount: known.byteCount, as: arrival.key, edition: edition, lifetime, isAhead: isUnread,
          at: now)
        if departure.isAhead {
          throttles[arrival.key.list, default: PrefetchThrottle()].fetched(
            arrival.key, until: max(lifetime.freshUntil, lifetime.staleUntil), at: now)
          if !isUnread { throttles[arrival.key.list]?.read(arrival.key, at: now) }
        }
      }
      return Landing(
        .success(known), lifetime: arrival.lifetime, isStored: isStored, isRenewed: arrival.isRenewed,
        sentCount: arrival.sentCount, stored: arrival.stored?.standing)
    }
  }
}
