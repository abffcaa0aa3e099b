/// How long a server asks to be left alone (RFC 9110 §10.2.3).
package enum RetryAfter: Sendable, Hashable {
  case seconds(Int)
  /// Unix seconds.
  case date(Int64)

  /// - Parameter now: Unix seconds, for dates with a two-digit year.
  /// - Returns: nil when the value is neither a number of seconds nor a date. Numbers beyond 68 years are cut to that.
  package init?(parsing value: Span<UInt8>, now: Int64) {
    let range = value.trimmed(0..<value.count)
    if let seconds = value.decimal(in: range) {
      self = .seconds(seconds)
    } else if let date = HTTPDate.parse(value, now: now) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// What is left of the wait at `now` (Unix seconds); zero when it is over.
  package func delay(at now: Int64) -> Duration {
    switch self {
    case .seconds(let seconds): .seconds(seconds)
    case .date(let date): .seconds(max(0, date - now))
    }
  }

  /// The field value for a wait of `delay`: whole seconds, rounded up, at least one.
  package static func value(for delay: Duration) -> String {
    let (seconds, attoseconds) = delay.components
    return String(max(1, seconds + (attoseconds > 0 ? 1 : 0)))
  }
}
