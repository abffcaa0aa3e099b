import Caching
package import Telemetry

/// What is read of the known pages when somebody asks for the figures.
package enum CacheReadings {
  package static func collect(in figures: Figures, _ process: ProcessState, lists: [String]) {
    func read(_ family: FigureFamily, _ value: @escaping @Sendable (KnownPages.Figures) -> Int) {
      figures.collect(family) {
        [Figures.Reading(labels: [], value: Double(value(process.pages.figures)))]
      }
    }
    read(FigureNames.cacheBytes) { $0.byteCount }
    read(FigureNames.cachePages) { $0.pages }
    read(FigureNames.cacheEvicted) { $0.evicted }
    read(FigureNames.cacheExpired) { $0.expired }
    figures.collect(FigureNames.prefetched) {
      lists.enumerated().flatMap { index, list in
        let figures = process.pages.prefetchFigures(of: UInt32(index))
        return [("fetched", figures.fetched), ("used", figures.used), ("wasted", figures.wasted)].map {
          Figures.Reading(labels: [list, $0], value: Double($1))
        }
      }
    }
  }
}
