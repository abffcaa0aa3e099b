package import JSON
package import Paging

extension Configuration {
  /// A one-shot request that clients make at `/v1/calls/NAME`: a detail view, a form to be posted.
  package struct Call: Sendable, Equatable {
    package let name: String
    package let title: String?
    package let description: String?
    /// An index into ``Configuration/upstreams``.
    package let upstream: Int
    /// How clients make it; GET stands for HEAD too.
    package let method: RequestTemplate.Method
    /// In the order of the file; ``Arguments`` and ``Template`` count in this order.
    package let parameters: [Parameter]
    package let request: RequestTemplate
    /// From the upstream's answer to what clients get of it.
    package let body: Pointer
    /// Whether a body that leads nowhere, or none at all, is null rather than a fault.
    package let allowsAbsence: Bool
    /// How the upstream says no inside a successful answer.
    package let refusal: Refusal?
    /// Whether doing it twice does no harm, so that it may be tried again.
    package let isIdempotent: Bool
    /// How long its answers are what; nil where nothing is kept of them. Of calls by GET only.
    package var keeping: Keeping?
    /// Canonical bytes of what its answers depend on beside its parameters.
    package var fingerprint: [UInt8] = []

    package init(
      name: String, title: String?, description: String?, upstream: Int, method: RequestTemplate.Method,
      parameters: [Parameter], request: RequestTemplate, body: Pointer, allowsAbsence: Bool,
      refusal: Refusal?, isIdempotent: Bool
    ) {
      self.name = name
      self.title = title
      self.description = description
      self.upstream = upstream
      self.method = method
      self.parameters = parameters
      self.request = request
      self.body = body
      self.allowsAbsence = allowsAbsence
      self.refusal = refusal
      self.isIdempotent = isIdempotent
    }
  }
}

extension Configuration.Call {
  /// The list of one item as which its answers are kept; nil where they are not.
  package var kept: Configuration.List? {
    guard let keeping else { return nil }
    let place = ItemsPlace(
      at: [body], each: nil, id: .none, shape: .single, order: nil, absence: allowsAbsence ? .empty : .fault,
      allowsEmptyBody: allowsAbsence, format: .json)
    let plan = WalkPlan(
      style: .whole(Whole()), items: place, says: .nothing, refusal: refusal, shifts: .off, limits: .defaults)
    var list = Configuration.List(
      name: "call:\(name)", title: nil, description: nil, upstream: upstream, parameters: parameters,
      request: request, following: nil, plan: plan, recognition: nil, prefetch: .defaults, limit: 1,
      maxLimit: 1,
      fingerprint: fingerprint)
    list.keeping = keeping
    return list
  }
}
