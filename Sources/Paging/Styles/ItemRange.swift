/// Pages by a `Range` header field in a unit of items; `Content-Range` gives the total.
package struct ItemRange: Sendable, Hashable {
  /// The request field: usually `Range`.
  package let field: String
  /// The unit before the `=`, such as `items`; empty when the field holds the bare range.
  package let unit: String
  /// Items to a page, 1 or more.
  package let size: Int
  package let ending: Ending

  package init(field: String, unit: String, size: Int, ending: Ending) {
    self.field = field
    self.unit = unit
    self.size = size
    self.ending = ending
  }
}

extension ItemRange: Course {
  var start: Place { .offset(0) }
  var isLed: Bool { false }
  var beginsAnywhere: Bool { true }

  func request(at place: Place) -> PageRequest {
    guard case .offset(let index) = place else { return PageRequest([]) }
    let range = "\(unit)\(unit.isEmpty ? "" : "=")\(index)-\(index + size - 1)"
    return PageRequest([.init(.header(field), .text(Array(range.utf8)))])
  }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? {
    guard case .offset(let index) = place else { return nil }
    return .offset(index + (page.rawCount > 0 ? page.rawCount : size))
  }

  func outlook(_ sighting: Sighting) -> Outlook { Outlook(counted: sighting) }
  func size(at place: Place) -> Int? { size }

  /// Without a total of its own, the one that `Content-Range` gives.
  func completed(_ says: Says) -> Says {
    var says = says
    says.total = says.total ?? .header("Content-Range")
    return says
  }

  /// A server that pays no regard to a range answers 200 with everything (RFC 9110 §14.2).
  func hasMore(status: Int, isRanged: Bool) -> Bool? { status == 200 && !isRanged ? false : nil }

  func index(of place: Place, grain: Grain) -> Int? {
    guard case .offset(let index) = place else { return nil }
    return index
  }

  func place(showing index: Int, freely: Bool, grain: Grain) -> Place? { .offset(index) }
}
