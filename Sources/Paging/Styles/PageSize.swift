/// How many items a page holds.
package struct PageSize: Sendable, Hashable {
  /// Where the number is asked for; nil when it is the upstream's own and merely known.
  package let placement: Placement?
  /// 1 or more.
  package let value: Int

  package init(placement: Placement?, value: Int) {
    self.placement = placement
    self.value = value
  }
}
