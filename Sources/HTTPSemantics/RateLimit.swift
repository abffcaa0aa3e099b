/// What a server announces of the limit that it sets to its client, in one of the ways that are in use.
///
/// - SeeAlso: draft-ietf-httpapi-ratelimit-headers (`RateLimit`, `RateLimit-Policy`, and before version 7
///   `RateLimit-Remaining` and its likes); the `X-RateLimit-…` fields of many APIs.
package struct RateLimit: Sendable, Hashable {
  /// Requests that are left until ``reset``.
  package let remaining: Int
  /// Of the whole period, where it is told.
  package let limit: Int?
  /// From now until there are more.
  package let reset: Duration

  package init(remaining: Int, limit: Int?, reset: Duration) {
    self.remaining = remaining
    self.limit = limit
    self.reset = reset
  }

  /// - Parameter now: Unix seconds, for a reset that is given as a date.
  /// - Returns: nil when nothing is announced, or not all that is needed to act on it.
  package init?(_ fields: Fields, now: Int64) {
    if let value = fields.combined(.rateLimit) {
      self.init(structured: value.span, policy: fields.combined(.rateLimitPolicy))
      return
    }
    for names in Self.families {
      guard let remaining = fields.first(names.remaining) else { continue }
      self.init(
        remaining: remaining, limit: fields.first(names.limit), reset: fields.first(names.reset), now: now)
      return
    }
    return nil
  }

  /// Whether there is anything of the kind: most answers have nothing.
  package static func isAnnounced(in fields: Fields) -> Bool {
    fields.contains(.rateLimit) || families.contains { fields.contains($0.remaining) }
  }

  // MARK: Three fields

  private static let families: [(remaining: FieldName, limit: FieldName, reset: FieldName)] = [
    ("RateLimit-Remaining", "RateLimit-Limit", "RateLimit-Reset"),
    ("X-RateLimit-Remaining", "X-RateLimit-Limit", "X-RateLimit-Reset"),
    ("X-Rate-Limit-Remaining", "X-Rate-Limit-Limit", "X-Rate-Limit-Reset"),
  ]

  private init?(
    remaining: ArraySlice<UInt8>, limit: ArraySlice<UInt8>?, reset: ArraySlice<UInt8>?, now: Int64
  ) {
    guard let remaining = Self.leadingNumber(remaining),
      let reset = reset.flatMap({ Self.reset($0, now: now) })
    else { return nil }
    self.init(remaining: remaining, limit: limit.flatMap(Self.leadingNumber), reset: reset)
  }

  /// The number that a value begins with: `100, 100;w=60` and `12.5` are seen.
  private static func leadingNumber(_ value: ArraySlice<UInt8>) -> Int? {
    let digits = value.prefix { $0.isDigit }
    // Up to milliseconds of a date.
    return digits.isEmpty || digits.count > 15 ? nil : digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }

  /// Seconds from now, or a date: as Unix seconds, as Unix milliseconds, or as HTTP writes it.
  private static func reset(_ value: ArraySlice<UInt8>, now: Int64) -> Duration? {
    if let number = leadingNumber(value) {
      if number >= 100_000_000_000 { return .seconds(max(0, Int64(number / 1_000) - now)) }
      // No period is that long: 31 years.
      if number >= 1_000_000_000 { return .seconds(max(0, Int64(number) - now)) }
      return .seconds(number)
    }
    return HTTPDate.parse(value.span, now: now).map { .seconds(max(0, $0 - now)) }
  }

  // MARK: Structured fields

  /// `"default";r=50;t=30` for each policy, or `limit=100, remaining=50, reset=30` (version 7). Of several policies the
  /// one with the least left counts.
  private init?(structured value: Span<UInt8>, policy: ArraySlice<UInt8>?) {
    var list = FieldList()
    var (limit, remaining, reset): (Int?, Int?, Int?)
    while let element = list.next(in: value) {
      var parts = FieldList(from: element.lowerBound)
      var (left, time): (Int?, Int?)
      var name: Range<Int>?
      while let part = parts.next(in: value, separator: UInt8(ascii: ";"), end: element.upperBound) {
        if let number = value.number(of: "r", in: part) { left = number }
        if let number = value.number(of: "t", in: part) { time = number }
        if let number = value.number(of: "limit", in: part) { limit = number }
        if let number = value.number(of: "remaining", in: part) { remaining = number }
        if let number = value.number(of: "reset", in: part) { reset = number }
        name = name ?? part
      }
      guard let left, let time, left < remaining ?? .max else { continue }
      (remaining, reset) = (left, time)
      limit = policy.flatMap { policy in name.flatMap { Self.quota(of: value, $0, in: policy.span) } }
    }
    guard let remaining, let reset else { return nil }
    self.init(remaining: remaining, limit: limit, reset: .seconds(reset))
  }

  /// `q` of the policy that is named as in `value`: `"default";q=100;w=60`.
  private static func quota(of value: Span<UInt8>, _ name: Range<Int>, in policy: Span<UInt8>) -> Int? {
    var list = FieldList()
    while let element = list.next(in: policy) {
      var parts = FieldList(from: element.lowerBound)
      guard let first = parts.next(in: policy, separator: UInt8(ascii: ";"), end: element.upperBound),
        first.count == name.count,
        (0..<name.count).allSatisfy({ policy[first.lowerBound + $0] == value[name.lowerBound + $0] })
      else { continue }
      while let part = parts.next(in: policy, separator: UInt8(ascii: ";"), end: element.upperBound) {
        if let quota = policy.number(of: "q", in: part) { return quota }
      }
    }
    return nil
  }
}

extension Span<UInt8> {
  /// The number after `key=` in a range that is that and nothing else.
  fileprivate func number(of key: StaticString, in range: Range<Int>) -> Int? {
    guard let equals = firstIndex(of: UInt8(ascii: "="), in: range),
      matches(key, in: trimmed(range.lowerBound..<equals))
    else { return nil }
    return decimal(in: trimmed(equals + 1..<range.upperBound))
  }
}
