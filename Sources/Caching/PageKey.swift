/// What a stored page is known by: its list, its series (the list's arguments and the client's scope, as bytes) and which
/// page of that series it is.
///
/// Two keys are equal only when all their bytes are: a hash that collides costs a comparison, and never shows one client
/// another's page. The hash is keyed by the process, so that nobody can choose arguments that all collide.
package struct PageKey: Sendable, Hashable {
  /// The list's number in the configuration.
  package let list: UInt32
  /// The series, then the page within it.
  package let bytes: [UInt8]
  /// How many of ``bytes`` are the series.
  package let seriesCount: Int
  package let hash: UInt64

  package init(list: UInt32, series: [UInt8], page: [UInt8]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(series.count + page.count)
    bytes += series
    bytes += page
    var hasher = Hasher()
    hasher.combine(list)
    hasher.combine(series.count)
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    self.init(
      list: list, bytes: bytes, seriesCount: series.count,
      hash: UInt64(truncatingIfNeeded: hasher.finalize()))
  }

  init(list: UInt32, bytes: [UInt8], seriesCount: Int, hash: UInt64) {
    self.list = list
    self.bytes = bytes
    self.seriesCount = seriesCount
    self.hash = hash
  }

  package var series: ArraySlice<UInt8> { bytes[..<seriesCount] }

  package static func == (left: PageKey, right: PageKey) -> Bool {
    left.hash == right.hash && left.list == right.list && left.seriesCount == right.seriesCount
      && left.bytes == right.bytes
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
