/// Pages by number.
package struct PageNumber: Sendable, Hashable {
  package let page: Placement
  /// The number of the first page: usually 1 or 0.
  package let first: Int
  /// Whether the first page is asked for without a number (`index.json`, then `page2.json`).
  package let firstIsBare: Bool
  package let size: PageSize?
  package let ending: Ending

  package init(page: Placement, first: Int, firstIsBare: Bool = false, size: PageSize?, ending: Ending) {
    self.page = page
    self.first = first
    self.firstIsBare = firstIsBare
    self.size = size
    self.ending = ending
  }
}

extension PageNumber: Course {
  var start: Place { .page(number: first, size: asked) }
  var isLed: Bool { false }

  func request(at place: Place) -> PageRequest {
    guard case .page(let number, let pageSize) = place else { return PageRequest([]) }
    let isBare = firstIsBare && number == first
    var request = PageRequest(isBare ? [] : [.init(page, .number(number))])
    if pageSize > 0, let placement = size?.placement {
      request.parts.append(.init(placement, .number(pageSize)))
    }
    return request
  }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? {
    guard case .page(let number, let size) = place else { return nil }
    return .page(number: number + 1, size: size)
  }

  func outlook(_ sighting: Sighting) -> Outlook { Outlook(counted: sighting) }

  func size(at place: Place) -> Int? {
    guard case .page(_, let pageSize) = place, pageSize > 0 else { return size?.value }
    return pageSize
  }

  func index(of place: Place, grain: Grain) -> Int? {
    guard case .page(let number, _) = place else { return nil }
    if number == first { return 0 }
    guard let pageSize = itemsBetweenPages(size(at: place), grain) else { return nil }
    return (number - first) * pageSize
  }

  func pageIndex(of place: Place) -> Int? {
    guard case .page(let number, let pageSize) = place, pageSize == asked || pageSize > 0 else { return nil }
    return number - first
  }

  /// The page, and the page size where that is ours to choose, that shows the item at `index` together with as many after
  /// it as can be: with a smaller size, pages begin elsewhere.
  func place(showing index: Int, freely: Bool, grain: Grain) -> Place? {
    guard let usual = itemsBetweenPages(size?.value, grain) else { return nil }
    guard freely, asked > 0, !grain.isFixed else { return .page(number: first + index / usual, size: asked) }
    var best = usual
    var gain = usual - index % usual
    for smaller in stride(from: usual - 1, through: 2, by: -1) {
      // Halving the page costs more requests than it saves, unless nothing else shows the seam at all.
      if smaller < gain || smaller * 2 < usual, gain > 1 { break }
      if smaller - index % smaller > gain {
        best = smaller
        gain = smaller - index % smaller
      }
    }
    return .page(number: first + index / best, size: best)
  }

  /// The size that is sent, 0 when none is.
  private var asked: Int { size?.placement == nil ? 0 : size?.value ?? 0 }

  /// How far apart two pages begin: an upstream may cap the size it is asked for, or pay no regard to it.
  private func itemsBetweenPages(_ asked: Int?, _ grain: Grain) -> Int? {
    guard grain.pageSize > 0 else { return asked }
    if grain.isFixed { return grain.pageSize }
    return min(asked ?? grain.pageSize, grain.pageSize)
  }
}
