/// Pages by a token of the upstream's (AIP-158 `page_token`). ``Says/next`` tells where it is.
///
/// A token may be a string, a number or, placed in JSON, any value. Null, `""`, `0`, `-1`, `false`, `[]`, `{}` and an
/// absent one mean the end.
package struct Token: Sendable, Hashable {
  /// How a token that came is sent back.
  package enum Sending: Sendable, Hashable {
    case at(Placement)
    /// The token is an object: each member is a query parameter (MediaWiki's `continue`).
    case membersInQuery
    /// The token is an object: each member is a form field.
    case membersInForm
  }

  package let sending: Sending
  /// Sent to get the first page (`*`, `-1`); nil when nothing is.
  package let first: String?
  package let size: PageSize?
  /// Whether the token goes without the list's own query (OAI-PMH's `resumptionToken`).
  package let goesAlone: Bool
  /// Whether getting back the token that was sent is this upstream's way of saying the end (Solr's `cursorMark`)
  /// rather than a fault.
  package let endsByRepeating: Bool
  /// Whether a token gives whichever page is next, once, as Elasticsearch's scrolls do. The token may stay the same then, an
  /// empty page is the end, and slices are whole pages, for what is left of a page could not be had again.
  package let servesOnce: Bool

  package init(
    sending: Sending, first: String?, size: PageSize?, goesAlone: Bool, endsByRepeating: Bool,
    servesOnce: Bool = false
  ) {
    self.sending = sending
    self.first = first
    self.size = size
    self.goesAlone = goesAlone
    self.endsByRepeating = endsByRepeating
    self.servesOnce = servesOnce
  }
}

extension Token: Course {
  var start: Place { .beginning }
  var isLed: Bool { true }
  var ending: Ending { .led }

  func request(at place: Place) -> PageRequest {
    var request = PageRequest([])
    switch place {
    case .text(let token): request.parts = parts(.text(token))
    case .json(let token): request.parts = parts(.json(token))
    default: if let first { request.parts = parts(.text(Array(first.utf8))) }
    }
    request.goesAlone = goesAlone && place != .beginning
    if !request.goesAlone, let part = size?.part { request.parts.append(part) }
    return request
  }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? { Place(page.said.next) }

  func outlook(_ sighting: Sighting) -> Outlook {
    if servesOnce, sighting.page.rawCount == 0 { return Outlook(verdict: .end, enders: .size) }
    var outlook = Outlook(linked: sighting)
    // There is always a token then: it promises nothing.
    if servesOnce || endsByRepeating { outlook.isPromised = false }
    return outlook
  }

  func size(at place: Place) -> Int? { size?.value }

  private func parts(_ value: PageRequest.Value) -> [PageRequest.Part] {
    switch sending {
    case .at(let placement): [.init(placement, value)]
    case .membersInQuery: JSONText.members(of: value).map { .init(.query($0.name), $0.value) }
    case .membersInForm: JSONText.members(of: value).map { .init(.form($0.name), $0.value) }
    }
  }
}
