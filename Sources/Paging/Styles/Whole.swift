/// A list without paging: one answer holds all of it, and slices are cut from that.
package struct Whole: Sendable, Hashable {
  package init() {}
}

extension Whole: Course {
  var start: Place { .beginning }
  var isLed: Bool { false }
  var ending: Ending { .led }

  func request(at place: Place) -> PageRequest { PageRequest([]) }
  func place(after page: Page, at place: Place, grain: Grain) -> Place? { nil }
  func outlook(_ sighting: Sighting) -> Outlook { Outlook(verdict: .end, enders: .size) }
  func size(at place: Place) -> Int? { nil }
  var isWhole: Bool { true }
  func index(of place: Place, grain: Grain) -> Int? { 0 }
}
