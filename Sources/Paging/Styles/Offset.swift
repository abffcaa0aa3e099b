/// Pages by the number of items before them.
package struct Offset: Sendable, Hashable {
  package let offset: Placement
  /// The offset of the first item: usually 0.
  package let first: Int
  /// Put before the number: `T` for tokens such as `T0`, `T20`.
  package let prefix: String
  package let size: PageSize?
  package let ending: Ending

  package init(offset: Placement, first: Int, prefix: String, size: PageSize?, ending: Ending) {
    self.offset = offset
    self.first = first
    self.prefix = prefix
    self.size = size
    self.ending = ending
  }
}

extension Offset: Course {
  var start: Place { .offset(0) }
  var isLed: Bool { false }
  var beginsAnywhere: Bool { true }

  func request(at place: Place) -> PageRequest {
    guard case .offset(let index) = place else { return PageRequest([]) }
    let value: PageRequest.Value =
      prefix.isEmpty ? .number(first + index) : .text(Array("\(prefix)\(first + index)".utf8))
    var request = PageRequest([.init(offset, value)])
    if let part = size?.part { request.parts.append(part) }
    return request
  }

  /// Advances by what came, since an upstream may cap the size it is asked for; past an empty page, by what was asked.
  func place(after page: Page, at place: Place, grain: Grain) -> Place? {
    guard case .offset(let index) = place else { return nil }
    let step = page.rawCount > 0 ? page.rawCount : max(1, size?.value ?? grain.pageSize)
    return .offset(index + step)
  }

  func outlook(_ sighting: Sighting) -> Outlook { Outlook(counted: sighting) }
  func size(at place: Place) -> Int? { size?.value }

  func index(of place: Place, grain: Grain) -> Int? {
    guard case .offset(let index) = place else { return nil }
    return index
  }

  func place(showing index: Int, freely: Bool, grain: Grain) -> Place? { .offset(index) }
}
