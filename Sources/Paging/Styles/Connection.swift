package import JSON

/// A GraphQL connection: `pageInfo.endCursor` goes into a variable while `hasNextPage` is true.
/// - SeeAlso: GraphQL Cursor Connections Specification.
package struct Connection: Sendable, Hashable {
  /// The connection: the object that holds `pageInfo`.
  package let at: Pointer
  /// The variable that takes the cursor, usually `/variables/after`.
  package let after: Placement
  package let size: PageSize?

  package init(at: Pointer, after: Placement, size: PageSize?) {
    self.at = at
    self.after = after
    self.size = size
  }
}

extension Connection: Course {
  var start: Place { .beginning }
  var isLed: Bool { true }
  var ending: Ending { .led }

  func request(at place: Place) -> PageRequest {
    var request = PageRequest(size?.part.map { [$0] } ?? [])
    switch place {
    case .text(let cursor): request.parts.append(.init(after, .text(cursor)))
    case .json(let cursor): request.parts.append(.init(after, .json(cursor)))
    default: break
    }
    return request
  }

  func place(after page: Page, at place: Place, grain: Grain) -> Place? { Place(page.said.next) }
  func outlook(_ sighting: Sighting) -> Outlook { Outlook(linked: sighting) }
  func size(at place: Place) -> Int? { size?.value }
  var next: NextForm { .opaque }
  var ownRefusal: Refusal? { Connection.refusal }

  func completed(_ says: Says) -> Says {
    var says = says
    says.next = says.next ?? pageInfo("endCursor")
    says.hasMore = says.hasMore ?? pageInfo("hasNextPage")
    return says
  }

  private func pageInfo(_ member: String) -> Locator? {
    (try? Pointer(at.text + "/pageInfo/" + member)).map { .body($0) }
  }
}

extension Connection {
  /// `errors` at the top (GraphQL §7.1.2). What data there may be beside them is incomplete.
  fileprivate static let refusal = (try? Pointer("/errors")).map { errors in
    Refusal(
      when: .body(errors), test: .present,
      code: (try? Pointer("/errors/0/extensions/code")).map { .body($0) },
      message: [try? Pointer("/errors/0/message")].compactMap { $0.map { .body($0) } }, cases: [])
  }
}
