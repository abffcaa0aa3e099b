internal import Synchronization

/// All that this process counts: families, their series, and a shard for each thread that counts.
///
/// Series are looked up when a configuration is taken up, and are then numbers: an observation touches only its thread's shard
/// (``FigureShard``). The same series asked for again is the same series, so counts outlive a reload.
/// A scrape sums the shards, from any thread.
package final class Figures: Sendable {
  /// Over all families: enough for thousands of lists. Unused ones take no memory.
  package static let slotCapacity = 1 << 20

  /// A reading of something that keeps count by itself.
  package struct Reading: Sendable {
    package let labels: [String]
    package let value: Double
    package init(labels: [String], value: Double) {
      self.labels = labels
      self.value = value
    }
  }

  struct Entry {
    let family: FigureFamily
    var grids: [Grid] = []
    var readers: [@Sendable () -> [Reading]] = []
  }

  private struct Registry {
    var entries: [Entry] = []
    var nextSlot = 0
  }

  /// One for each thread that counts, by the thread's number.
  package let shards: [FigureShard]
  private let registry = Mutex(Registry())

  package init(shardCount: Int) {
    precondition(shardCount > 0)
    shards = (0..<shardCount).map { _ in FigureShard(slotCount: Figures.slotCapacity) }
  }

  /// Shows the families in this order, also while they have no series.
  package func declare(_ families: [FigureFamily]) {
    registry.withLock { registry in
      for family in families { _ = Figures.index(of: family, in: &registry) }
    }
  }

  /// The counters of `family` for every combination of `axes`: for each label the values it takes.
  package func counters(_ family: FigureFamily, _ axes: [[String]]) -> Counters {
    precondition(family.kind == .counter, "\(family.name) is not a counter")
    return Counters(grid: grid(family, axes, slotsPerSeries: 1))
  }

  package func gauges(_ family: FigureFamily, _ axes: [[String]]) -> Gauges {
    precondition(family.kind == .gauge, "\(family.name) is not a gauge")
    return Gauges(grid: grid(family, axes, slotsPerSeries: 1))
  }

  package func histograms(_ family: FigureFamily, _ axes: [[String]]) -> Histograms {
    guard case .histogram(let buckets) = family.kind else {
      preconditionFailure("\(family.name) is not a histogram")
    }
    return Histograms(grid: grid(family, axes, slotsPerSeries: buckets.bounds.count + 2), buckets: buckets)
  }

  /// Shows what `read` returns at each scrape, as a counter or gauge. It is called on the scraping thread.
  package func collect(_ family: FigureFamily, _ read: @escaping @Sendable () -> [Reading]) {
    if case .histogram = family.kind { preconditionFailure("\(family.name): a histogram is not read") }
    registry.withLock { registry in
      let index = Figures.index(of: family, in: &registry)
      registry.entries[index].readers.append(read)
    }
  }

  package func value(of counter: Counter) -> UInt64 { sum(counter.slot) }
  package func value(of gauge: Gauge) -> Int { Int(Int64(bitPattern: sum(gauge.slot))) }

  /// How often, and the sum in the unit shown.
  package func value(of histogram: Histogram) -> (count: UInt64, sum: Double) {
    let bucketCount = histogram.buckets.bounds.count + 1
    let count = (0..<bucketCount).reduce(UInt64(0)) { $0 &+ sum(histogram.slot + $1) }
    return (count, Double(sum(histogram.slot + bucketCount)) / histogram.buckets.divisor)
  }

  /// The families that have been declared or used, in that order.
  package var families: [FigureFamily] { entries.map(\.family) }

  var entries: [Entry] { registry.withLock { $0.entries } }

  func sum(_ slot: Int) -> UInt64 { shards.reduce(0) { $0 &+ $1.read(slot) } }

  private func grid(_ family: FigureFamily, _ axes: [[String]], slotsPerSeries: Int) -> Grid {
    precondition(axes.count == family.labels.count, "\(family.name) has the labels \(family.labels)")
    precondition(
      axes.count <= 3 && axes.allSatisfy { !$0.isEmpty }, "\(family.name): one to three axes with values")
    return registry.withLock { registry in
      let index = Figures.index(of: family, in: &registry)
      if let known = registry.entries[index].grids.first(where: { $0.axes == axes }) { return known }
      let grid = Grid(axes: axes, firstSlot: registry.nextSlot, slotsPerSeries: slotsPerSeries)
      registry.nextSlot += grid.seriesCount * slotsPerSeries
      precondition(registry.nextSlot <= Figures.slotCapacity, "more series than figures have room for")
      registry.entries[index].grids.append(grid)
      return grid
    }
  }

  private static func index(of family: FigureFamily, in registry: inout Registry) -> Int {
    if let index = registry.entries.firstIndex(where: { $0.family.name == family.name }) {
      precondition(registry.entries[index].family == family, "\(family.name) is declared in two ways")
      return index
    }
    registry.entries.append(Entry(family: family))
    return registry.entries.count - 1
  }
}
