// Handles to series: numbers that were looked up once, when the configuration was taken up.

/// One series of a counter family.
package struct Counter: Sendable { let slot: Int }

/// One series of a gauge family. Each loop sets its own part; the scrape shows the sum.
package struct Gauge: Sendable { let slot: Int }

/// One series of a histogram family: a slot for each bucket, one for what lies above, one for the sum.
package struct Histogram: Sendable {
  let slot: Int
  let buckets: Buckets
}

/// Every combination of some label values, laid out so that a combination's place is arithmetic.
struct Grid: Sendable, Hashable {
  /// For each label the values it takes here. One value where it is fixed.
  let axes: [[String]]
  let firstSlot: Int
  let slotsPerSeries: Int

  var seriesCount: Int { axes.reduce(1) { $0 * $1.count } }

  func slot(_ positions: (Int, Int, Int)) -> Int {
    var place = 0
    if axes.count > 0 { place = checked(positions.0, 0) }
    if axes.count > 1 { place = place * axes[1].count + checked(positions.1, 1) }
    if axes.count > 2 { place = place * axes[2].count + checked(positions.2, 2) }
    return firstSlot + place * slotsPerSeries
  }

  /// The label values of the series at `place`, in the order of the labels.
  func values(at place: Int) -> [String] {
    var rest = place
    var values: [String] = []
    for axis in axes.reversed() {
      values.append(axis[rest % axis.count])
      rest /= axis.count
    }
    return values.reversed()
  }

  private func checked(_ position: Int, _ axis: Int) -> Int {
    precondition(position >= 0 && position < axes[axis].count, "no such label value")
    return position
  }
}

/// Counters by up to three labels; a position is an index into that label's values.
package struct Counters: Sendable {
  let grid: Grid
  package subscript(first: Int, second: Int, third: Int) -> Counter {
    Counter(slot: grid.slot((first, second, third)))
  }
  package subscript(first: Int, second: Int) -> Counter { self[first, second, 0] }
  package subscript(first: Int) -> Counter { self[first, 0, 0] }
}

/// Gauges by up to three labels.
package struct Gauges: Sendable {
  let grid: Grid
  package subscript(first: Int, second: Int, third: Int) -> Gauge {
    Gauge(slot: grid.slot((first, second, third)))
  }
  package subscript(first: Int, second: Int) -> Gauge { self[first, second, 0] }
  package subscript(first: Int) -> Gauge { self[first, 0, 0] }
}

/// Histograms by up to three labels.
package struct Histograms: Sendable {
  let grid: Grid
  let buckets: Buckets
  package subscript(first: Int, second: Int, third: Int) -> Histogram {
    Histogram(slot: grid.slot((first, second, third)), buckets: buckets)
  }
  package subscript(first: Int, second: Int) -> Histogram { self[first, second, 0] }
  package subscript(first: Int) -> Histogram { self[first, 0, 0] }
}
