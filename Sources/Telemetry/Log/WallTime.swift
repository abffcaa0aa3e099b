internal import Glibc
internal import HTTPSemantics

/// A reading of the wall clock, for people to read; durations are measured by another clock.
package struct WallTime: Sendable, Hashable {
  package let unixMilliseconds: Int64

  package init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

  package static var now: WallTime {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(unixMilliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Appends `2026-08-25T12:00:00.123Z` (RFC 3339 §5.6).
  package func append(to output: inout [UInt8]) {
    let (quotient, remainder) = unixMilliseconds.quotientAndRemainder(dividingBy: 1_000)
    let date = CivilDate(unixSeconds: remainder < 0 ? quotient - 1 : quotient)
    let milliseconds = Int(remainder < 0 ? remainder + 1_000 : remainder)
    let parts: [(Int, Int, UInt8)] = [
      (date.year, 1_000, UInt8(ascii: "-")), (date.month, 10, UInt8(ascii: "-")),
      (date.day, 10, UInt8(ascii: "T")),
      (date.hour, 10, UInt8(ascii: ":")), (date.minute, 10, UInt8(ascii: ":")),
      (date.second, 10, UInt8(ascii: ".")),
      (milliseconds, 100, UInt8(ascii: "Z")),
    ]
    for (value, highestUnit, ending) in parts {
      var unit = highestUnit
      while unit > 0 {
        output.append(0x30 &+ UInt8(truncatingIfNeeded: value / unit % 10))
        unit /= 10
      }
      output.append(ending)
    }
  }
}
