/// How many of a list's pages that were fetched ahead are read, and so whether more should be.
///
/// A page that is not read within its time counts as wasted. Over the last outcomes, at least one in four must have been
/// read; below that only one chance in ``trial`` is taken, which is how a list whose readers come back is found out.
package struct PrefetchThrottle: Sendable {
  package struct Figures: Sendable, Hashable {
    package var fetched = 0
    package var used = 0
    package var wasted = 0

    package init() {}
  }

  /// Outcomes that count.
  package static var window: Int { 32 }
  /// Of so many chances one is taken while the list is throttled.
  package static var trial: Int { 16 }
  /// Pages watched at a time: beyond them the oldest is taken for wasted.
  package static var watched: Int { 1_024 }

  package private(set) var figures = Figures()
  private var pending: [PageKey: ContinuousClock.Instant] = [:]
  /// In the order of fetching, from `head` on; void where the page has been read or fetched again.
  private var order: [(key: PageKey, until: ContinuousClock.Instant)] = []
  private var head = 0
  /// The last outcomes as bits, the newest lowest: 1 for read.
  private var outcomes: UInt32 = 0
  private var outcomeCount = 0
  private var chances = 0

  package init() {}

  /// The share of the last outcomes that were read; nil before there is a window of them.
  package var hitRate: Double? {
    outcomeCount < Self.window ? nil : Double(outcomes.nonzeroBitCount) / Double(Self.window)
  }

  package var isThrottled: Bool { hitRate.map { $0 < 0.25 } ?? false }

  /// A page could be fetched ahead: whether it should be.
  package mutating func takeChance(at now: ContinuousClock.Instant) -> Bool {
    expire(at: now)
    guard isThrottled else { return true }
    chances += 1
    return chances.isMultiple(of: Self.trial)
  }

  /// A page has been fetched ahead.
  ///
  /// - Parameter end: until when it is any good unread.
  package mutating func fetched(
    _ key: PageKey, until end: ContinuousClock.Instant, at now: ContinuousClock.Instant
  ) {
    expire(at: now)
    figures.fetched += 1
    if pending.updateValue(end, forKey: key) != nil { record(isUsed: false) }
    order.append((key, end))
    while pending.count > Self.watched { waste(at: head) }
    compact()
  }

  /// A page that was fetched ahead has been read for the first time.
  package mutating func read(_ key: PageKey, at now: ContinuousClock.Instant) {
    expire(at: now)
    if pending.removeValue(forKey: key) != nil { record(isUsed: true) }
    compact()
  }

  private mutating func expire(at now: ContinuousClock.Instant) {
    while head < order.count, pending[order[head].key] != order[head].until || order[head].until <= now {
      waste(at: head)
    }
  }

  private mutating func waste(at index: Int) {
    let (key, end) = order[index]
    head = index + 1
    guard pending[key] == end else { return }
    pending[key] = nil
    record(isUsed: false)
  }

  private mutating func record(isUsed: Bool) {
    if isUsed { figures.used += 1 } else { figures.wasted += 1 }
    outcomes = outcomes << 1 | (isUsed ? 1 : 0)
    outcomeCount = min(Self.window, outcomeCount + 1)
  }

  private mutating func compact() {
    guard order.count > 2 * pending.count + 16 else { return }
    order = order[head...].filter { pending[$0.key] == $0.until }
    head = 0
  }
}
