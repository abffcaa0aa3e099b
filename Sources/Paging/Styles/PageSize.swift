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

extension PageSize {
  /// The part of a request that asks for this many items; nil when nothing does. A size of 0 would ask some upstreams for
  /// everything and others for their default, so it is never sent.
  var part: PageRequest.Part? { value > 0 ? placement.map { .init($0, .number(value)) } : nil }
}
