import Configuration
import Paging

/// One slice's walk through the pages of its list.
///
/// It goes on by itself while its pages are known, so that a slice of known pages takes no task and is answered within the
/// server's call; where a page has to be waited for, it stops, and is gone on with once that has landed.
final class SliceWalk {
  enum Stop {
    case ended(Result<Slice, GatewayError>)
    case waits(PageSource.Seat)
  }

  private let request: Request
  private let list: ListRoute
  private let asked: ListRequest
  private let position: Position?
  private let recognised: RecognisedPlan?
  private let occasion: Occasion?
  /// Nil until the plan is there that it goes by.
  private var walk: Walk?
  private var failure: GatewayError?

  init(
    _ request: Request, _ list: ListRoute, _ asked: ListRequest, from position: Position?,
    by recognised: RecognisedPlan?, occasion: Occasion?
  ) {
    self.request = request
    self.list = list
    self.asked = asked
    self.position = position
    self.recognised = recognised
    self.occasion = occasion
    if recognised == nil || recognised?.plan != nil { walk = begun() }
  }

  private func begun() -> Walk {
    Walk(
      plan: recognised?.plan ?? list.configuration.plan, on: occasion, from: position, limit: asked.limit)
  }

  /// Goes as far as it can without waiting.
  func advance() -> Stop {
    while true {
      let page: PageRequest
      switch walk?.next() {
      case nil: page = .own
      case .finish(let slice): return .ended(.success(slice))
      case .fail(let reason): return .ended(.failure(.ofWalk(reason, failure)))
      case .fetch(let next): page = next
      }
      switch list.source.look(for: page, with: asked.arguments, for: request, by: recognised) {
      case .underWay(let seat): return .waits(seat)
      case .known(let result):
        if let error = receive(result) { return .ended(.failure(error)) }
      }
    }
  }

  /// Takes what `seat` was waiting for, and goes on.
  func land(_ landing: Landing, _ seat: PageSource.Seat) -> Stop {
    let result = list.source.take(landing, seat, for: request, by: recognised)
    if let error = receive(result) { return .ended(.failure(error)) }
    return advance()
  }

  /// - Returns: why there is no walk at all, where the answer that its plan was to be made of could not be had.
  private func receive(_ result: Result<Page, GatewayError>) -> GatewayError? {
    switch (result, walk) {
    case (.success(let page), nil):
      walk = begun()
      // The answer to the list's own request may be a later page, or the walk goes on from elsewhere.
      if recognised?.startsHere == true { walk?.receive(page) }
    case (.success(let page), _): walk?.receive(page)
    case (.failure(let error), nil): return error
    case (.failure(let error), _):
      failure = error
      walk?.receive(error.pageFailure)
    }
    return nil
  }
}
