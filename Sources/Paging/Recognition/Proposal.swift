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
  /// Whether the request that was answered asks for the list's first page by this style: then the answer is that page.
  package let startsHere: Bool

  package init(
    style: Style, items: ItemsPlace, says: Says, refusal: Refusal?, confidence: Confidence, isWhole: Bool,
    startsHere: Bool
  ) {
    self.style = style
    self.items = items
    self.says = says
    self.refusal = refusal
    self.confidence = confidence
    self.isWhole = isWhole
    self.startsHere = startsHere
  }

  /// - Parameter declared: what the configuration has, which counts before what was recognised.
  package func plan(_ declared: Declared, shifts: Shifts, limits: Limits) -> WalkPlan {
    WalkPlan(
      style: style, items: declared.items ?? items, says: declared.says.orElse(says),
      refusal: declared.refusal?.completed(by: refusal) ?? refusal, shifts: shifts, limits: limits)
  }
}

/// What is known of a list beforehand, of which the recognition takes the rest.
package struct Declared: Sendable, Hashable {
  package let items: ItemsPlace?
  package let says: Says
  package let refusal: Refusal?

  package init(items: ItemsPlace?, says: Says, refusal: Refusal?) {
    self.items = items
    self.says = says
    self.refusal = refusal
  }

  package static let nothing = Declared(items: nil, says: .nothing, refusal: nil)
}

extension Says {
  /// What this says, and where it does not say, what `other` says.
  fileprivate func orElse(_ other: Says) -> Says {
    Says(
      total: total ?? other.total, pageCount: pageCount ?? other.pageCount, page: page ?? other.page,
      hasMore: hasMore ?? (isLast == nil ? other.hasMore : nil),
      isLast: isLast ?? (hasMore == nil ? other.isLast : nil),
      next: next ?? other.next)
  }
}
