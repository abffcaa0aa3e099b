import CLinux
import Glibc
import Telemetry

/// What a pull tells of itself on standard error: a bar while it lasts where that is a terminal, else a line every few
/// seconds.
final class PullReport {
  private static let barInterval = Duration.milliseconds(100)
  private static let lineInterval = Duration.seconds(5)

  /// Whether there is a bar to be drawn. Not where the items go to the same terminal.
  private let hasBar: Bool
  private let isQuiet: Bool
  private let start: ContinuousClock.Instant
  private var meter: ProgressMeter
  private var next: ContinuousClock.Instant
  private var isDrawn = false

  init(itemsGoToTerminal: Bool) {
    let isTerminal = isatty(2) == 1
    hasBar = isTerminal && !itemsGoToTerminal
    isQuiet = isTerminal && itemsGoToTerminal
    let now = ContinuousClock.now
    start = now
    meter = ProgressMeter(before: 0, start: now)
    next = now + (hasBar ? .zero : Self.lineInterval)
  }

  /// - Parameter before: items that are there already.
  func begin(before: Int) { meter = ProgressMeter(before: before, start: start) }

  /// `12,340 items written in 0:31`
  func summary(_ written: Int) -> String {
    "\(ProgressMeter.grouped(written)) \(written == 1 ? "item" : "items") written in \(ProgressMeter.clock(start.duration(to: .now)))"
  }

  /// - Parameters:
  ///   - count: items so far, those before this pull included.
  ///   - total: as many as are expected in the end.
  func note(count: Int, total: Int?) {
    meter.note(count: count, total: total)
    let now = ContinuousClock.now
    if isQuiet || now < next { return }
    next = now + (hasBar ? Self.barInterval : Self.lineInterval)
    if !hasBar { return Terminal.error("listway pull: \(meter.sentence(at: now))") }
    // One column stays free: in the last one some terminals go to the next line.
    let width = max(20, Int(listway_terminal_columns(2)) - 1)
    Terminal.write("\r\(meter.bar(width: width, at: now))\u{1B}[K", to: 2)
    isDrawn = true
  }

  /// A line of its own.
  func say(_ text: String) {
    // The bar goes, the line comes.
    if isDrawn { Terminal.write("\r\u{1B}[K", to: 2) }
    isDrawn = false
    Terminal.error("listway pull: \(text)")
  }
}
