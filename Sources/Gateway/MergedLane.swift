import Configuration
import EventLoop
import JSON
import Paging

/// One of a merged list's lists during one request: its walk, and what has come of it.
///
/// Confined to a loop.
final class MergedLane {
  private let loop: EventLoop
  private let route: MergedRoute.Leaf
  private let parser: Parser
  private let walk: LegWalk
  private var isBusy = false
  /// What came when nobody waited for it any more.
  private var unclaimed: Result<MergedLeg, GatewayError>?
  private var waiting: ((Result<MergedLeg, GatewayError>) -> Void)?

  /// - Parameter place: where the list's walk goes on.
  init(
    _ request: Request, _ route: MergedRoute, leaf: Int, arguments: Arguments,
    from place: MergePosition.Place,
    now: Int64
  ) throws(GatewayError) {
    loop = route.loop
    parser = route.parser
    self.route = route.leaves[leaf]
    let list = self.route.list
    let recognised = RecognisedPlan(list.configuration)
    var position: Position?
    if case .within(let payload) = place { position = try Cursors.position(in: payload, by: recognised) }
    // What is shown is completed when it is known what that is.
    walk = LegWalk(
      request, list, route.arguments(of: leaf, from: arguments), from: position, by: recognised,
      keepsPlaces: true, enricher: nil, now: now)
  }

  /// The list's next items, unless they have been asked for: then what came, or is coming.
  func next() async -> Result<MergedLeg, GatewayError> {
    if let unclaimed {
      self.unclaimed = nil
      return unclaimed
    }
    return await leg()
  }

  /// The same beside other things; `report` is called on the loop, now or later, unless ``giveUp()`` comes before that.
  func next(_ report: @escaping (Result<MergedLeg, GatewayError>) -> Void) {
    if let unclaimed {
      self.unclaimed = nil
      return report(unclaimed)
    }
    waiting = report
    if isBusy { return }
    isBusy = true
    loop.start { [self] in
      let result = await leg()
      isBusy = false
      if let waiting {
        self.waiting = nil
        waiting(result)
      } else {
        unclaimed = result
      }
    }
  }

  /// Nobody waits any more for what was asked for. It is not ended: it is what is asked for next.
  func giveUp() { waiting = nil }

  private func leg() async -> Result<MergedLeg, GatewayError> {
    // All of the page: what is not shown is what the next slice begins with, and costs nothing here.
    await walk.next(limit: .max).map { [walk, route, parser] step in
      MergedLeg(step.leg, of: walk, marks: route.configuration.marks, parser: parser)
    }
  }
}

/// The next items of one list, as a merge takes them.
final class MergedLeg: MergeLeg {
  private let leg: PageLeg
  private let walk: LegWalk
  private let marks: [MarkReading]
  private let parser: Parser

  init(_ leg: PageLeg, of walk: LegWalk, marks: [MarkReading], parser: Parser) {
    self.leg = leg
    self.walk = walk
    self.marks = marks
    self.parser = parser
  }

  var count: Int { leg.slice.count }
  var byteCount: Int { leg.slice.pieces.reduce(0) { $0 + $1.page.body.count } }
  var total: Int? { leg.slice.warnings.contains(.totalIsLowerBound) ? nil : leg.slice.total }

  /// A failure that cut it short is told when the list is asked again.
  var warnings: Warnings {
    guard leg.slice.warnings.contains(.pageFailed) else { return leg.slice.warnings }
    var warnings = Warnings()
    for entry in leg.slice.warnings.entries where entry.word != .pageFailed {
      warnings.add(entry.word, count: entry.count, detail: entry.detail)
    }
    return warnings
  }

  func heading(of index: Int) -> Heading {
    let (page, item) = place(of: index)
    // It is a part of a body that has been validated.
    guard let document = try? parser.parse(page.body, in: page.items[item].range) else {
      preconditionFailure("an item of a valid page is none by itself")
    }
    return Heading(of: document, by: marks)
  }

  func place(after count: Int) -> MergePosition.Place {
    if let position = leg.position(after: count) { return .within(walk.payload(of: position)) }
    return count == self.count ? .end : .beginning
  }

  /// The page that an item of the leg is in, and its index there.
  func place(of index: Int) -> (page: Page, item: Int) {
    var rest = index
    for piece in leg.slice.pieces {
      if rest < piece.items.count { return (piece.page, piece.items.lowerBound + rest) }
      rest -= piece.items.count
    }
    preconditionFailure("no item \(index) of \(count)")
  }
}
