import Configuration
package import Paging

/// A list walked whole, or as far as is wanted: a page at a time, so that it takes the memory of a page however long the
/// list is.
///
/// Confined to a loop. One call of ``next()`` at a time; it asks the upstream for nothing before it is called.
package final class WholeWalk {
  package enum Step {
    case items(WholeLeg)
    /// The list is at its end (``isComplete``), or as many items have come as were wanted.
    case ended
    /// A page could not be had. The walk stands where it stood, and may be asked again.
    case failed(GatewayError)
  }

  private let request: Request
  private let legs: any WholeLegs
  private let cursors: Cursors
  /// What the walk's cursors belong to: the list as it is configured, and the arguments.
  package let binding: [UInt8]
  /// Items wanted at most.
  private let limit: Int
  /// What a cursor keeps of where the walk goes on; nil at the beginning of the list and at its end.
  private var place: [UInt8]?
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

  /// - Parameters:
  ///   - place: where `legs` begin, as a cursor keeps it; nil at the beginning of the list.
  ///   - startCursor: the same, as the request had it.
  ///   - served: how many items are before it.
  init(
    _ request: Request, _ legs: any WholeLegs, limit: Int, from place: [UInt8]?, startCursor: String?,
    servedBefore served: Int,
    cursors: Cursors, binding: [UInt8]
  ) {
    self.request = request
    self.legs = legs
    self.limit = limit
    self.place = place
    self.cursors = cursors
    self.binding = binding
    servedBefore = served
    self.startCursor = startCursor
  }

  /// Whether all has come that was wanted.
  package var isDone: Bool { isComplete || count >= limit }

  /// What goes on from where the walk stands; nil at the beginning of the list and at its end.
  package var cursor: String? { place.map(sealed) }

  /// What goes on behind the first `count` items of `leg`; nil at the beginning of the list and at its end. For walks
  /// that keep places.
  package func cursor(after count: Int, of leg: WholeLeg) -> String? { leg.place(after: count).map(sealed) }

  private func sealed(_ place: [UInt8]) -> String { cursors.seal(place, binding: binding, now: cursors.now) }

  /// Ends what is under way upstream: it fails, and nothing new is asked for.
  package func stop() { request.work.stop() }

  /// Goes on to the next page that has something.
  package func next() async -> Step {
    while !isDone {
      // Each page has the time that one slice has.
      request.patienceStart = .now
      switch await legs.next(limit: limit - count) {
      case .failure(let error): return .failed(error)
      case .success(let leg):
        note(leg)
        if leg.count > 0 { return .items(leg) }
      }
    }
    return .ended
  }

  private func note(_ leg: WholeLeg) {
    place = leg.place(after: leg.count)
    isComplete = place == nil
    count += leg.count
    total = leg.total
    pageCount = leg.pageCount
    warnings.add(leg.warnings)
    for note in leg.notes where !notes.contains(note) { notes.append(note) }
  }
}

/// Where the legs of a whole walk come from.
protocol WholeLegs: AnyObject {
  /// What comes next, at most so many items of it; also none, where there may be more all the same.
  func next(limit: Int) async -> Result<WholeLeg, GatewayError>
}

/// What one page gave to a whole walk (in doubt of the list's end two).
package struct WholeLeg {
  /// The items in order, a line each.
  package let lines: [UInt8]
  package let count: Int
  let total: Int?
  let pageCount: Int?
  let warnings: Warnings
  let notes: [String]
  /// Where the list goes on behind so many of the items, as a cursor keeps it; nil at its beginning and its end.
  private let place: (Int) -> [UInt8]?

  init(
    lines: [UInt8], count: Int, total: Int?, pageCount: Int?, warnings: Warnings,
    notes: [String], place: @escaping (Int) -> [UInt8]?
  ) {
    self.lines = lines
    self.count = count
    self.total = total
    self.pageCount = pageCount
    self.warnings = warnings
    self.notes = notes
    self.place = place
  }

  /// - Parameter count: 0 to ``count``; less than all only for walks that keep places.
  func place(after count: Int) -> [UInt8]? { place(count) }
}

/// The legs of one list of one upstream.
final class PlainLegs: WholeLegs {
  private let walk: LegWalk

  init(_ walk: LegWalk) { self.walk = walk }

  func next(limit: Int) async -> Result<WholeLeg, GatewayError> {
    await walk.next(limit: limit).map { [walk] step in
      let (leg, slice) = (step.leg, step.leg.slice)
      let lines = step.completed.map { ItemLines(of: $0.parts) } ?? ItemLines(of: slice)
      return WholeLeg(
        lines: lines.bytes, count: slice.count, total: slice.total, pageCount: slice.pageCount,
        warnings: slice.warnings, notes: step.completed?.notes ?? []
      ) { count in leg.position(after: count).map { walk.payload(of: $0) } }
    }
  }
}
