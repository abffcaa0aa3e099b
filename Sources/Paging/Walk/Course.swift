import JSON

/// What has been learned of an upstream's page size.
struct Grain {
  /// The most items seen on one page, 0 before the first.
  let pageSize: Int
  /// Whether the upstream pays no regard to the size it is asked for.
  let isFixed: Bool
}

/// What a style knows of its answers, beside what the list's configuration says.
protocol Dialect: Sendable {
  /// What is said by convention, in places that nobody has to name.
  func completed(_ says: Says) -> Says
  /// What the text is that stands where the next page is named.
  var next: NextForm { get }
  /// From an item to the value that the next page is asked for by.
  var itemKey: Pointer? { get }
  /// Whether one answer holds the list, so that its items are the total.
  var isWhole: Bool { get }
  /// Whether more follows, as the answer's status tells it; nil where that says nothing.
  func hasMore(status: Int, isRanged: Bool) -> Bool?
  /// How an upstream of this style says no, where nothing is configured.
  var ownRefusal: Refusal? { get }
}

/// What a text that names the next page is.
enum NextForm: Sendable {
  /// A token. `0` and `-1` are how some say that there is none.
  case token
  /// A token of which every text may be one.
  case opaque
  /// A URL, absolute or relative.
  case url(TrustedHosts)
  /// A query, with or without its question mark, for the path of the page that it stands on.
  case query(TrustedHosts)
}

/// What the machine asks of a style. One conformance a style, in the style's file.
protocol Course: Dialect {
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
  /// Whether a page comes once, whatever is asked for: what is not taken of it is lost.
  var servesOnce: Bool { get }
  /// How many empty pages in a row are no end, where gaps are usual; nil where they are not.
  func gapLimit(_ limits: Limits) -> Int?
  /// Whether the style depends on the occasion.
  var needsOccasion: Bool { get }
  /// The style as it is on this occasion.
  func bound(to occasion: Occasion) -> any Course
  /// Whether there is no page at all.
  var isVoid: Bool { get }
}

extension Dialect {
  func completed(_ says: Says) -> Says { says }
  var next: NextForm { .token }
  var itemKey: Pointer? { nil }
  var isWhole: Bool { false }
  func hasMore(status: Int, isRanged: Bool) -> Bool? { nil }
  var ownRefusal: Refusal? { nil }
}

extension Course {
  var endsByRepeating: Bool { false }
  var repeatsItems: Bool { false }
  var servesOnce: Bool { false }
  func gapLimit(_ limits: Limits) -> Int? { nil }
  var needsOccasion: Bool { false }
  func bound(to occasion: Occasion) -> any Course { self }
  var isVoid: Bool { false }
  var beginsAnywhere: Bool { false }
  func index(of place: Place, grain: Grain) -> Int? { nil }
  func pageIndex(of place: Place) -> Int? { nil }
  func place(showing index: Int, freely: Bool, grain: Grain) -> Place? { nil }
  func place(afterItem index: Int, of page: Page) -> Place? { nil }
}
