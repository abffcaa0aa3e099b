/// The time that machines are told: monotonic, handed in with every event.
package typealias Instant = ContinuousClock.Instant

extension Duration {
  /// Whole nanoseconds, cut to what fits (292 years).
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflows { return seconds < 0 ? .min : .max }
    let (sum, overflowsToo) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflowsToo ? (seconds < 0 ? .min : .max) : sum
  }
}
