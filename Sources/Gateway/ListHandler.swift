import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging
import Resilience

/// Serves slices: reads the request, opens the cursor, walks the upstream's pages, and writes the envelope.
final class ListHandler {
  let loop: EventLoop
  let cursors: Cursors
  let process: ProcessState
  let allowsDebug: Bool
  /// Bytes of the longest request line that clients may send.
  let requestLine: Int

  init(
    loop: EventLoop, cursors: Cursors, process: ProcessState, allowsDebug: Bool, requestLine: Int
  ) {
    self.loop = loop
    self.cursors = cursors
    self.process = process
    self.allowsDebug = allowsDebug
    self.requestLine = requestLine
  }

  /// Begins to serve; `completion` is called on the loop, now or later, exactly once.
  ///
  /// - Throws: what is wrong with the request itself.
  func serve(
    _ request: Request, _ served: ServedList, target: Target,
    completion: @escaping (Result<SliceAnswer, GatewayError>) -> Void
  ) throws(GatewayError) {
    let list: ListRoute
    switch served.kind {
    case .plain(let route): list = route
    case .merged(let merged): return try serve(request, merged, target: target, completion: completion)
    }
    let asked = try ListRequest(
      target, of: list.configuration, .slice, by: request.principal, allowingDebug: allowsDebug)
    request.isDebug = asked.isDebug
    try list.source.identify(request, with: asked.arguments)
    let binding = list.binding(of: asked.arguments, request.scope)
    let recognised = RecognisedPlan(list.configuration)
    let position = try asked.cursor.map { cursor throws(GatewayError) in
      try cursors.open(cursor, binding: binding, by: recognised)
    }
    request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
    let walk = SliceWalk(
      request, list, asked, from: position, by: recognised,
      occasion: list.occasion(asked.arguments, now: process.unixSeconds()))
    switch walk.advance() {
    case .ended(let result):
      guard list.enricher != nil, case .success = result else {
        return finish(result, nil, request, asked, recognised, list, binding, completion)
      }
      loop.start { [self] in
        let completed = await completed(result, asked.arguments, request, list)
        finish(result, completed, request, asked, recognised, list, binding, completion)
      }
    case .waits(let seat):
      loop.start { [self] in
        let result = await rest(of: walk, seat)
        let completed = await completed(result, asked.arguments, request, list)
        finish(result, completed, request, asked, recognised, list, binding, completion)
      }
    }
  }

  private func rest(of walk: SliceWalk, _ seat: PageSource.Seat) async -> Result<Slice, GatewayError> {
    var seat = seat
    while true {
      switch walk.land(await seat.wait.wait(), seat) {
      case .ended(let result): return result
      case .waits(let next): seat = next
      }
    }
  }

  /// What the slice's items are completed with; nil where the list adds nothing, or there is no slice.
  private func completed(
    _ result: Result<Slice, GatewayError>, _ arguments: Arguments, _ request: Request, _ list: ListRoute
  ) async -> Result<Enricher.Completed, GatewayError>? {
    guard let enricher = list.enricher, case .success(let slice) = result else { return nil }
    return await enricher.complete(slice.placedItems, with: arguments, for: request)
  }

  /// Not inlined: what it keeps on the stack would swell the task, which is allocated for each request.
  @inline(never)
  private func finish(
    _ result: Result<Slice, GatewayError>, _ completed: Result<Enricher.Completed, GatewayError>?,
    _ request: Request, _ asked: ListRequest,
    _ recognised: RecognisedPlan?, _ list: ListRoute,
    _ binding: [UInt8], _ completion: (Result<SliceAnswer, GatewayError>) -> Void
  ) {
    if case .success(let slice) = result {
      request.forerun = Forerun.begin(
        after: slice, of: list, for: PageReader(request, asked.arguments), by: recognised,
        occasion: list.occasion(asked.arguments, now: process.unixSeconds()))
    }
    completion(
      result.flatMap { slice in
        var answer = answer(slice, to: asked, by: recognised, of: list, binding, request.work.account)
        switch completed {
        case .failure(let error): return .failure(error)
        case .success(let completed): answer.take(completed)
        case nil: break
        }
        if let next = answer.next,
          let error = GatewayError.tooLong(
            next, inPlaceOf: asked.cursor, in: request, requestLine: requestLine)
        {
          return .failure(error)
        }
        return .success(answer)
      })
  }

  private func answer(
    _ slice: Slice, to asked: ListRequest, by recognised: RecognisedPlan?, of list: ListRoute,
    _ binding: [UInt8], _ account: CacheAccount
  ) -> SliceAnswer {
    let now = process.unixSeconds()
    let position = slice.next.map { Cursors.payload($0, by: recognised) }
    let next = position.map { cursors.seal($0, binding: binding, now: now) }
    let parts = slice.pieces.flatMap { piece in
      piece.byteRanges.map { SliceAnswer.Part(body: piece.page.body, range: $0) }
    }
    return SliceAnswer(
      slice: slice, parts: parts, position: position, epoch: Int(now / max(1, cursors.lifetime / 4)),
      next: next, cappedTo: asked.isCapped ? asked.limit : nil,
      prefetchThreshold: list.prefetchThreshold, account: account, now: process.pages.now,
      longestFreshness: Int(cursors.lifetime / 4))
  }
}

/// A slice, ready to be written.
struct SliceAnswer {
  /// A part of an upstream's body that holds items.
  struct Part {
    let body: Bytes
    let range: Range<Int>
    /// For one item alone.
    var wrapping = ItemWrapping.none
  }

  let slice: Slice
  /// Where the slice's items are, in order. Between two parts a comma is to be put.
  private(set) var parts: [Part]
  /// What the reader should know beside the slice's warnings, as the envelope spells it.
  private(set) var notes: [String] = []
  /// Where ``next`` goes on, and the time by quarters of a cursor's life: what an entity tag covers of a cursor.
  let position: [UInt8]?
  let epoch: Int
  /// The sealed cursor.
  let next: String?
  /// The list's `maxLimit`, when the client asked for more.
  let cappedTo: Int?
  let prefetchThreshold: Double
  /// Where its pages came from.
  let account: CacheAccount
  /// When it was made.
  let now: Instant
  /// Seconds for which the client may keep it at most: its cursor is to be of use.
  let longestFreshness: Int

  init(
    slice: Slice, parts: [Part], position: [UInt8]?, epoch: Int, next: String?, cappedTo: Int?,
    prefetchThreshold: Double, account: CacheAccount, now: Instant, longestFreshness: Int
  ) {
    self.slice = slice
    self.parts = parts
    self.position = position
    self.epoch = epoch
    self.next = next
    self.cappedTo = cappedTo
    self.prefetchThreshold = prefetchThreshold
    self.account = account
    self.now = now
    self.longestFreshness = longestFreshness
  }

  /// What the reader should know, too.
  mutating func add(_ notes: [String]) { self.notes += notes }

  /// Its items are these, completed.
  mutating func take(_ completed: Enricher.Completed) {
    parts = completed.parts
    notes = completed.notes
  }

  /// The row at which the client should ask for `next`; nil without one.
  var prefetchAt: Int? {
    if next == nil { return nil }
    let row = Int((Double(slice.count) * prefetchThreshold).rounded(.down))
    return max(0, min(row, slice.count - 1))
  }
}
