/// What a list pays for items that arrive or leave while it is walked.
package enum Shifts: UInt8, Sendable, Hashable, CaseIterable {
  /// Every seam between two pages is proven: one page shows the last item served and the one after it.
  case exact = 0
  /// A seam is proven where something says that the list moved: a total that changed, an overlap, a missing anchor.
  case watch = 1
  /// Never looked for.
  case off = 2
}
