import Configuration
import Paging

/// One list walked page by page for one request: each leg is what the next page gives.
///
/// Confined to a loop. One call of ``next(limit:)`` at a time; it asks the upstream for nothing before it is called.
final class LegWalk {
  struct Step {
    let leg: PageLeg
    /// Its items, where they are completed.
    let completed: Enricher.Completed?
  }

  private let request: Request
  private let list: ListRoute
  private let arguments: Arguments
  /// What the walk goes by, where that is not the list's own plan.
  private let recognised: RecognisedPlan?
  private let keepsPlaces: Bool
  /// What completes the items of each leg; nil where nothing does.
  private let enricher: Enricher?
  /// Unix seconds.
  private let now: Int64
  /// Where the walk goes on; nil at the beginning of the list and at its end.
  private(set) var position: Position?
  /// The failure that cut the last leg short: told when the next is asked for.
  private var pending: GatewayError?

  /// - Parameter keepsPlaces: whether legs can tell of places within them. Then each keeps all the answers that it was made of.
  init(
    _ request: Request, _ list: ListRoute, _ arguments: Arguments, from position: Position?,
    by recognised: RecognisedPlan?, keepsPlaces: Bool, enricher: Enricher?, now: Int64
  ) {
    self.request = request
    self.list = list
    self.arguments = arguments
    self.position = position
    self.recognised = recognised
    self.keepsPlaces = keepsPlaces
    self.enricher = enricher
    self.now = now
  }

  /// What a cursor keeps of a position of this walk.
  func payload(of position: Position) -> [UInt8] { Cursors.payload(position, by: recognised) }

  /// - Parameter limit: the most items of it, 1 or more.
  func next(limit: Int) async -> Result<Step, GatewayError> {
    if let failure = pending {
      pending = nil
      return .failure(failure)
    }
    var answers: [PageLeg.Answer] = []
    let first: Page?
    switch await list.source.firstPage(with: arguments, for: request, by: recognised) {
    case .success(let page): first = page
    case .failure(let error): return .failure(error)
    }
    let plan = recognised?.plan ?? list.configuration.plan
    let occasion = list.occasion(arguments, now: now)
    var walk = Walk(plan: plan, on: occasion, pageFrom: position, limit: limit)
    if let first {
      walk.receive(first)
      if keepsPlaces { answers.append(.page(first)) }
    }
    var failure: GatewayError?
    while true {
      switch walk.next() {
      case .finish(let slice):
        let completed: Enricher.Completed?
        switch await enricher?.complete(slice.placedItems, with: arguments, for: request) {
        case .failure(let error): return .failure(error)
        case .success(let found): completed = found
        case nil: completed = nil
        }
        if slice.warnings.contains(.pageFailed) { pending = failure }
        let leg = PageLeg(slice, by: plan, on: occasion, from: position, answers: answers)
        position = slice.next
        return .success(Step(leg: leg, completed: completed))
      case .fail(let reason): return .failure(.ofWalk(reason, failure))
      case .fetch(let page):
        switch await list.source.page(page, with: arguments, for: request, by: recognised) {
        case .success(let page):
          walk.receive(page)
          if keepsPlaces { answers.append(.page(page)) }
        case .failure(let error):
          failure = error
          walk.receive(error.pageFailure)
          if keepsPlaces { answers.append(.failure(error.pageFailure)) }
        }
      }
    }
  }
}

extension GatewayError {
  /// Why a walk has nothing to give.
  ///
  /// - Parameter failure: of the page that could not be had.
  static func ofWalk(_ reason: Walk.Failure, _ failure: GatewayError?) -> GatewayError {
    switch reason {
    case .expired:
      let error = GatewayError(
        .cursorExpired, .cursorExpired, detail: "the upstream does not know the position any more")
      error.answer = failure?.answer
      error.upstreamCode = failure?.upstreamCode
      return error
    case .page:
      return failure
        ?? GatewayError(.internal, .internalFault, detail: "a walk failed without a page's failure")
    }
  }
}
