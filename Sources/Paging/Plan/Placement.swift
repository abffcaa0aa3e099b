package import JSON

/// Where a paging value goes in the request.
package enum Placement: Sendable, Hashable {
  /// A query parameter of this name.
  case query(String)
  /// A field of the form (`application/x-www-form-urlencoded`).
  case form(String)
  /// A place in the JSON content. What is missing on the way there is made; a value that is there is replaced.
  case json(Pointer)
  /// A header field of this name.
  case header(String)
  /// The request's whole path: this text, with `{}` where the value stands.
  case path(String)
}
