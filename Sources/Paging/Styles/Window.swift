import HTTPSemantics

/// Pages by time: the list is asked for window by window, from the present back or from an early date on.
///
/// Times within it are on the upstream's clock: Unix seconds plus ``zone``. A window holds its first second and not its
/// last, whatever is sent.
package struct Window: Sendable, Hashable {
  package enum Direction: Sendable, Hashable {
    /// Newest first.
    case backward
    case forward
  }

  /// A day that bounds the list.
  package enum Bound: Sendable, Hashable {
    /// Days since 1970-01-01.
    case day(Int)
    /// The list's parameter of this index, a date.
    case parameter(Int)
  }

  /// Where a window's beginning and its end are sent; one of them at least.
  package let from: Placement?
  package let to: Placement?
  package let length: Length
  package let direction: Direction
  /// The first day of the list. Nil: the walk goes back until nothing more comes.
  package let earliest: Bound?
  /// The last day of the list; nil: now.
  package let latest: Bound?
  package let form: TimeForm
  /// How far the upstream's clock is ahead of UTC, in seconds.
  package let zone: Int
  /// Whether the end that is sent still belongs to the window.
  package let includesEnd: Bool
  /// What ``bound(to:)`` has found out.
  private var span: Span?

  private struct Span: Sendable, Hashable {
    let start: Int?
    let end: Int
  }

  package init(
    from: Placement?, to: Placement?, length: Length, direction: Direction, earliest: Bound?, latest: Bound?,
    form: TimeForm, zone: Int, includesEnd: Bool
  ) {
    self.from = from
    self.to = to
    self.length = length
    self.direction = direction
    self.earliest = earliest
    self.latest = latest
    self.form = form
    self.zone = zone
    self.includesEnd = includesEnd
  }
}

extension Window: Course {
  var needsOccasion: Bool { true }
  var isLed: Bool { false }
  var ending: Ending { .led }
  /// The end that is sent may be more than the upstream takes it for.
  var repeatsItems: Bool { true }
  func size(at place: Place) -> Int? { nil }

  func bound(to occasion: Occasion) -> any Course {
    let now = min(max(occasion.unixSeconds, 0), Self.lastSecond) + zone
    let unit = form.unit.seconds
    var window = self
    window.span = Span(
      start: earliest.flatMap { Self.day($0, occasion) }.map { $0 * 86_400 },
      end: latest.flatMap { Self.day($0, occasion) }.map { ($0 + 1) * 86_400 } ?? (now / unit + 1) * unit)
    return window
  }

  static let lastSecond = 253_402_300_799

  private static func day(_ bound: Bound, _ occasion: Occasion) -> Int? {
    switch bound {
    case .day(let day): day
    case .parameter(let index):
      occasion.arguments[index].flatMap { CivilDate(iso: $0) }.map { Int($0.unixSeconds / 86_400) }
    }
  }

  /// Whether the list ends before it begins.
  var isVoid: Bool { span.map { span in span.start.map { $0 >= span.end } ?? false } ?? false }

  var start: Place {
    guard let span else { return .beginning }
    switch (direction, span.start) {
    case (.forward, let start?): return window(from: start)
    case (.backward, _), (.forward, nil): return window(to: span.end)
    }
  }

  private func window(from: Int) -> Place {
    .window(from: from, to: min(length.end(from: from), span?.end ?? .max))
  }
  private func window(to: Int) -> Place {
    .window(from: max(length.start(to: to), span?.start ?? .min), to: to)
  }

  func request(at place: Place) -> PageRequest {
    guard case .window(let first, let end) = place else { return PageRequest([]) }
    let parts = [
      from.map { PageRequest.Part($0, form.value(of: first, zone: zone, isLast: false)) },
      to.map { PageRequest.Part($0, form.value(of: end, zone: zone, isLast: includesEnd)) },
    ]
    return PageRequest(parts.compactMap(\.self))
  }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? { self.place(after: place) }

  private func place(after place: Place) -> Place? {
    guard case .window(let first, let end) = place, let span else { return nil }
    switch direction {
    case .forward: return end < span.end ? window(from: end) : nil
    case .backward: return first > span.start ?? Self.firstSecond ? window(to: first) : nil
    }
  }

  /// The year 1: no list goes back further.
  private static let firstSecond = -62_135_596_800

  func outlook(_ sighting: Sighting) -> Outlook {
    let isLast = place(after: sighting.position.place) == nil || sighting.page.said.hasMore == false
    return isLast ? Outlook(verdict: .end, enders: .size) : Outlook(verdict: .more)
  }

  /// Times without items are usual. Where the first day is known, they are walked through to it.
  func gapLimit(_ limits: Limits) -> Int? {
    direction == .forward || span?.start != nil ? .max : limits.emptyRun
  }
}
