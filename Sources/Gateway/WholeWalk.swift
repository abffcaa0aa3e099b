import Configuration
import JSON
package import Paging

/// A list walked whole, or as far as is wanted: a page at a time, so that it takes the memory of a page however long the
/// list is.
///
/// Confined to a loop. One call of ``next()`` at a time; it asks the upstream for nothing before it is called.
package final class WholeWalk {
  package enum Step {
    case items(Leg)
    /// The list is at its end (``isComplete``), or as many items have come as were wanted.
    case ended
    /// A page could not be had. The walk stands where it stood, and may be asked again.
    case failed(GatewayError)
  }

  private let request: Request
  private let list: ListRoute
  /// What the walk goes by, where that is not the list's own plan.
  private let recognised: RecognisedPlan?
  private let arguments: Arguments
  private let cursors: Cursors
  /// What the walk's cursors belong to: the list as it is configured, and the arguments.
  package let binding: [UInt8]
  /// Items wanted at most.
  private let limit: Int
  /// Whether legs can tell of places within them. Then each keeps all the answers that it was made of.
  private let keepsPlaces: Bool
  /// Where the walk goes on; nil at the beginning of the list and at its end.
  private var position: Position?
  /// The failure that cut the last leg short: told when the next is asked for.
  private var pending: GatewayError?
  /// Whether all of the list has come.
  package private(set) var isComplete = false
  /// Items so far.
  package private(set) var count = 0
  /// The cursor that the request came with.
  let startCursor: String?
  /// Items that the walks before had, of which this one goes on.
  package let servedBefore: Int
  /// As the upstream says of the whole list, nil when it does not.
  package private(set) var total: Int?
  package private(set) var pageCount: Int?
  package private(set) var warnings = Warnings()
  /// What the reader should know beside these, as the envelope spells it, each once.
  private(set) var notes: [String] = []

  init(
    _ request: Request, _ list: ListRoute, _ asked: ListRequest, from position: Position?,
    by recognised: RecognisedPlan?, cursors: Cursors, binding: [UInt8], keepsPlaces: Bool
  ) {
    self.request = request
    self.list = list
    self.recognised = recognised
    self.cursors = cursors
    self.binding = binding
    self.keepsPlaces = keepsPlaces
    self.position = position
    arguments = asked.arguments
    startCursor = asked.cursor
    limit = asked.limit
    servedBefore = position?.served ?? 0
  }

  /// Whether all has come that was wanted.
  package var isDone: Bool { isComplete || count >= limit }

  /// What goes on from where the walk stands; nil at the beginning of the list and at its end.
  package var cursor: String? { position.map { cursors.seal($0, binding: binding, by: recognised) } }

  /// What goes on behind the first `count` items of `leg`; nil at the beginning of the list and at its end. For walks
  /// that keep places.
  package func cursor(after count: Int, of leg: Leg) -> String? {
    leg.position(after: count).map { cursors.seal($0, binding: binding, by: recognised) }
  }

  /// Ends what is under way upstream: it fails, and nothing new is asked for.
  package func stop() { request.work.stop() }

  /// Goes on to the next page that has something.
  package func next() async -> Step {
    if let failure = pending {
      pending = nil
      return .failed(failure)
    }
    while !isDone {
      // Each page has the time that one slice has.
      request.patienceStart = .now
      switch await leg() {
      case .failure(let error): return .failed(error)
      case .success(let leg):
        if leg.count > 0 { return .items(leg) }
      }
    }
    return .ended
  }

  private func leg() async -> Result<Leg, GatewayError> {
    let room = limit - count
    let occasion = list.occasion(arguments, now: cursors.now)
    var answers: [Leg.Answer] = []
    let first: Page?
    switch await list.source.firstPage(with: arguments, for: request, by: recognised) {
    case .success(let page): first = page
    case .failure(let error): return .failure(error)
    }
    let plan = recognised?.plan ?? list.configuration.plan
    var walk = Walk(plan: plan, on: occasion, pageFrom: position, limit: room)
    if let first {
      walk.receive(first)
      if keepsPlaces { answers.append(.page(first)) }
    }
    var failure: GatewayError?
    while true {
      switch walk.next() {
      case .finish(let slice):
        let completed: Enricher.Completed?
        switch await list.enricher?.complete(slice, with: arguments, for: request) {
        case .failure(let error): return .failure(error)
        case .success(let found): completed = found
        case nil: completed = nil
        }
        if slice.warnings.contains(.pageFailed) { pending = failure }
        let leg = Leg(
          slice, plan: plan, occasion: occasion, start: position, answers: answers, completed?.parts)
        for note in completed?.notes ?? [] where !notes.contains(note) { notes.append(note) }
        note(slice)
        return .success(leg)
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

  private func note(_ slice: Slice) {
    position = slice.next
    isComplete = slice.next == nil
    count += slice.count
    total = slice.total
    pageCount = slice.pageCount
    warnings.add(slice.warnings)
  }
}

/// What one page gave to a whole walk (in doubt of the list's end two).
package struct Leg {
  enum Answer {
    case page(Page)
    case failure(PageFailure)
  }

  /// The items in order, the upstream's own bytes, a line each. A line break within an item, which can only be white
  /// space between its tokens (RFC 8259 §7), is a space.
  package let lines: [UInt8]
  package let count: Int
  private let plan: WalkPlan
  private let occasion: Occasion?
  private let start: Position?
  private let end: Position?
  /// All that came, for who keeps places.
  private let answers: [Answer]

  /// - Parameter parts: the slice's items, where they are completed.
  init(
    _ slice: Slice, plan: WalkPlan, occasion: Occasion?, start: Position?, answers: [Answer],
    _ parts: [SliceAnswer.Part]?
  ) {
    self.plan = plan
    self.occasion = occasion
    self.start = start
    self.answers = answers
    end = slice.next
    count = slice.count
    lines = parts.map { Self.lines(of: $0) } ?? Self.lines(of: slice)
  }

  /// Where a walk stands that took the first `count` items: the walk decides anew, upon the same answers.
  ///
  /// - Returns: nil at the beginning and at the end of the list; and within a page that comes only once, for the rest of it
  ///   cannot be had again.
  func position(after count: Int) -> Position? {
    precondition(count >= 0 && count <= self.count)
    if count == 0 { return start }
    if count == self.count { return end }
    if plan.servesOnce { return nil }
    var walk = Walk(plan: plan, on: occasion, pageFrom: start, limit: count)
    for answer in answers {
      guard case .fetch = walk.next() else { break }
      switch answer {
      case .page(let page): walk.receive(page)
      case .failure(let failure): walk.receive(failure)
      }
    }
    guard case .finish(let slice) = walk.next(), slice.count == count else {
      preconditionFailure("the same answers gave another walk")
    }
    return slice.next
  }

  private static func lines(of slice: Slice) -> [UInt8] {
    var byteCount = 0
    for piece in slice.pieces {
      for item in piece.page.items[piece.items] { byteCount += item.range.count + 1 }
    }
    var lines: [UInt8] = []
    lines.reserveCapacity(byteCount)
    for piece in slice.pieces {
      unsafe piece.page.body.withUnsafeBytes { body in
        for item in piece.page.items[piece.items] {
          let bytes = unsafe UnsafeRawBufferPointer(rebasing: body[item.range])
          let start = lines.count
          unsafe lines.append(contentsOf: bytes)
          if unsafe bytes.contains(lineFeed) || bytes.contains(carriageReturn) {
            for index in start..<lines.count where lines[index] == lineFeed || lines[index] == carriageReturn
            {
              lines[index] = UInt8(ascii: " ")
            }
          }
          lines.append(lineFeed)
        }
      }
    }
    return lines
  }

  private static func lines(of parts: [SliceAnswer.Part]) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(parts.reduce(0) { $0 + $1.range.count + $1.wrapping.after.count + 16 })
    for part in parts {
      let start = lines.count
      lines += part.wrapping.before
      unsafe part.body.withUnsafeBytes { unsafe lines.append(contentsOf: $0[part.range]) }
      lines += part.wrapping.after
      for index in start..<lines.count where lines[index] == lineFeed || lines[index] == carriageReturn {
        lines[index] = UInt8(ascii: " ")
      }
      lines.append(lineFeed)
    }
    return lines
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
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
