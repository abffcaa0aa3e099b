/// Pages by the `Link` header field (RFC 8288).
package struct LinkRelation: Sendable, Hashable {
  /// Usually `next`.
  package let relation: String
  package let size: PageSize?
  package let hosts: TrustedHosts

  package init(relation: String, size: PageSize?, hosts: TrustedHosts) {
    self.relation = relation
    self.size = size
    self.hosts = hosts
  }
}

extension LinkRelation: Course {
  var start: Place { .beginning }
  var isLed: Bool { true }
  var ending: Ending { .led }

  func request(at place: Place) -> PageRequest { PageRequest(target: place, size: size) }
  func place(after page: Page, at place: Place, grain: Grain) -> Place? { Place(page.said.next) }
  func outlook(_ sighting: Sighting) -> Outlook { Outlook(linked: sighting) }
  func size(at place: Place) -> Int? { size?.value }
  var next: NextForm { .url(hosts) }

  func completed(_ says: Says) -> Says {
    var says = says
    says.next = says.next ?? .link(relation)
    return says
  }
}
