import JSON

// One client request is one walk: it asks for pages until it has a slice, and never touches anything itself.
//
//          ┌────────────── place known ──────────────┐
//          ▼                                         │
//   page ──┬─ page has what is needed ─► finished    │
//          ├─ exhausted, more to come ───────────────┤
//          ├─ exhausted, the sources disagree ─► doubt ──┬─ nothing there ─► finished (the end)
//          │                                             └─ items there ───► page
//          └─ the place must be proven ─► seam ──┬─ anchor found, or given up ─► page
//                                                └─ looks at another page ─────► seam
//   any ──── a page fails ─► finished (short), or failed when nothing was taken

/// The machine that decides which upstream page to ask for, what to do with the answer, and what the client's slice is.
///
/// ``next()`` says what is to be done. After `fetch`, exactly one of the `receive` calls follows. The position moves past
/// an item only when the slice holds it, and past a page only when it came: what failed is asked for again.
package struct Walk: Sendable {
  package enum Step: Sendable {
    case fetch(PageRequest)
    case finish(Slice)
    case fail(Failure)
  }

  package enum Failure: Error, Sendable, Hashable {
    /// The page just received as a failure could not be had, and the slice would be empty.
    case page
    /// The upstream does not know the position any more.
    case expired
  }

  /// What the walk is about.
  enum Phase: Sendable {
    /// The page at the position is wanted. To: page, doubt, seam, finished, failed.
    case page
    /// The page before was said to be the last, but not by all; the one at the position is looked at to see. To: page,
    /// seam, finished, failed.
    case doubt(Sources)
    /// The last item served is being looked for. To: seam, page, doubt, finished, failed.
    case seam(Seam)
    /// To: nothing.
    case finished(hasMore: Bool)
    /// To: nothing.
    case failed(Failure)
  }

  let plan: WalkPlan
  let course: any Course
  let limit: Int
  /// Whether the slice ends with the page that gave something first.
  let endsWithPage: Bool
  /// Whether the walk goes on from a cursor.
  let isContinued: Bool
  var phase = Phase.page
  var position: Position
  var pieces: [Slice.Piece] = []
  var taken = 0
  var warnings = Warnings()
  /// Bytes of the answers that ``pieces`` lie in; with ``endsWithPage`` of all that came, which whoever may have to stop
  /// within the slice keeps.
  var heldBytes = 0
  /// Pages received, good or bad.
  var pagesAsked = 0
  /// Empty pages stepped over.
  var emptyPages = 0
  /// The most items on one page as everybody asks for them.
  var largestPage = 0

  /// - Parameters:
  ///   - occasion: for styles that depend on one (``WalkPlan/needsOccasion``).
  ///   - position: where to go on; nil is the beginning of the list.
  ///   - limit: the most items in the slice, 1 or more.
  package init(plan: WalkPlan, on occasion: Occasion? = nil, from position: Position?, limit: Int) {
    self.init(plan: plan, on: occasion, from: position, limit: limit, endsWithPage: false)
  }

  /// A walk whose slice is what the next page that has something gives: for who wants all of a list, and no more than a
  /// page in hand. Where the end of the list is in doubt, the page that resolves it may give its items too.
  package init(plan: WalkPlan, on occasion: Occasion? = nil, pageFrom position: Position?, limit: Int) {
    self.init(plan: plan, on: occasion, from: position, limit: limit, endsWithPage: true)
  }

  private init(
    plan: WalkPlan, on occasion: Occasion?, from position: Position?, limit: Int, endsWithPage: Bool
  ) {
    precondition(limit >= 1)
    self.plan = plan
    course = occasion.map { plan.course.bound(to: $0) } ?? plan.course
    self.limit = limit
    self.endsWithPage = endsWithPage
    isContinued = position != nil
    self.position = position ?? Position(place: course.start)
    if course.isVoid { phase = .finished(hasMore: false) }
  }

  var room: Int { limit - taken }
  var grain: Grain {
    Grain(pageSize: position.pageSize, isFixed: position.traits.contains(.sizeIsFixed))
  }
  var index: Int? { course.index(of: position.place, grain: grain) }

  package func next() -> Step {
    switch phase {
    case .page, .doubt: .fetch(request())
    case .seam(let seam): .fetch(request(for: seam))
    case .finished(let hasMore): .finish(slice(hasMore: hasMore))
    case .failed(let failure): .fail(failure)
    }
  }

  /// Whether something said that the page which is to be fetched is there: a page count, a flag, a next link, or a total.
  package var expectsPage: Bool {
    if case .page = phase { position.traits.contains(.isPromised) || isWithinTotal } else { false }
  }

  /// Pages that show no seam prove it by when they were asked for: a stored one proves nothing.
  private func request() -> PageRequest {
    var request = course.request(at: position.place)
    request.follows = position.place != course.start
    request.isFresh =
      plan.shifts == .exact && position.consumed == 0 && !position.anchors.isEmpty && index != nil
    request.edition = position.edition
    return request
  }

  /// Takes the page that was asked for.
  package mutating func receive(_ page: Page) {
    pagesAsked += 1
    position.edition = max(position.edition, page.edition)
    if endsWithPage { heldBytes += page.body.count }
    switch phase {
    case .page: arrive(at: page)
    case .doubt(let enders): resolve(page, endedBy: enders)
    case .seam(let seam): look(at: page, seam)
    case .finished, .failed: preconditionFailure("a page was received that was not asked for")
    }
  }

  /// Takes the news that the page which was asked for could not be had.
  package mutating func receive(_ failure: PageFailure) {
    if isPastTheEnd(failure) { return receive(Page.pastTheEnd) }
    pagesAsked += 1
    if taken > 0 {
      warnings.add(.pageFailed, detail: failure.code)
      phase = .finished(hasMore: true)
    } else {
      phase = .failed(isExpired(failure) ? .expired : .page)
    }
  }

  private func isPastTheEnd(_ failure: PageFailure) -> Bool {
    if failure.meaning == .endOfList { return true }
    guard let status = failure.status, course.ending.statuses.contains(status) else { return false }
    guard failure.meaning == nil, position.place != course.start else { return false }
    // 400 says little: where there should be more, it is a fault (such as an offset beyond what the upstream allows).
    return status != 400 || !(position.traits.contains(.isPromised) || isWithinTotal)
  }

  /// Whether a total that nothing has contradicted reaches beyond the position.
  private var isWithinTotal: Bool {
    guard let total = position.knownTotal, let index else { return false }
    return index < total || position.traits.contains(.totalIsLowerBound)
  }

  private func isExpired(_ failure: PageFailure) -> Bool {
    if failure.meaning == .cursorExpired { return true }
    guard isContinued, course.isLed, position.place != course.start, failure.meaning == nil else {
      return false
    }
    return failure.status == 400 || failure.status == 404 || failure.status == 410
  }

  private func slice(hasMore: Bool) -> Slice {
    Slice(
      pieces: pieces, count: taken, total: position.knownTotal,
      pageCount: position.knownPageCount(asked: course.size(at: course.start), seen: largestPage),
      next: hasMore ? position : nil, warnings: warnings)
  }
}

