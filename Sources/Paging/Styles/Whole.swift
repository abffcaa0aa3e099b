/// A list without paging: one answer holds all of it, and slices are cut from that.
package struct Whole: Sendable, Hashable {
  package init() {}
}
