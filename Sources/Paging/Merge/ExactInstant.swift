import HTTPSemantics

/// A point in time, exactly.
struct ExactInstant: Hashable {
  /// Since 1970; the second in which it lies.
  let seconds: Int64
  /// How far into that second: decimal digits of which the last is not 0.
  let fraction: [UInt8]

  private init(seconds: Int64, fraction: [UInt8]) {
    self.seconds = seconds
    self.fraction = fraction
  }

  /// Reads a number since 1970; from a string also a date and time (see ``SortOrder/Kind/time(zone:epoch:)``).
  ///
  /// - Returns: nil for what is neither, for a date or time that there is none of, and for one too far from 1970 to be told.
  init?(_ text: UnsafeRawBufferPointer, isString: Bool, zone: Int, epoch unit: EpochUnit) {
    if isString, let instant = unsafe Self(dateIn: text, zone: zone) {
      self = instant
    } else if let number = unsafe ExactDecimal(text) {
      self.init(number, in: unit)
    } else {
      return nil
    }
  }

  // MARK: Since 1970

  init?(_ number: ExactDecimal, in unit: EpochUnit) {
    var number = number
    number.shift(by: unit.power(for: number))
    // Beyond, the seconds have no place; and nothing is finer than what is left out here.
    guard number.exponent <= 18 else { return nil }
    guard number.exponent >= -Self.finestPlace else {
      self.init(seconds: 0, fraction: [])
      return
    }
    let wholeCount = max(0, number.exponent)
    var seconds: Int64 = 0
    for index in 0..<wholeCount {
      seconds = seconds * 10 + (index < number.digits.count ? Int64(number.digits[index]) : 0)
    }
    let fraction =
      Array(repeating: 0, count: max(0, -number.exponent)) + number.digits.dropFirst(wholeCount)
    if !number.isNegative {
      self.init(seconds: seconds, fraction: fraction)
    } else if fraction.isEmpty {
      self.init(seconds: -seconds, fraction: [])
    } else {
      // Down to the second in which it lies, and the rest of that second: 10^n less the digits.
      let last = fraction.count - 1
      self.init(
        seconds: -seconds - 1,
        fraction: fraction.enumerated().map { $0.offset == last ? 10 - $0.element : 9 - $0.element })
    }
  }

  private static let finestPlace = 100

  // MARK: Dates

  /// Reads RFC 3339 and what is near to it: a space between date and time or before the offset, slashes between year, month and
  /// day, a comma before the fraction, an offset without a colon or without minutes; no seconds; no time, which is midnight; no
  /// offset, which is the zone's.
  private init?(dateIn text: UnsafeRawBufferPointer, zone: Int) {
    var scan = unsafe TextScan(text)
    let separator = scan.peek(4)
    guard separator == UInt8(ascii: "-") || separator == UInt8(ascii: "/"), let year = scan.takeNumber(4),
      scan.skip(separator), let month = scan.takeNumber(2), scan.skip(separator), let day = scan.takeNumber(2)
    else { return nil }
    var (hour, minute, second) = (0, 0, 0)
    var fraction: [UInt8] = []
    var offset: Int?
    if !scan.isAtEnd {
      guard scan.skip(UInt8(ascii: "T")) || scan.skip(UInt8(ascii: "t")) || scan.skip(UInt8(ascii: " ")),
        let hours = scan.takeNumber(2), scan.skip(UInt8(ascii: ":")), let minutes = scan.takeNumber(2)
      else { return nil }
      (hour, minute) = (hours, minutes)
      if scan.skip(UInt8(ascii: ":")) {
        guard let seconds = scan.takeNumber(2) else { return nil }
        second = seconds
        if scan.skip(UInt8(ascii: ".")) || scan.skip(UInt8(ascii: ",")) {
          guard scan.digit != nil else { return nil }
          while let digit = scan.takeDigit() { fraction.append(digit) }
          while fraction.last == 0 { fraction.removeLast() }
        }
      }
      _ = scan.skip(UInt8(ascii: " "))
      if !scan.isAtEnd {
        guard let read = Self.offset(&scan), scan.isAtEnd else { return nil }
        offset = read
      }
    }
    guard
      let date = CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    self.init(seconds: date.unixSeconds - Int64(offset ?? zone), fraction: fraction)
  }

  /// `Z`, `+08:00`, `+0800` or `+08`, in seconds ahead of UTC.
  private static func offset(_ scan: inout TextScan) -> Int? {
    if scan.skip(UInt8(ascii: "Z")) || scan.skip(UInt8(ascii: "z")) { return 0 }
    let isWest = scan.skip(UInt8(ascii: "-"))
    guard isWest || scan.skip(UInt8(ascii: "+")), let hours = scan.takeNumber(2), hours < 24 else {
      return nil
    }
    var minutes = 0
    let hasColon = scan.skip(UInt8(ascii: ":"))
    if hasColon || !scan.isAtEnd {
      guard let read = scan.takeNumber(2), read < 60 else { return nil }
      minutes = read
    }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }
}

extension EpochUnit {
  /// The power of ten that a second has of it.
  fileprivate func power(for number: ExactDecimal) -> Int {
    switch self {
    case .seconds: 0
    case .milliseconds: 3
    case .judged:
      switch number.exponent {
      case ...11: 0
      case ...14: 3
      case ...17: 6
      default: 9
      }
    }
  }
}
