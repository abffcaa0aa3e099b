import Synchronization
package import Telemetry

/// What a store counts, whichever it is, on whichever thread.
package final class StoreCounters: Sendable {
  /// How a look-up ended.
  package enum Lookup: Int, CaseIterable, Sendable {
    case found
    case absent
    /// The store could not be asked, or was too slow.
    case unavailable
  }

  /// What became of a page that was to be written.
  package enum Write: Int, CaseIterable, Sendable {
    case stored
    /// There was no room among those that wait, or the page is too large.
    case dropped
    case failed
  }

  /// How a claim ended.
  package enum Claim: Int, CaseIterable, Sendable {
    /// This replica fetched for all.
    case granted
    /// Another had fetched it.
    case awaited
    /// Another was waited for in vain, or could not be asked.
    case alone
  }

  private struct Counts: Sendable {
    var lookups = [UInt64](repeating: 0, count: Lookup.allCases.count)
    var writes = [UInt64](repeating: 0, count: Write.allCases.count)
    var claims = [UInt64](repeating: 0, count: Claim.allCases.count)
    var evicted: UInt64 = 0
    var setAside: UInt64 = 0
    var errors: UInt64 = 0
    var isUp = false
    var pages: Int?
    var bytes: Int?
    /// Nil of a store that has none.
    var connections: Int?
    var waiting: (@Sendable () -> Waiting)?
  }

  private let counts = Mutex(Counts())

  package init() {}

  package func count(_ lookup: Lookup) { counts.withLock { $0.lookups[lookup.rawValue] += 1 } }
  package func count(_ write: Write, _ count: Int) {
    if count > 0 { counts.withLock { $0.writes[write.rawValue] += UInt64(count) } }
  }
  package func count(_ claim: Claim) { counts.withLock { $0.claims[claim.rawValue] += 1 } }
  package func countEvicted(_ count: Int) {
    if count > 0 { counts.withLock { $0.evicted += UInt64(count) } }
  }
  package func countSetAside() { counts.withLock { $0.setAside += 1 } }
  package func countError() { counts.withLock { $0.errors += 1 } }

  /// How a store of one file stands.
  package func publish(isUp: Bool, pages: Int, bytes: Int) {
    counts.withLock { counts in
      counts.isUp = isUp
      counts.pages = pages
      counts.bytes = bytes
    }
  }

  /// What waits to be written.
  package struct Waiting: Sendable {
    package let pages: Int
    package let bytes: Int

    package init(pages: Int, bytes: Int) {
      self.pages = pages
      self.bytes = bytes
    }
  }

  /// Has the store asked for what waits, whenever somebody wants to know.
  package func readWaiting(_ read: @escaping @Sendable () -> Waiting) {
    counts.withLock { $0.waiting = read }
  }

  /// A store of a server is about to connect.
  package func expectConnections() { counts.withLock { $0.connections = $0.connections ?? 0 } }

  /// One of a store's connections has come, or gone.
  package func countConnection(_ change: Int) {
    counts.withLock { counts in
      let connections = (counts.connections ?? 0) + change
      counts.connections = connections
      counts.isUp = connections > 0
    }
  }

  // MARK: What is read

  package func value(_ lookup: Lookup) -> Int { Int(counts.withLock { $0.lookups[lookup.rawValue] }) }
  package func value(_ write: Write) -> Int { Int(counts.withLock { $0.writes[write.rawValue] }) }
  package func value(_ claim: Claim) -> Int { Int(counts.withLock { $0.claims[claim.rawValue] }) }
  package var evicted: Int { Int(counts.withLock { $0.evicted }) }
  package var setAside: Int { Int(counts.withLock { $0.setAside }) }
  package var errors: Int { Int(counts.withLock { $0.errors }) }
  package var isUp: Bool { counts.withLock { $0.isUp } }
  package var pages: Int? { counts.withLock { $0.pages } }
  package var bytes: Int? { counts.withLock { $0.bytes } }
  package var connections: Int? { counts.withLock { $0.connections } }
  package var waiting: Waiting? { counts.withLock(\.waiting)?() }

  package func collect(in figures: Figures) {
    figures.declare(FigureNames.storeFamilies)
    func single(_ family: FigureFamily, _ read: @escaping @Sendable (StoreCounters) -> Double?) {
      figures.collect(family) { [self] in read(self).map { [Figures.Reading(labels: [], value: $0)] } ?? [] }
    }
    single(FigureNames.storeUp) { $0.isUp ? 1 : 0 }
    single(FigureNames.storeConnections) { $0.connections.map(Double.init) }
    single(FigureNames.storeWaitingPages) { ($0.waiting?.pages).map(Double.init) }
    single(FigureNames.storeWaitingBytes) { ($0.waiting?.bytes).map(Double.init) }
    single(FigureNames.storePages) { $0.pages.map(Double.init) }
    single(FigureNames.storeBytes) { $0.bytes.map(Double.init) }
    single(FigureNames.storeEvicted) { Double($0.evicted) }
    single(FigureNames.storeSetAside) { Double($0.setAside) }
    single(FigureNames.storeErrors) { Double($0.errors) }
    figures.collect(FigureNames.storeLookups) { [self] in
      Lookup.allCases.map { Figures.Reading(labels: ["\($0)"], value: Double(value($0))) }
    }
    figures.collect(FigureNames.storeWrites) { [self] in
      Write.allCases.map { Figures.Reading(labels: ["\($0)"], value: Double(value($0))) }
    }
    figures.collect(FigureNames.storeClaims) { [self] in
      Claim.allCases.map { Figures.Reading(labels: ["\($0)"], value: Double(value($0))) }
    }
  }
}
