/// How figures are written for a scraper.
package enum Exposition: Sendable {
  /// Prometheus text format 0.0.4.
  case prometheus
  /// OpenMetrics 1.0.
  case openMetrics

  package var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }
}

extension Figures {
  /// Every family with its series, as text. From any thread; a histogram's count is always that of its buckets.
  package func exposition(_ format: Exposition) -> [UInt8] {
    var writer = ExpositionWriter(format: format)
    for entry in entries {
      writer.begin(entry.family)
      for grid in entry.grids {
        for place in 0..<grid.seriesCount { write(entry.family, grid, place, to: &writer) }
      }
      for read in entry.readers {
        for reading in read() { writer.sample(reading.labels, reading.value) }
      }
    }
    return writer.finish()
  }

  private func write(_ family: FigureFamily, _ grid: Grid, _ place: Int, to writer: inout ExpositionWriter) {
    let slot = grid.firstSlot + place * grid.slotsPerSeries
    switch family.kind {
    case .counter:
      let value = sum(slot)
      if value > 0 || !family.hidesZeros { writer.sample(grid.values(at: place), count: value) }
    case .gauge:
      writer.sample(grid.values(at: place), Double(Int64(bitPattern: sum(slot))))
    case .histogram(let buckets):
      let counts = (0...buckets.bounds.count).map { sum(slot + $0) }
      if counts.contains(where: { $0 > 0 }) || !family.hidesZeros {
        let total = Double(sum(slot + buckets.bounds.count + 1)) / buckets.divisor
        writer.histogram(grid.values(at: place), buckets, counts, sum: total)
      }
    }
  }
}

/// Writes the two text formats, which differ in little.
struct ExpositionWriter {
  private let format: Exposition
  private var bytes: [UInt8] = []
  private var family: FigureFamily?

  init(format: Exposition) {
    self.format = format
    bytes.reserveCapacity(16_384)
  }

  consuming func finish() -> [UInt8] {
    if case .openMetrics = format { append("# EOF\n") }
    return bytes
  }

  /// HELP and TYPE. OpenMetrics names a counter's family without `_total`.
  mutating func begin(_ family: FigureFamily) {
    self.family = family
    var name = family.name
    if case .openMetrics = format, family.kind == .counter { name.removeLast("_total".utf8.count) }
    append("# HELP \(name) ")
    appendEscaped(family.help, quotes: format == .openMetrics)
    append("\n# TYPE \(name) ")
    switch family.kind {
    case .counter: append("counter\n")
    case .gauge: append("gauge\n")
    case .histogram: append("histogram\n")
    }
  }

  mutating func sample(_ labels: [String], count: UInt64) { line("", labels, nil, String(count)) }

  mutating func sample(_ labels: [String], _ value: Double) { line("", labels, nil, shown(value)) }

  mutating func histogram(_ labels: [String], _ buckets: Buckets, _ counts: [UInt64], sum: Double) {
    var cumulative: UInt64 = 0
    for (index, count) in counts.enumerated() {
      cumulative &+= count
      let bound = index < buckets.bounds.count ? Double(buckets.bounds[index]) / buckets.divisor : .infinity
      line("_bucket", labels, bound, String(cumulative))
    }
    line("_sum", labels, nil, shown(sum))
    line("_count", labels, nil, String(cumulative))
  }

  private mutating func line(_ suffix: StaticString, _ labels: [String], _ bound: Double?, _ value: String) {
    guard let family else { return }
    precondition(labels.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
    append(family.name)
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount))
    var separator = "{"
    for (name, value) in zip(family.labels, labels) {
      append("\(separator)\(name)=\"")
      appendEscaped(value, quotes: true)
      append("\"")
      separator = ","
    }
    if let bound {
      append("\(separator)le=\"\(bound == .infinity ? "+Inf" : shownBound(bound))\"")
      separator = ","
    }
    append(separator == "," ? "} " : " ")
    append(value)
    append("\n")
  }

  /// A whole number without a point, as other exporters write it.
  private func shown(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    if value == value.rounded(), value.magnitude < 1e15 { return String(Int64(value)) }
    return value.description
  }

  /// OpenMetrics §5.1 wants a bound to look like a floating-point number.
  private func shownBound(_ bound: Double) -> String {
    if case .openMetrics = format { return bound.description }
    return shown(bound)
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func appendEscaped(_ text: String, quotes: Bool) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\"") where quotes: append("\\\"")
      default: bytes.append(byte)
      }
    }
  }
}
