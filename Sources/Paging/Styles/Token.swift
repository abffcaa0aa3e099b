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

  package init(
    sending: Sending, first: String?, size: PageSize?, goesAlone: Bool, endsByRepeating: Bool
  ) {
    self.sending = sending
    self.first = first
    self.size = size
    self.goesAlone = goesAlone
    self.endsByRepeating = endsByRepeating
  }
}
