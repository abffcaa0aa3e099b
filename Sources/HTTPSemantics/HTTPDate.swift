/// The dates of HTTP (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms that must still be read.
package enum HTTPDate {
  /// The length of what ``write(unixSeconds:into:)`` appends.
  package static let byteCount = 29

  private static let weekdays: StaticString = "MonTueWedThuFriSatSun"
  private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

  /// Appends `unixSeconds` as an IMF-fixdate.
  package static func write(unixSeconds: Int64, into output: inout [UInt8]) {
    let date = CivilDate(unixSeconds: unixSeconds)
    output.reserveCapacity(output.count + byteCount)
    appendName(weekdays, date.weekday, to: &output)
    output.append(constant: ", ")
    append(date.day, digitCount: 2, to: &output)
    output.append(0x20)
    appendName(months, date.month - 1, to: &output)
    output.append(0x20)
    append(date.year, digitCount: 4, to: &output)
    output.append(0x20)
    append(date.hour, digitCount: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    append(date.minute, digitCount: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    append(date.second, digitCount: 2, to: &output)
    output.append(constant: " GMT")
  }

  package static func text(unixSeconds: Int64) -> String {
    var output: [UInt8] = []
    write(unixSeconds: unixSeconds, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  /// Reads any of the three forms. The weekday is not checked against the date.
  ///
  /// - Parameter now: decides the century of a two-digit year, which is never more than 50 years ahead.
  /// - Returns: Unix seconds, or nil when `bytes` is no date.
  package static func parse(_ bytes: Span<UInt8>, now: Int64) -> Int64? {
    let range = bytes.trimmed(0..<bytes.count)
    guard range.count >= 24 else { return nil }
    var scanner = Scanner(position: range.lowerBound, end: range.upperBound)
    while let byte = scanner.peek(bytes), byte.isAlpha { scanner.position += 1 }
    let nameCount = scanner.position - range.lowerBound
    guard nameCount >= 3 else { return nil }
    let date: CivilDate?
    if scanner.skip(",", bytes) {
      guard scanner.skip(" ", bytes) else { return nil }
      date = nameCount == 3 ? readFixdate(bytes, &scanner) : readRFC850(bytes, &scanner, now: now)
      guard scanner.skip(" ", bytes), scanner.skip("G", bytes), scanner.skip("M", bytes),
        scanner.skip("T", bytes)
      else { return nil }
    } else {
      guard nameCount == 3, scanner.skip(" ", bytes) else { return nil }
      date = readAsctime(bytes, &scanner)
    }
    return scanner.position == scanner.end ? date?.unixSeconds : nil
  }

  /// `06 Nov 1994 08:49:37`
  private static func readFixdate(_ bytes: Span<UInt8>, _ scanner: inout Scanner) -> CivilDate? {
    guard let day = scanner.number(2, bytes), scanner.skip(" ", bytes), let month = scanner.month(bytes),
      scanner.skip(" ", bytes), let year = scanner.number(4, bytes), scanner.skip(" ", bytes),
      let time = scanner.time(bytes)
    else { return nil }
    return CivilDate(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
  }

  /// `06-Nov-94 08:49:37`
  private static func readRFC850(_ bytes: Span<UInt8>, _ scanner: inout Scanner, now: Int64) -> CivilDate? {
    guard let day = scanner.number(2, bytes), scanner.skip("-", bytes), let month = scanner.month(bytes),
      scanner.skip("-", bytes), let shortYear = scanner.number(2, bytes), scanner.skip(" ", bytes),
      let time = scanner.time(bytes)
    else { return nil }
    let thisYear = CivilDate(unixSeconds: now).year
    var year = thisYear - thisYear % 100 + 100 + shortYear
    while year > thisYear + 50 { year -= 100 }
    return CivilDate(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
  }

  /// `Nov  6 08:49:37 1994`
  private static func readAsctime(_ bytes: Span<UInt8>, _ scanner: inout Scanner) -> CivilDate? {
    guard let month = scanner.month(bytes), scanner.skip(" ", bytes) else { return nil }
    let isShort = scanner.skip(" ", bytes)
    guard let day = scanner.number(isShort ? 1 : 2, bytes), scanner.skip(" ", bytes),
      let time = scanner.time(bytes), scanner.skip(" ", bytes), let year = scanner.number(4, bytes)
    else { return nil }
    return CivilDate(
      year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
  }

  private static func appendName(_ names: StaticString, _ index: Int, to output: inout [UInt8]) {
    for offset in 0..<3 { unsafe output.append(names.utf8Start[index * 3 + offset]) }
  }

  private static func append(_ value: Int, digitCount: Int, to output: inout [UInt8]) {
    var divisor = digitCount == 4 ? 1_000 : 10
    while divisor > 0 {
      output.append(0x30 &+ UInt8(truncatingIfNeeded: value / divisor % 10))
      divisor /= 10
    }
  }

  private struct Scanner {
    var position: Int
    let end: Int

    func peek(_ bytes: Span<UInt8>) -> UInt8? { position < end ? bytes[position] : nil }

    mutating func skip(_ byte: Unicode.Scalar, _ bytes: Span<UInt8>) -> Bool {
      guard peek(bytes) == UInt8(ascii: byte) else { return false }
      position += 1
      return true
    }

    mutating func number(_ digitCount: Int, _ bytes: Span<UInt8>) -> Int? {
      guard position + digitCount <= end else { return nil }
      defer { position += digitCount }
      return bytes.decimal(in: position..<position + digitCount)
    }

    /// 1 to 12.
    mutating func month(_ bytes: Span<UInt8>) -> Int? {
      guard position + 3 <= end else { return nil }
      for index in 0..<12 {
        var isMatch = true
        for offset in 0..<3 where unsafe bytes[position + offset] != months.utf8Start[index * 3 + offset] {
          isMatch = false
        }
        if isMatch {
          position += 3
          return index + 1
        }
      }
      return nil
    }

    mutating func time(_ bytes: Span<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
      guard let hour = number(2, bytes), skip(":", bytes), let minute = number(2, bytes), skip(":", bytes),
        let second = number(2, bytes)
      else { return nil }
      return (hour, minute, second)
    }
  }
}
