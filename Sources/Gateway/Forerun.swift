import Caching
import Configuration
import Paging
import Resilience
import Telemetry

/// Fetches a walk's next pages before anybody asks for them.
///
/// It goes where the reader would go, from the reader's own position: the plan decides what comes next, by what is held. What
/// is not held is fetched for the cache, one page after another, since only a page tells of the next. It stops where nothing
/// says that there is more, where a seam would have to be proven, at a failure, and when the reader has turned elsewhere.
final class Forerun {
  /// Steps of the walk, at most: what is held may go on for long.
  private static let longest = 64

  private let list: ListRoute
  private let reader: PageReader
  private let occasion: Occasion?
  private let recognised: RecognisedPlan?
  private var walk: Walk
  /// Pages behind the reader's that are held or have been fetched.
  private var ahead = 0
  private var steps = 0
  private var hasChance = false
  private var flight: KnownPages.FlightID?
  private var isDismissed = false
  /// Called once nothing more is fetched.
  var whenDone: (() -> Void)?

  /// Begins where that is due; nil where it is not: the reader is too far from the page's end, or the upstream has no room.
  ///
  /// - Parameter reader: whoever was given `slice`.
  static func begin(
    after slice: Slice, of list: ListRoute, for reader: PageReader, by recognised: RecognisedPlan?,
    occasion: Occasion?
  ) -> Forerun? {
    guard list.configuration.prefetch.pages > 0, let position = slice.next, let piece = slice.pieces.last
    else {
      return nil
    }
    let place = PrefetchDecision.Place(
      consumed: piece.items.upperBound, count: piece.page.items.count, hasNext: true, ahead: 0)
    guard list.source.mayFetchAhead(at: place) else { return nil }
    let forerun = Forerun(
      from: position, of: list, for: reader, by: recognised, occasion: occasion)
    // The rest of the page that the reader is in.
    if place.consumed < place.count, case .fetch = forerun.walk.next() { forerun.walk.receive(piece.page) }
    forerun.goOn()
    return forerun.flight == nil ? nil : forerun
  }

  private init(
    from position: Position, of list: ListRoute, for reader: PageReader, by recognised: RecognisedPlan?,
    occasion: Occasion?
  ) {
    self.list = list
    self.reader = reader
    self.recognised = recognised
    self.occasion = occasion
    walk = Self.walk(list, recognised, occasion, from: position)
  }

  private static func walk(
    _ list: ListRoute, _ recognised: RecognisedPlan?, _ occasion: Occasion?, from position: Position
  ) -> Walk {
    Walk(plan: recognised?.plan ?? list.configuration.plan, on: occasion, pageFrom: position, limit: .max)
  }

  /// The reader has turned elsewhere: what nobody waits for is ended.
  func dismiss() {
    isDismissed = true
    if let flight { list.source.pages.dismiss(flight) }
  }

  private func goOn() {
    while !isDismissed, steps < Self.longest, ahead < list.configuration.prefetch.pages {
      steps += 1
      switch walk.next() {
      case .fail: return
      case .finish(let slice):
        guard let next = slice.next else { return }
        walk = Self.walk(list, recognised, occasion, from: next)
      case .fetch(let page):
        if page.isFresh { return }
        let step = list.source.fetchAhead(
          page, for: reader, by: recognised, isExpected: walk.expectsPage, hasChance: &hasChance
        ) { [self] landing in landed(landing) }
        switch step {
        case .held(let page):
          ahead += 1
          walk.receive(page)
        case .started(let id):
          flight = id
          return
        case .nothing: return
        }
      }
    }
  }

  private func landed(_ landing: Landing) {
    flight = nil
    if case .success(let known) = landing.result, landing.isStored {
      ahead += 1
      walk.receive(known.page)
      goOn()
    }
    if flight == nil { end() }
  }

  private func end() {
    let action = whenDone
    whenDone = nil
    action?()
  }
}
