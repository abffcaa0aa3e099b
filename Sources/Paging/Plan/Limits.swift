/// How far a walk goes in vain.
package struct Limits: Sendable, Hashable {
  /// Empty pages stepped over in one slice.
  package let emptyPages: Int
  /// Empty pages stepped over in a row, whatever the slices, before the list is taken to have ended.
  package let emptyRun: Int
  /// Pages asked for in one slice.
  package let pages: Int
  /// Pages looked at, in each direction, for an anchor that is not where it should be.
  package let seamPages: Int
  /// Bytes of the answers that a slice's items lie in, beyond which no further page is asked for: what one client may have
  /// held in memory is this and one answer more.
  package let bytes: Int

  package init(emptyPages: Int, emptyRun: Int, pages: Int, seamPages: Int, bytes: Int) {
    self.emptyPages = emptyPages
    self.emptyRun = emptyRun
    self.pages = pages
    self.seamPages = seamPages
    self.bytes = bytes
  }

  package static let defaults = Limits(
    emptyPages: 5, emptyRun: 100, pages: 100, seamPages: 8, bytes: 32_000_000)
}
