package import Telemetry

/// The figures of a store of pages, where there is one.
extension FigureNames {
  package static let storeUp = FigureFamily.gauge(
    "listway_store_up", "1 while the store of pages can be used, else 0.", labels: [])
  package static let storeConnections = FigureFamily.gauge(
    "listway_store_connections", "Connections to a shared store that can be used; one a loop.", labels: [])
  package static let storeWaitingPages = FigureFamily.gauge(
    "listway_store_waiting_pages", "Pages that wait to be written to the store's file.", labels: [])
  package static let storeWaitingBytes = FigureFamily.gauge(
    "listway_store_waiting_bytes", "What the pages take that wait to be written.", labels: [])
  package static let storePages = FigureFamily.gauge(
    "listway_store_pages", "Pages in the store's file.", labels: [])
  package static let storeBytes = FigureFamily.gauge(
    "listway_store_bytes", "What the pages take in the store's file.", labels: [])
  package static let storeLookups = FigureFamily.counter(
    "listway_store_lookups_total", "Pages looked up in the store, by outcome.", labels: ["outcome"],
    hidesZeros: false)
  package static let storeWrites = FigureFamily.counter(
    "listway_store_writes_total", "Pages given to the store, by what became of them.", labels: ["outcome"],
    hidesZeros: false)
  package static let storeClaims = FigureFamily.counter(
    "listway_store_claims_total",
    "Pages that one replica was to fetch for all, by whether it was this one.", labels: ["outcome"],
    hidesZeros: false)
  package static let storeEvicted = FigureFamily.counter(
    "listway_store_evicted_total", "Stored pages that made room for others.", labels: [], hidesZeros: false)
  package static let storeSetAside = FigureFamily.counter(
    "listway_store_set_aside_total", "Corrupt files that were set aside.", labels: [], hidesZeros: false)
  package static let storeErrors = FigureFamily.counter(
    "listway_store_errors_total", "What the store could not do: a full disk, a lost connection.", labels: [],
    hidesZeros: false)

  package static let storeFamilies = [
    storeUp, storeConnections, storeWaitingPages, storeWaitingBytes, storePages, storeBytes, storeLookups,
    storeWrites, storeClaims, storeEvicted, storeSetAside,
    storeErrors,
  ]
}
