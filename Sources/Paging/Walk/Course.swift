/// What has been learned of an upstream's page size.
struct Grain {
  /// The most items seen on one page, 0 before the first.
  let pageSize: Int
  /// Whether the upstream pays no regard to the size it is asked for.
  let isFixed: Bool
}

/// What the machine asks of a style. One conformance a style, in the style's file.
protocol Course: Sendable {
  /// Where a walk begins.
  var start: Place { get }
  var ending: Ending { get }
  func request(at place: Place) -> PageRequest
  /// The place after `page`; nil when nothing leads there.
  func place(after page: Page, at place: Place, grain: Grain) -> Place?
  func outlook(_ sighting: Sighting) -> Outlook

  /// The size that a page at `place` has by request or by knowledge, if any.
  func size(at place: Place) -> Int?
  /// The list's index of the first item of the page at `place`, where the style counts items.
  func index(of place: Place, grain: Grain) -> Int?
  /// The number of pages before the one at `place`, where the style counts pages.
  func pageIndex(of place: Place) -> Int?
  /// A place whose page shows the item at `index`; nil where the style cannot go where it likes. `freely`: on whatever
  /// page shows most behind it, else on one of the pages that everybody asks for.
  func place(showing index: Int, freely: Bool, grain: Grain) -> Place?
  /// Whether a page can begin with any item.
  var beginsAnywhere: Bool { get }
  /// The place of the page that starts right after an item, where the style goes on from an item's key.
  func place(afterItem index: Int, of page: Page) -> Place?
  /// Whether the upstream leads, so that its next may repeat.
  var isLed: Bool { get }
  /// Whether getting the place back that was sent is this upstream's way of saying the end.
  var endsByRepeating: Bool { get }
  /// Whether a page may start with items of the one before although nothing moved.
  var repeatsItems: Bool { get }
}

extension Course {
  var endsByRepeating: Bool { false }
  var repeatsItems: Bool { false }
  var beginsAnywhere: Bool { false }
  func index(of place: Place, grain: Grain) -> Int? { nil }
  func pageIndex(of place: Place) -> Int? { nil }
  func place(showing index: Int, freely: Bool, grain: Grain) -> Place? { nil }
  func place(afterItem index: Int, of page: Page) -> Place? { nil }
}
