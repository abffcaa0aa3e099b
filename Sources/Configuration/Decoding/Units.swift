/// Reads and writes what stands with a unit.
enum Units {
  static let durations: [(name: String, value: Duration)] = [
    ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600)),
    ("d", .seconds(86400)),
  ]
  static let sizes: [(name: String, value: Int)] = [
    ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("KiB", 1 << 10), ("MiB", 1 << 20),
    ("GiB", 1 << 30),
  ]

  /// What people write for a unit.
  private static let aliases = [
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m", "minute": "m",
    "minutes": "m",
    "hour": "h", "hours": "h", "hr": "h", "day": "d", "days": "d", "msec": "ms", "millis": "ms", "k": "kB",
    "m": "MB",
    "g": "GB", "ki": "KiB", "mi": "MiB", "gi": "GiB", "bytes": "B", "byte": "B",
  ]

  enum Reading<Value> {
    case value(Value)
    /// It is no number with a unit; what was probably meant.
    case malformed(meant: String?)
  }

  static func duration(_ text: String) -> Reading<Duration> {
    read(text, names: durations.map(\.name)) { number, unit in
      number <= 1_000_000_000_000 ? durations[unit].value * number : nil
    }
  }

  static func size(_ text: String) -> Reading<Int> {
    read(text, names: sizes.map(\.name)) { number, unit in
      let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: sizes[unit].value)
      return isTooLarge ? nil : bytes
    }
  }

  private static func read<Value>(_ text: String, names: [String], _ make: (Int, Int) -> Value?) -> Reading<
    Value
  > {
    let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
    let unit = text.dropFirst(digits.count)
    guard let number = Int(digits), Grammar.isInteger(digits.utf8) else { return .malformed(meant: nil) }
    if let index = names.firstIndex(where: { $0 == unit }), let value = make(number, index) {
      return .value(value)
    }
    guard let first = unit.utf8.first, Grammar.isLetter(first) || first == 0x20 else {
      return .malformed(meant: nil)
    }
    let plain = String(unit.drop { $0 == " " }).lowercased()
    let word = aliases[plain].flatMap { names.contains($0) ? $0 : nil } ?? Nearest.word(to: plain, of: names)
    return .malformed(meant: word.map { "\(number)\($0)" })
  }

  /// The shortest way to write a duration: `90s`, `1m`, `1d`.
  static func text(_ duration: Duration) -> String {
    let unit = durations.last { duration / $0.value >= 1 && isWhole(duration, $0.value) } ?? durations[1]
    return "\(Int((duration / unit.value).rounded()))\(unit.name)"
  }

  private static func isWhole(_ duration: Duration, _ unit: Duration) -> Bool {
    unit * Int((duration / unit).rounded()) == duration
  }

  /// The shortest way to write a size: `8MB`, `64KiB`, `500B`.
  static func text(bytes: Int) -> String {
    let unit =
      sizes.filter { bytes >= $0.value && bytes % $0.value == 0 }.max { $0.value < $1.value } ?? sizes[0]
    return "\(bytes / unit.value)\(unit.name)"
  }
}
