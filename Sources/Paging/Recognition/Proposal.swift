import JSON

/// A way to walk a list, as it was recognised: everything a ``WalkPlan`` holds but what is a matter of policy.
package struct Proposal: Sendable, Hashable {
  package let style: Style
  package let items: ItemsPlace
  package let says: Says
  package let refusal: Refusal?
  /// The least of what its parts have.
  package let confidence: Confidence
  /// Whether the answer holds all there is, so that it does not show how the list would page if it were longer.
  package let isWhole: Bool

  package init(
    style: Style, items: ItemsPlace, says: Says, refusal: Refusal?, confidence: Confidence, isWhole: Bool
  ) {
    self.style = style
    self.items = items
    self.says = says
    self.refusal = refusal
    self.confidence = confidence
    self.isWhole = isWhole
  }

  /// - Parameter declared: the refusal that the configuration has, which counts before the one that was recognised.
  package func plan(refusal declared: Refusal?, shifts: Shifts, limits: Limits) -> WalkPlan {
    WalkPlan(
      style: style, items: items, says: says, refusal: declared ?? refusal, shifts: shifts, limits: limits)
  }
}
