/// A metric's name, meaning and labels: what the scrape says in its HELP and TYPE lines.
///
/// A family is a constant, declared once; its series come with the configuration (``Figures/counters(_:_:)``).
/// - SeeAlso: Prometheus text exposition format 0.0.4; OpenMetrics 1.0.
package struct FigureFamily: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// Only grows. Its name ends in `_total`.
    case counter
    case gauge
    case histogram(Buckets)
  }

  package let name: String
  package let kind: Kind
  /// One sentence.
  package let help: String
  /// The names of the labels, in the order in which they are shown.
  package let labels: [String]
  /// Whether a series that has not counted anything is left out of the scrape. For families whose labels combine to
  /// far more series than ever happen.
  package let hidesZeros: Bool

  package static func counter(
    _ name: String, _ help: String, labels: [String], hidesZeros: Bool
  ) -> FigureFamily {
    precondition(name.hasSuffix("_total"), "the name of a counter ends in _total")
    return FigureFamily(name: name, kind: .counter, help: help, labels: labels, hidesZeros: hidesZeros)
  }

  package static func gauge(_ name: String, _ help: String, labels: [String]) -> FigureFamily {
    FigureFamily(name: name, kind: .gauge, help: help, labels: labels, hidesZeros: false)
  }

  package static func histogram(
    _ name: String, _ help: String, labels: [String], buckets: Buckets, hidesZeros: Bool
  ) -> FigureFamily {
    FigureFamily(name: name, kind: .histogram(buckets), help: help, labels: labels, hidesZeros: hidesZeros)
  }

  private init(name: String, kind: Kind, help: String, labels: [String], hidesZeros: Bool) {
    precondition(([name] + labels).allSatisfy(FigureFamily.isName), "\(name): not a name, or a label is none")
    precondition(!labels.contains("le"), "\(name): le is the histogram's own label")
    self.name = name
    self.kind = kind
    self.help = help
    self.labels = labels
    self.hidesZeros = hidesZeros
  }

  private static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first > UInt8(ascii: "9") else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}

/// The upper bounds of a histogram's buckets, in the unit that is observed; one more bucket takes what lies above.
package struct Buckets: Sendable, Hashable {
  /// Ascending.
  package let bounds: [UInt64]
  /// What makes the unit shown of the unit observed: 1e9 shows nanoseconds as seconds.
  package let divisor: Double

  package init(bounds: [UInt64], divisor: Double) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds ascend")
    self.bounds = bounds
    self.divisor = divisor
  }

  /// 100 µs to 10 s, observed in nanoseconds, shown in seconds.
  package static let durations = Buckets(
    bounds: [
      100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
      100_000_000,
      250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ],
    divisor: 1e9)

  /// 256 B to 16 MiB, in bytes.
  package static let sizes = Buckets(bounds: (0..<9).map { 256 << (2 * $0) }, divisor: 1)
}
