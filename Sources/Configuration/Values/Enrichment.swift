package import JSON
package import Paging

extension Configuration {
  /// What a list's items are completed with: things of another kind, fetched by the ids that the items name.
  package struct Enrichment: Sendable, Equatable {
    /// How the ids of a request are written.
    package enum Form: Sendable, Equatable {
      /// As one text.
      case joined(separator: String)
      /// Each by itself: the name again and again.
      case repeated
      /// As an array in JSON.
      case array
    }

    /// How the answer tells what has which id.
    package enum Identity: Sendable, Hashable {
      /// By the scalar at this pointer.
      case at(Pointer)
      /// By the member name, in an object.
      case key
    }

    /// What stands beside `item`: the name of what is added.
    package let name: String
    /// From an item to the id of what it is completed with.
    package let by: Pointer
    /// An index into ``Configuration/upstreams``.
    package let upstream: Int
    package let request: RequestTemplate
    package let placement: Placement
    package let form: Form
    /// From the answer to what it has: an array, or an object of them.
    package let place: Pointer
    package let id: Identity
    /// How the upstream says no inside a successful answer.
    package let refusal: Refusal?
    /// Ids in one request at most.
    package let batch: Int
    /// How long it is waited for; nil: as long as its upstream may take.
    package let wait: Duration?
    /// Whether a slice fails where it cannot be completed.
    package let isRequired: Bool

    package init(
      name: String, by: Pointer, upstream: Int, request: RequestTemplate, placement: Placement, form: Form,
      place: Pointer, id: Identity, refusal: Refusal?, batch: Int, wait: Duration?, isRequired: Bool
    ) {
      self.name = name
      self.by = by
      self.upstream = upstream
      self.request = request
      self.placement = placement
      self.form = form
      self.place = place
      self.id = id
      self.refusal = refusal
      self.batch = batch
      self.wait = wait
      self.isRequired = isRequired
    }

    package static let defaultBatch = 50
  }
}
