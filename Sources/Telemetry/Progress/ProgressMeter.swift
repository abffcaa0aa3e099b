/// How far something long has come, as a line of text. Time is passed in.
package struct ProgressMeter: Sendable {
  private let start: ContinuousClock.Instant
  private let before: Int
  /// Done so far, what was done before the start included.
  package private(set) var count: Int
  /// How many there are; nil when that is not known, or has turned out to be wrong.
  package private(set) var total: Int?

  /// - Parameter before: done already: part of what is done, not of the rate.
  package init(before: Int, start: ContinuousClock.Instant) {
    self.start = start
    self.before = before
    count = before
  }

  package mutating func note(count: Int, total: Int?) {
    self.count = count
    self.total = total.flatMap { $0 >= count ? $0 : nil }
  }

  /// Done a second since the start.
  package func rate(at now: ContinuousClock.Instant) -> Double {
    let seconds = start.duration(to: now) / .seconds(1)
    return seconds > 0 ? Double(count - before) / seconds : 0
  }

  /// Nil where there is nothing to reckon with.
  package func timeLeft(at now: ContinuousClock.Instant) -> Duration? {
    let rate = rate(at: now)
    guard let total, rate > 0 else { return nil }
    return .seconds(Double(total - count) / rate)
  }

  /// 0 to 100, rounded down: 100 is all.
  package var percent: Int? {
    total.map { $0 == 0 ? 100 : Int((Double(count) / Double($0) * 100).rounded(.down)) }
  }

  /// `12,340 of 100,000 items (12 %), 3,210 a second, 0:27 left`
  package func sentence(at now: ContinuousClock.Instant) -> String {
    var text = Self.grouped(count)
    if let total, let percent {
      text += " of \(Self.grouped(total)) items (\(percent) %)"
    } else {
      text += " items"
    }
    text += ", \(Self.grouped(Int(rate(at: now)))) a second"
    if let timeLeft = timeLeft(at: now) { text += ", \(Self.clock(timeLeft)) left" }
    return text
  }

  /// `12,340 of 100,000  12 % [###-----------------] 3,210/s  0:27 left`, at most `width` characters, ASCII.
  package func bar(width: Int, at now: ContinuousClock.Instant) -> String {
    let rate = "\(Self.grouped(Int(rate(at: now))))/s"
    var text: String
    if let total, let percent {
      let left = "\(Self.grouped(count)) of \(Self.grouped(total))  \(percent) % "
      let right = " \(rate)" + (timeLeft(at: now).map { "  \(Self.clock($0)) left" } ?? "")
      let room = min(40, width - left.count - right.count - 2)
      text = left
      if room >= 4 {
        let filled = room * percent / 100
        text +=
          "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled) + "]"
      }
      text += right
    } else {
      text = "\(Self.grouped(count)) items  \(rate)"
    }
    return String(text.prefix(max(0, width)))
  }

  /// `1,234,567`
  package static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// `0:27`, `12:05`, `3:00:00`
  package static func clock(_ duration: Duration) -> String {
    let seconds = Int(clamping: max(0, duration.components.seconds))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(seconds % 60))"
  }
}
