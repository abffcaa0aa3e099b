import Caching
import HTTPSemantics
import Resilience

/// What the cache did for a request, as a label; the later, the more it cost.
enum CacheOutcome: String, CaseIterable {
  /// The cache had no part in it.
  case none
  /// All came from the cache, and was fresh.
  case hit
  /// All came from the cache, and some of it was not fresh.
  case stale
  /// Some of it came by a request that another had started.
  case collapsed
  /// Some of it was asked of the upstream.
  case miss

  var index: Int {
    switch self {
    case .none: 0
    case .hit: 1
    case .stale: 2
    case .collapsed: 3
    case .miss: 4
    }
  }
}

/// Where the pages of one answer came from, taken together: the answer is as old as the oldest of them, and as fresh as the
/// one whose freshness ends first.
struct CacheAccount {
  private(set) var outcome = CacheOutcome.none
  /// Whether any page is not fresh.
  private(set) var isStale = false
  private var forward: CacheStatus.Forward?
  private var forwardStatus: Int?
  private var isStored = false
  private var detail: StaticString?
  private var born: Instant?
  private(set) var freshUntil: Instant?
  /// Whether a page came whose freshness is nobody's to say.
  private var isTimeless = false

  /// A page that was held.
  mutating func add(held lifetime: Lifetime, isStale reason: Freshness.Reason?) {
    note(reason == nil ? .hit : .stale)
    note(lifetime)
    if let reason { note(reason) }
  }

  /// A page that was held, in the place of one that could not be had.
  mutating func add(held lifetime: Lifetime, after because: CacheStatus.Forward) {
    note(.stale)
    forward = because
    note(lifetime)
    note(.unavailable)
  }

  /// A page that came.
  mutating func add(_ landing: Landing, because: CacheStatus.Forward, isJoined: Bool) {
    note(isJoined ? .collapsed : .miss)
    if forward == nil || because != .miss { forward = because }
    isStored = isStored || landing.isStored
    if landing.isRenewed { forwardStatus = 304 }
    if let lifetime = landing.lifetime { note(lifetime) } else { isTimeless = true }
  }

  /// A page that was stored: fresh, as another replica has just fetched it or as it was kept, or in the place of one that
  /// could not be had.
  mutating func add(stored lifetime: Lifetime, as standing: StoredStanding, because: CacheStatus.Forward) {
    switch standing {
    case .fresh: add(held: lifetime, isStale: nil)
    case .stale: add(held: lifetime, isStale: .revalidating)
    case .instead: add(held: lifetime, after: because)
    }
  }

  private mutating func note(_ outcome: CacheOutcome) {
    if outcome.index > self.outcome.index { self.outcome = outcome }
  }

  private mutating func note(_ reason: Freshness.Reason) {
    isStale = true
    detail =
      switch reason {
      case .revalidating: "revalidating"
      case .superseded: "superseded"
      case .accepted: "accepted"
      case .unavailable: "unavailable"
      }
  }

  private mutating func note(_ lifetime: Lifetime) {
    born = min(born ?? lifetime.born, lifetime.born)
    freshUntil = min(freshUntil ?? lifetime.freshUntil, lifetime.freshUntil)
  }

  /// Whole seconds since the oldest page was made.
  func age(at now: Instant) -> Int {
    guard let born else { return 0 }
    return max(0, Int(born.duration(to: now).components.seconds))
  }

  /// Whole seconds that are left of the freshness, begun ones included; negative when it is over, nil where nobody says.
  func timeToLive(at now: Instant) -> Int? {
    guard let freshUntil, !isTimeless else { return nil }
    let (seconds, attoseconds) = now.duration(to: freshUntil).components
    return Int(seconds) + (attoseconds > 0 ? 1 : 0)
  }

  /// Whether any page came from the cache.
  var isFromCache: Bool { outcome == .hit || outcome == .stale }

  /// As `Cache-Status` says it.
  func status(at now: Instant) -> CacheStatus {
    var status: CacheStatus
    let timeToLive = timeToLive(at: now)
    if isFromCache && forward == nil {
      status = CacheStatus(.hit)
      status.timeToLive = timeToLive
    } else {
      status = CacheStatus(.forward(forward ?? .miss))
      status.forwardStatus = forwardStatus
      if let timeToLive, timeToLive != 0 { status.timeToLive = timeToLive }
      status.isStored = isStored
      status.isCollapsed = outcome == .collapsed
    }
    status.detail = detail.map { "\($0)" }
    return status
  }
}
