/// What one page gave to who walks on and on (in doubt of the list's end two), and where a walk stands within it.
package struct PageLeg: Sendable {
  package enum Answer: Sendable {
    case page(Page)
    case failure(PageFailure)
  }

  package let slice: Slice
  private let plan: WalkPlan
  private let occasion: Occasion?
  private let start: Position?
  /// All that came, for who keeps places.
  private let answers: [Answer]

  /// - Parameters:
  ///   - slice: of a walk page by page (``Walk/init(plan:on:pageFrom:limit:)``) by `plan`, on `occasion`, from `start`.
  ///   - answers: to all that the walk asked for, in order; none where no places within the leg are to be told.
  package init(
    _ slice: Slice, by plan: WalkPlan, on occasion: Occasion?, from start: Position?, answers: [Answer]
  ) {
    self.slice = slice
    self.plan = plan
    self.occasion = occasion
    self.start = start
    self.answers = answers
  }

  /// Where a walk stands that took the first `count` items: the walk decides anew, upon the same answers.
  ///
  /// - Returns: nil at the beginning and at the end of the list; and within a page that comes only once, for the rest of it
  ///   cannot be had again.
  package func position(after count: Int) -> Position? {
    precondition(count >= 0 && count <= slice.count)
    if count == slice.count { return slice.next }
    if count == 0 { return start }
    if plan.servesOnce { return nil }
    var walk = Walk(plan: plan, on: occasion, pageFrom: start, limit: count)
    for answer in answers {
      guard case .fetch = walk.next() else { break }
      switch answer {
      case .page(let page): walk.receive(page)
      case .failure(let failure): walk.receive(failure)
      }
    }
    guard case .finish(let part) = walk.next(), part.count == count else {
      preconditionFailure("the same answers gave another walk")
    }
    return part.next
  }
}
