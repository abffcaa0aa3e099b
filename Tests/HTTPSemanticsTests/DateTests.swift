import TestSupport
import Testing

@testable import HTTPSemantics

@Suite("HTTPDate")
struct HTTPDateTests {
  private static let example: Int64 = 784_111_777
  private static let now: Int64 = 1_790_000_000  // in 2026

  private func parse(_ text: String, now: Int64 = now) -> Int64? {
    HTTPDate.parse(text.utf8Span.span, now: now)
  }

  @Test(
    "reads the three forms of RFC 9110",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      " Sun, 06 Nov 1994 08:49:37 GMT\t",
    ])
  func forms(text: String) {
    #expect(parse(text) == Self.example)
  }

  @Test("writes the first form")
  func writes() {
    #expect(HTTPDate.text(unixSeconds: Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.text(unixSeconds: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.text(unixSeconds: -1) == "Wed, 31 Dec 1969 23:59:59 GMT")
    #expect(HTTPDate.text(unixSeconds: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(HTTPDate.text(unixSeconds: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPDate.text(unixSeconds: .min) == "Sat, 01 Jan 0000 00:00:00 GMT")
  }

  @Test(
    "takes a two-digit year as at most fifty years ahead",
    arguments: [("76", 2076), ("77", 1977), ("26", 2026), ("00", 2000)])
  func centuries(digits: String, year: Int) {
    let seconds = parse("Sunday, 01-Jan-\(digits) 00:00:00 GMT")
    #expect(seconds.map { CivilDate(unixSeconds: $0).year } == year)
  }

  @Test("counts a leap second as the second after it")
  func leapSecond() {
    #expect(parse("Sat, 31 Dec 2016 23:59:60 GMT") == parse("Sun, 01 Jan 2017 00:00:00 GMT"))
  }

  @Test(
    "refuses what is no date",
    arguments: [
      "", "0", "3600", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, -6 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "1994-11-06T08:49:37Z!!!!!!!!!",
    ])
  func refused(text: String) {
    #expect(parse(text) == nil)
  }

  @Test("reads back every date that it writes, and knows every weekday")
  func roundTrip() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<5_000 {
      let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
      #expect(parse(HTTPDate.text(unixSeconds: seconds)) == seconds)
      let days = Int((seconds - (seconds < 0 ? 86_399 : 0)) / 86_400)
      #expect(CivilDate(unixSeconds: seconds).weekday == ((days + 3) % 7 + 7) % 7)
    }
  }

  @Test("takes any bytes without a crash")
  func anyBytes() {
    var random = SeededRandom(seed: 4)
    let valid = "Sunday, 06-Nov-94 08:49:37 GMT".bytes
    for _ in 0..<20_000 {
      var bytes = valid
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: .min ... .max, using: &random)
      }
      let part = bytes.prefix(Int.random(in: 0...30, using: &random))
      if let seconds = HTTPDate.parse(part.span, now: 0) {
        #expect((-62_167_219_200...253_402_300_800).contains(seconds))
      }
    }
  }
}

@Suite("RetryAfter")
struct RetryAfterTests {
  @Test(
    "reads seconds and dates",
    arguments: [
      ("120", 120), ("0", 0), (" 5 ", 5), ("99999999999999999999", 2_147_483_647),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 37), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
      ("Sun Nov  6 08:50:00 1994", 60),
    ])
  func delays(value: String, seconds: Int) throws {
    let now: Int64 = 784_111_740
    let parsed = RetryAfter(parsing: value.utf8Span.span, now: now)
    let retry = try #require(parsed)
    #expect(retry.delay(at: now) == .seconds(seconds))
  }

  @Test("refuses anything else", arguments: ["", "-1", "1.5", "soon", "5s", "١"])
  func refused(value: String) {
    #expect(RetryAfter(parsing: value.utf8Span.span, now: 0) == nil)
  }

  @Test("asks for whole seconds, rounded up, and never for none")
  func writes() {
    #expect(RetryAfter.value(for: .zero) == "1")
    #expect(RetryAfter.value(for: .milliseconds(1_200)) == "2")
    #expect(RetryAfter.value(for: .seconds(2)) == "2")
    #expect(RetryAfter.value(for: .seconds(-3)) == "1")
  }
}
