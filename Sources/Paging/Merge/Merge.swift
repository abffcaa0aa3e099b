// One client request is one merge: it asks for the next items of those lists that order demands, and shows one item after the
// other.
//
//          ┌──── all heads known: the first is shown ────┐
//          ▼                                             │
//   ready ─┬─────────────────────────────────────────────┘
//          ├─ a list's next item is not known ─► fetch ─┬─ its items came ─► ready
//          │                                            └─ it failed: left out from now on ─► ready
//          ├─ full, or all lists at their end ─► finished
//          └─ nothing to be had but from lists that failed ─► finished (short), or failed when nothing was shown

/// The machine that decides which lists to ask for more, and which item comes next.
///
/// A list's place moves past an item only when the item has been shown, or when it is one that was shown already (where items
/// are unique). A list that fails keeps its place, and is left out until the slice is made.
package struct Merge {
  package enum Next {
    /// Lists, by their index among the plan's leaves, that are to be asked for more, side by side. For each of them exactly
    /// one `receive` or `fail` follows, in any order.
    case fetch([Int])
    case finish(MergedSlice)
    /// Nothing can be shown; this list's failure is the reason.
    case fail(Int)
  }

  /// What is known of a list's next items.
  struct Leaf {
    /// nil where its next item is not known, or there is none.
    var leg: (any MergeLeg)?
    /// The first of ``leg`` that has not been shown.
    var index = 0
    /// Of that item.
    var heading: Heading?
    /// Whether it failed in this slice.
    var isOut = false
    /// How often it was asked for more in this slice.
    var fetches = 0
  }

  let plan: MergePlan
  private let limit: Int
  private let pageSize: Int
  private let limits: Limits
  /// The places in it are those before ``Leaf/leg``.
  var position: MergePosition
  var leaves: [Leaf]
  var picks: [MergedSlice.Pick] = []
  var warnings = Warnings()
  private var heldBytes = 0
  /// The lists whose next item has to be known.
  var needs: [Int] = []

  /// - Parameters:
  ///   - position: where to go on; nil is the beginning.
  ///   - limit: the most items in the slice, 1 or more.
  ///   - pageSize: what page counts are counted in, 1 or more.
  package init(
    plan: MergePlan, from position: MergePosition?, limit: Int, pageSize: Int, limits: Limits = .defaults
  ) {
    precondition(limit >= 1 && pageSize >= 1)
    self.plan = plan
    self.limit = limit
    self.pageSize = pageSize
    self.limits = limits
    self.position = position ?? MergePosition(plan)
    leaves = Array(repeating: Leaf(), count: plan.leaves.count)
  }

  /// A merge that goes on where this one finished, with what it knows of the lists' next items. Lists that failed are asked anew.
  package func following(limit: Int) -> Merge {
    var merge = Merge(plan: plan, from: position, limit: limit, pageSize: pageSize, limits: limits)
    merge.leaves = leaves.map { Leaf(leg: $0.leg, index: $0.index, heading: $0.heading) }
    return merge
  }

  /// Where a merge stands that goes on where this one finished, and shows these items.
  ///
  /// - Parameter picks: the first of what it has shown.
  package func position(after picks: ArraySlice<MergedSlice.Pick>) -> MergePosition {
    var merge = following(limit: 1)
    for pick in picks {
      merge.leaves[pick.leaf] = Leaf(
        leg: pick.leg, index: pick.index, heading: pick.leg.heading(of: pick.index))
      merge.show(pick.leaf)
    }
    return merge.standing
  }

  /// Whether there are items to be shown, whatever becomes of what is asked for.
  package var knowsItems: Bool { leaves.contains { $0.leg != nil } }

  var room: Int { limit - picks.count }

  /// What is to be done. After ``Next/finish(_:)`` and ``Next/fail(_:)`` nothing is.
  package mutating func next() -> Next {
    while picks.count < limit {
      needs.removeAll(keepingCapacity: true)
      switch head(ofNode: 0, depth: 0) {
      case .item(let leaf): show(leaf)
      case .ended: return .finish(slice())
      case .out:
        if picks.isEmpty { return .fail(leaves.firstIndex { $0.isOut }!) }
        return .finish(slice())
      case .unknown:
        if let word = exhaustion() {
          warnings.add(word)
          return .finish(slice())
        }
        return .fetch(needs)
      }
    }
    return .finish(slice())
  }

  /// Why no more is asked for; nil where nothing speaks against it.
  private func exhaustion() -> Warnings.Word? {
    if needs.contains(where: { leaves[$0].fetches >= limits.pages }) { return .pagesLimited }
    return heldBytes >= limits.bytes && !picks.isEmpty ? .bytesLimited : nil
  }

  /// Takes a list's next items: some, or none where there are none or where it has still to be asked for more.
  package mutating func receive(_ leg: any MergeLeg, from leaf: Int) {
    precondition(leaves[leaf].leg == nil)
    leaves[leaf].fetches += 1
    heldBytes += leg.byteCount
    warnings.add(leg.warnings)
    position.leaves[leaf].total = leg.total
    if leg.count > 0 {
      leaves[leaf].leg = leg
      leaves[leaf].index = 0
      leaves[leaf].heading = leg.heading(of: 0)
    } else {
      position.leaves[leaf].place = leg.place(after: 0)
    }
  }

  /// Takes the news that a list's next items cannot be had, or not in time.
  package mutating func fail(_ leaf: Int) {
    leaves[leaf].isOut = true
    warnings.add(.sectionFailed, detail: plan.leaves[leaf])
  }

  private func slice() -> MergedSlice {
    let totals = position.leaves.map(\.total)
    let total =
      position.overlaps || totals.contains(nil) ? nil : totals.reduce(0) { $0 + ($1 ?? 0) }
    let standing = standing
    let hasMore = standing.leaves.contains { $0.place != .end }
    return MergedSlice(
      picks: picks, total: total, pageCount: total.map { ($0 + pageSize - 1) / pageSize },
      next: hasMore ? standing : nil, warnings: warnings)
  }

  /// Where it stands, all that has been shown behind it.
  private var standing: MergePosition {
    var standing = position
    for (index, leaf) in leaves.enumerated() {
      if let leg = leaf.leg { standing.leaves[index].place = leg.place(after: leaf.index) }
    }
    return standing
  }
}
