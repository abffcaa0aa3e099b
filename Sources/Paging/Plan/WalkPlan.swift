import JSON

/// How a list is walked: everything about its paging that does not change from request to request. Shared by all walks.
package final class WalkPlan: Sendable {
  package let style: Style
  package let items: ItemsPlace
  package let says: Says
  package let refusal: Refusal?
  package let shifts: Shifts
  package let limits: Limits
  let course: any Course
  let readings: Readings
  let judge: Judge?
  /// From an item to its key, for keysets.
  let keyPointer: Pointer?
  /// From an element to its id, where elements are items as a whole, that is all they are told apart by, and nothing else
  /// is read of each.
  let onlyIDPointer: Pointer?
  /// Whether a keyset's key is what identifies an item, so that no two items share one.
  let keysAreIDs: Bool

  package init(
    style: Style, items: ItemsPlace, says: Says, refusal: Refusal?, shifts: Shifts, limits: Limits
  ) {
    self.style = style
    self.items = items
    self.says = says
    self.refusal = refusal
    self.shifts = shifts
    self.limits = limits
    let course = style.course
    self.course = course
    readings = Readings(course.completed(says))
    judge = Judge(refusal.map { $0.completed(by: course.ownRefusal) } ?? course.ownRefusal)
    keyPointer = course.itemKey
    onlyIDPointer =
      if items.each == nil, keyPointer == nil, case .at(let pointers) = items.id, pointers.count == 1 {
        pointers[0]
      } else {
        nil
      }
    keysAreIDs = keyPointer.map { items.id == .at([$0]) } ?? false
  }
}

extension WalkPlan {
  /// Whether walks are to be made with an ``Occasion``.
  package var needsOccasion: Bool { course.needsOccasion }
  /// Whether a page comes once, whatever is asked for, so that no walk can go on within it.
  package var servesOnce: Bool { course.servesOnce }
}
