/// How many requests may be repeated: a part of all that were made lately, and a few in any case.
///
/// With an upstream that fails everything, retries then add a fifth to its load instead of multiplying it.
package struct RetryBudget: Sendable {
  package struct Settings: Sendable, Hashable {
    /// The part of the requests in the window that may be repeated, 0 to 1.
    package var fraction: Double
    /// Retries that are granted in a window whatever the number of requests.
    package var floor: Int
    package var window: Duration

    package init(fraction: Double, floor: Int, window: Duration) {
      self.fraction = fraction
      self.floor = floor
      self.window = window
    }
  }

  private static let steps = 10

  package let settings: Settings
  /// Requests, and marked: retries.
  private var window: RollingWindow
  /// Retries that were refused since the start.
  package private(set) var refusedCount = 0

  package init(_ settings: Settings) {
    self.settings = settings
    window = RollingWindow(length: settings.window, steps: Self.steps)
  }

  /// A request was made; its retries are not counted here.
  package mutating func recordRequest(at now: Instant) { window.record(events: 1, marked: 0, at: now) }

  /// Takes a retry out of the budget, if there is one left.
  package mutating func take(at now: Instant) -> Bool {
    window.advance(to: now)
    guard window.marked < allowance else {
      refusedCount += 1
      return false
    }
    window.record(events: 0, marked: 1, at: now)
    return true
  }

  private var allowance: Int { settings.floor + Int(settings.fraction * Double(window.events)) }
}