extension Page {
  /// What stands for an answer that says that nothing is there.
  static let pastTheEnd = Page(
    body: Bytes(copying: []), items: [], rawCount: 0, isContiguous: true, said: .nothing, keys: [],
    warnings: Warnings())
}

extension Position {
  var knownTotal: Int? { distrusted.contains(.total) ? nil : total }

  /// As the upstream says, unless total and page size prove that it counts from another size; derived from these where it
  /// does not say.
  ///
  /// - Parameters:
  ///   - asked: the size that was asked for or is known.
  ///   - seen: the most items seen on one page by this walk.
  func knownPageCount(asked: Int?, seen: Int) -> Int? {
    let said = distrusted.contains(.pageCount) ? nil : pageCount
    guard let total = knownTotal else { return said }
    let largest = max(seen, pageSize)
    if said != nil {
      guard let asked, asked > 0, largest == asked else { return said }
      return (total + asked - 1) / asked
    }
    // An upstream may cap the size it is asked for, or pay no regard to it: then a long list's pages tell its own.
    let isOwn = asked.map { largest > $0 || (largest > 0 && largest < min($0, total)) } ?? true
    let size = isOwn ? largest : asked ?? 0
    return size > 0 ? (total + size - 1) / size : total == 0 ? 0 : nil
  }
}
