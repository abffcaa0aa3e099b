import HTTPSemantics

/// How an upstream wants a point in time written.
package struct TimeForm: Sendable, Hashable {
  package enum Unit: Sendable, Hashable {
    case day, hour, minute, second, millisecond
  }

  private enum Part: Sendable, Hashable {
    case year, month, day, hour, minute, second
    case text([UInt8])
  }

  private enum Content: Sendable, Hashable {
    /// Since 1970, as a number.
    case count
    case parts([Part])
  }

  private let content: Content
  /// The smallest step between two times that can be written.
  package let unit: Unit

  /// Unix seconds.
  package static let seconds = TimeForm(content: .count, unit: .second)
  /// Unix time in milliseconds.
  package static let milliseconds = TimeForm(content: .count, unit: .millisecond)

  /// `YYYY-MM-DD`.
  package static let days = TimeForm(
    content: .parts([.year, .text([0x2D]), .month, .text([0x2D]), .day]), unit: .day)

  private init(content: Content, unit: Unit) {
    self.content = content
    self.unit = unit
  }

  private static let tokens: [(text: String, part: Part)] = [
    ("YYYY", .year), ("MM", .month), ("DD", .day), ("hh", .hour), ("mm", .minute), ("ss", .second),
  ]

  /// Reads `seconds`, `milliseconds`, or a pattern of `YYYY`, `MM`, `DD`, `hh`, `mm` and `ss` with anything in between:
  /// `YYYY-MM-DD`, `YYYY-MM-DDThh:mm:ssZ`.
  ///
  /// - Returns: nil unless year, month and day are in it once, and the smaller units as far as the larger ones are.
  package init?(_ text: String) {
    switch text {
    case "seconds": self = .seconds
    case "milliseconds": self = .milliseconds
    default:
      let parts = TimeForm.parts(of: text)
      let order: [Part] = [.year, .month, .day, .hour, .minute, .second]
      let present = order.map { part in parts.count { $0 == part } }
      guard present.allSatisfy({ $0 <= 1 }), present[..<3] == [1, 1, 1],
        zip(present[3...], present[4...]).allSatisfy({ $0 >= $1 })
      else { return nil }
      let units: [Unit] = [.day, .hour, .minute, .second]
      self.init(content: .parts(parts), unit: units[present[3...].reduce(0, +)])
    }
  }

  private static func parts(of pattern: String) -> [Part] {
    var parts: [Part] = []
    var rest = Array(pattern.utf8)[...]
    var text: [UInt8] = []
    while let byte = rest.first {
      if let token = tokens.first(where: { rest.starts(with: $0.text.utf8) }) {
        if !text.isEmpty { parts.append(.text(text)) }
        text = []
        parts.append(token.part)
        rest = rest.dropFirst(token.text.utf8.count)
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    return text.isEmpty ? parts : parts + [.text(text)]
  }

  /// - Parameters:
  ///   - time: seconds since 1970 on the upstream's clock.
  ///   - zone: how far that is ahead of UTC, in seconds.
  ///   - isLast: whether the last moment before `time` is meant.
  func value(of time: Int, zone: Int, isLast: Bool) -> PageRequest.Value {
    switch (content, unit) {
    case (.count, .millisecond): return .number((time - zone) * 1_000 - (isLast ? 1 : 0))
    case (.count, _): return .number(time - zone - (isLast ? 1 : 0))
    case (.parts(let parts), _):
      let date = CivilDate(unixSeconds: Int64(time - (isLast ? unit.seconds : 0)))
      var text: [UInt8] = []
      for part in parts {
        switch part {
        case .year: TimeForm.append(date.year, 4, to: &text)
        case .month: TimeForm.append(date.month, 2, to: &text)
        case .day: TimeForm.append(date.day, 2, to: &text)
        case .hour: TimeForm.append(date.hour, 2, to: &text)
        case .minute: TimeForm.append(date.minute, 2, to: &text)
        case .second: TimeForm.append(date.second, 2, to: &text)
        case .text(let bytes): text += bytes
        }
      }
      return .text(text)
    }
  }

  private static func append(_ number: Int, _ digits: Int, to text: inout [UInt8]) {
    let spelled = String(number).utf8
    for _ in spelled.count..<max(spelled.count, digits) { text.append(UInt8(ascii: "0")) }
    text += spelled
  }
}

extension TimeForm.Unit {
  /// At least one: nothing is cut finer than into seconds.
  package var seconds: Int {
    switch self {
    case .day: 86_400
    case .hour: 3_600
    case .minute: 60
    case .second, .millisecond: 1
    }
  }
}
