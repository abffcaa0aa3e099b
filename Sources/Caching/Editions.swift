/// Which edition of its list each series is in.
///
/// A first page that comes back changed begins a new edition. Pages are stored by edition, so that a walk which began in an
/// earlier one goes on reading the pages that belong together, while they are held, and a refresh by one client does not
/// shift them under another. A page that is not held of a walk's own edition is read as the list is now: the walk's
/// anchors find the seam.
///
/// Bounded: beyond `capacity` series the one whose edition began longest ago is forgotten. Its walks go on with the newest
/// pages that are held, which is what a list without editions does.
package struct Editions: Sendable {
  /// How an edition of a page stands to a walk that asks for it.
  package enum Standing: Sendable, Hashable {
    /// It is the list as last seen: the usual rules of freshness hold.
    case current
    /// It is the walk's own, and the list has a newer one. Renewing it is not possible; it is good while it may be stale.
    case superseded
    /// It is older than the walk: good only when nothing else can be had.
    case outdated
  }

  private struct Series: Sendable, Hashable {
    let list: UInt32
    let bytes: [UInt8]
  }

  private struct State: Sendable {
    var edition: UInt32
    var firstPage: UInt64
  }

  package let capacity: Int
  private var states: [Series: State] = [:]
  /// Series as their editions began, oldest first, from `head` on; void where the series has a newer edition.
  private var order: [(series: Series, edition: UInt32)] = []
  private var head = 0

  package init(capacity: Int) {
    precondition(capacity >= 1)
    self.capacity = capacity
  }

  package var count: Int { states.count }

  /// The series' edition; nil when it has none, or when that is forgotten.
  package func current(list: UInt32, series: [UInt8]) -> UInt32? {
    states[Series(list: list, bytes: series)]?.edition
  }

  /// A first page has come.
  ///
  /// - Parameter fingerprint: the same for pages with the same items in the same order.
  /// - Parameter stamp: what a new edition is to be called, later ones higher: seconds since some epoch. It is raised where
  ///   the series already has one as high.
  /// - Returns: the edition that the page belongs to: the one before where nothing has changed.
  package mutating func receive(
    firstPage fingerprint: UInt64, list: UInt32, series bytes: [UInt8], stamp: UInt32
  ) -> UInt32 {
    let series = Series(list: list, bytes: bytes)
    let state = states[series]
    if let state, state.firstPage == fingerprint { return state.edition }
    let edition = min(max(stamp, (state?.edition ?? 0) + 1), UInt32.max - 2)
    states[series] = State(edition: edition, firstPage: fingerprint)
    order.append((series, edition))
    while states.count > capacity { forgetOldest() }
    compact()
    return edition
  }

  /// - Parameter walk: the edition in which the walk began; nil when it begins now or nothing is known of it.
  /// - Parameter current: the series' edition, from ``current(list:series:)``.
  package static func standing(of page: UInt32, walk: UInt32?, current: UInt32?) -> Standing {
    let own = walk ?? current
    if let own, page < own { return .outdated }
    if let current, page < current { return page == walk ? .superseded : .outdated }
    return .current
  }

  private mutating func forgetOldest() {
    let (series, edition) = order[head]
    head += 1
    if states[series]?.edition == edition { states[series] = nil }
  }

  /// Void places never outnumber the series by much.
  private mutating func compact() {
    guard order.count > 2 * states.count + 16 else { return }
    order = order[head...].filter { states[$0.series]?.edition == $0.edition }
    head = 0
  }
}
