/// Pages by a URL, absolute or relative, in the body or a header field. ``Says/next`` tells where it is.
package struct NextURL: Sendable, Hashable {
  package let size: PageSize?
  package let hosts: TrustedHosts
  /// Whether a next URL is asked for by GET although the list's first page is not: it holds all that was in the content.
  package let byGet: Bool
  /// Whether only a query stands there, with or without its question mark (Twitter's `next_results`).
  package let isQuery: Bool

  package init(size: PageSize?, hosts: TrustedHosts, byGet: Bool = false, isQuery: Bool = false) {
    self.size = size
    self.hosts = hosts
    self.byGet = byGet
    self.isQuery = isQuery
  }
}

extension NextURL: Course {
  var start: Place { .beginning }
  var isLed: Bool { true }
  var ending: Ending { .led }

  func request(at place: Place) -> PageRequest {
    var request = PageRequest(target: place, size: size)
    request.isPlainGet = byGet && request.target != nil
    return request
  }
  func place(after page: Page, at place: Place, grain: Grain) -> Place? { Place(page.said.next) }
  func outlook(_ sighting: Sighting) -> Outlook { Outlook(linked: sighting) }
  func size(at place: Place) -> Int? { size?.value }
  var next: NextForm { isQuery ? .query(hosts) : .url(hosts) }
}

extension PageRequest {
  /// The request behind a next URL; at the beginning the list's own. The size is asked for in both: a next URL that
  /// lost it gets it back.
  init(target place: Place, size: PageSize?) {
    self.init(size?.part.map { [$0] } ?? [])
    if case .target(let bytes) = place { target = bytes }
  }
}
