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

  package init(emptyPages: Int, emptyRun: Int, pages: Int, seamPages: Int) {
    self.emptyPages = emptyPages
    self.emptyRun = emptyRun
    self.pages = pages
    self.seamPages = seamPages
  }

  package static let defaults = Limits(emptyPages: 5, emptyRun: 100, pages: 100, seamPages: 8)
}
