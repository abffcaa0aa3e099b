/// What may tell whether a page is the last.
struct Sources: OptionSet, Sendable, Hashable {
  let rawValue: UInt8
  static let pageCount = Sources(rawValue: 1)
  static let total = Sources(rawValue: 2)
  static let hasMore = Sources(rawValue: 4)
  static let next = Sources(rawValue: 8)
  /// The number of items on the page, against the page size.
  static let size = Sources(rawValue: 16)
}
