import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging

// Slices of merged lists, and merged lists whole.

extension ListHandler {
  /// Begins to serve a slice; `completion` is called on the loop, now or later, exactly once.
  ///
  /// - Throws: what is wrong with the request itself.
  func serve(
    _ request: Request, _ list: MergedRoute, target: Target,
    completion: @escaping (Result<SliceAnswer, GatewayError>) -> Void
  ) throws(GatewayError) {
    let asked = try ListRequest(
      target, of: list.configuration, .slice, by: request.principal, allowingDebug: allowsDebug)
    request.isDebug = asked.isDebug
    let binding = list.binding(of: asked.arguments, request.scope)
    let position = try list.position(in: asked.cursor, cursors, binding)
    let fetch = try MergedFetch(request, list, asked.arguments, from: position, now: cursors.now)
    request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
    loop.start { [self] in
      var merge = Merge(
        plan: list.configuration.plan, from: position, limit: asked.limit, pageSize: asked.limit)
      let result = await fetch.run(&merge)
      var completed = MergedCompletion.none
      if case .success(let slice) = result {
        switch await list.complete(slice, with: asked.arguments, for: request) {
        case .success(let found): completed = found
        case .failure(let error): return completion(.failure(error))
        }
      }
      completion(
        result.flatMap { slice in
          let answer = answer(slice, completed, to: asked, of: list, binding, request.work.account)
          if let next = answer.next,
            let error = GatewayError.tooLong(
              next, inPlaceOf: asked.cursor, in: request, requestLine: requestLine)
          {
            return .failure(error)
          }
          return .success(answer)
        })
    }
  }

  private func answer(
    _ slice: MergedSlice, _ completed: MergedCompletion, to asked: ListRequest, of list: MergedRoute,
    _ binding: [UInt8],
    _ account: CacheAccount
  ) -> SliceAnswer {
    let now = cursors.now
    let position = slice.next.map { $0.encode() }
    let last = list.place(of: slice.picks.last)
    var answer = SliceAnswer(
      slice: Slice(
        pieces: last.map { [Slice.Piece(page: $0.page, items: $0.item..<$0.item + 1)] } ?? [],
        count: slice.picks.count, total: slice.total, pageCount: slice.pageCount, next: nil,
        warnings: slice.warnings),
      parts: list.parts(of: slice, completed), position: position,
      epoch: Int(now / max(1, cursors.lifetime / 4)),
      next: position.map { cursors.seal($0, binding: binding, now: now) },
      cappedTo: asked.isCapped ? asked.limit : nil, prefetchThreshold: list.prefetchThreshold,
      account: account,
      now: process.pages.now, longestFreshness: Int(cursors.lifetime / 4))
    answer.add(completed.notes)
    return answer
  }
}

extension MergedRoute {
  /// Where a cursor goes on; nil without one.
  func position(
    in cursor: String?, _ cursors: Cursors, _ binding: [UInt8]
  ) throws(GatewayError) -> MergePosition? {
    guard let cursor else { return nil }
    let payload = try cursors.open(cursor, binding: binding)
    do throws(MergePosition.Failure) {
      return try MergePosition(decoding: payload, by: configuration.plan)
    } catch {
      // Sealed by us and bound to this configuration, yet not a position: written by another version.
      throw GatewayError.invalidCursor(detail: "sealed position of another version")
    }
  }

  /// The page that an item is in, and its index there.
  func place(of pick: MergedSlice.Pick?) -> (page: Page, item: Int)? {
    guard let pick, let leg = pick.leg as? MergedLeg else { return nil }
    return leg.place(of: pick.index)
  }

  /// Where a slice's items are: neighbours on one page are one part.
  func parts(of slice: MergedSlice, _ completed: MergedCompletion) -> [SliceAnswer.Part] {
    var parts: [SliceAnswer.Part] = []
    parts.reserveCapacity(slice.picks.count)
    var last: (page: Page, item: Int)?
    for (index, pick) in slice.picks.enumerated() {
      guard let (page, item) = place(of: pick) else { continue }
      var wrapping = leaves[pick.leaf].wrapping
      if let inner = completed.wrappings[index] { wrapping = wrapping.around(inner) }
      let range = page.items[item].range
      if let before = last, before.page === page, before.item + 1 == item, page.isContiguous, wrapping.isNone,
        let part = parts.popLast()
      {
        parts.append(SliceAnswer.Part(body: page.body, range: part.range.lowerBound..<range.upperBound))
      } else {
        parts.append(SliceAnswer.Part(body: page.body, range: range, wrapping: wrapping))
      }
      last = (page, item)
    }
    return parts
  }

  /// A walk through all of it, from the request's cursor on.
  ///
  /// - Throws: what is wrong with the request itself.
  func wholeWalk(
    _ request: Request, _ target: Target, _ cursors: Cursors, allowingDebug: Bool
  ) throws(GatewayError) -> WholeWalk {
    let asked = try ListRequest(
      target, of: configuration, .whole, by: request.principal, allowingDebug: allowingDebug)
    request.isDebug = asked.isDebug
    let binding = binding(of: asked.arguments, request.scope)
    let position = try position(in: asked.cursor, cursors, binding)
    let legs = MergedLegs(
      self, try MergedFetch(request, self, asked.arguments, from: position, now: cursors.now),
      Merge(plan: configuration.plan, from: position, limit: 1, pageSize: configuration.limit))
    return WholeWalk(
      request, legs, limit: asked.limit, from: position?.encode(), startCursor: asked.cursor,
      servedBefore: position?.served ?? 0,
      cursors: cursors, binding: binding)
  }
}

/// The legs of a merged list: some of its items at a time.
final class MergedLegs: WholeLegs {
  private let route: MergedRoute
  private let fetch: MergedFetch
  private var merge: Merge
  /// A slice whose items could not be completed yet, and the merge before it: it is the next one again.
  private var incomplete: (slice: MergedSlice, start: Merge)?

  /// A leg's items at most. The pages that they come from are kept beyond it, so that it costs nothing to have few.
  private static let longest = 100

  init(_ route: MergedRoute, _ fetch: MergedFetch, _ merge: Merge) {
    self.route = route
    self.fetch = fetch
    self.merge = merge
  }

  func next(limit: Int) async -> Result<WholeLeg, GatewayError> {
    let (slice, start): (MergedSlice, Merge)
    if let held = incomplete {
      (slice, start) = held
    } else {
      start = merge
      var running = merge.following(limit: min(limit, Self.longest))
      let result = await fetch.run(&running)
      merge = running
      switch result {
      case .success(let made): slice = made
      case .failure(let error): return .failure(error)
      }
    }
    let completed: MergedCompletion
    switch await route.complete(slice, with: fetch.arguments, for: fetch.request) {
    case .success(let found): completed = found
    case .failure(let error):
      incomplete = (slice, start)
      return .failure(error)
    }
    incomplete = nil
    var lines = ItemLines(reserving: 16_384)
    for (index, pick) in slice.picks.enumerated() {
      guard let (page, item) = route.place(of: pick) else { continue }
      let wrapping = route.leaves[pick.leaf].wrapping
      lines.append(page, item, in: completed.wrappings[index].map { wrapping.around($0) } ?? wrapping)
    }
    return .success(
      WholeLeg(
        lines: lines.bytes, count: slice.picks.count, total: slice.total, pageCount: slice.pageCount,
        warnings: slice.warnings, notes: completed.notes
      ) { count in
        count == slice.picks.count
          ? slice.next?.encode() : start.position(after: slice.picks[..<count]).encode()
      })
  }
}
