/// A second of the proleptic Gregorian calendar in UTC, by arithmetic alone: no zone files, no locale, no clock.
///
/// - SeeAlso: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CivilDate: Sendable, Hashable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int
  package let hour: Int
  package let minute: Int
  /// 0 to 60: a leap second is read, and counts as the second after it.
  package let second: Int

  /// - Parameter unixSeconds: seconds since 1970-01-01T00:00:00Z, within the years 0 to 9999; beyond, it is clamped.
  package init(unixSeconds: Int64) {
    let seconds = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
    let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let days = Int(remainder < 0 ? quotient - 1 : quotient)
    let secondOfDay = Int(remainder < 0 ? remainder + 86_400 : remainder)

    let shifted = days + 719_468  // days since 0000-03-01: leap days then end their year
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = secondOfDay / 3_600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60
  }

  /// Nil when there is no such second: 30 February, 24:00, a year beyond 9999.
  package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDate.dayCount(ofMonth: month, year: year),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Reads `YYYY-MM-DD` (RFC 3339 §5.6 `full-date`).
  package init?(iso text: [UInt8]) {
    guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return nil }
    func number(_ range: Range<Int>) -> Int? {
      range.reduce(0) { sum, index in
        sum.flatMap { text[index] &- 0x30 < 10 ? $0 * 10 + Int(text[index] &- 0x30) : nil }
      }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package var unixSeconds: Int64 {
    Int64(dayNumber) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
  }

  /// 0 for Monday to 6 for Sunday.
  package var weekday: Int {
    let remainder = (dayNumber + 3) % 7  // 1970-01-01 was a Thursday
    return remainder < 0 ? remainder + 7 : remainder
  }

  /// Days since 1970-01-01.
  private var dayNumber: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
