/// What the next page's request holds beyond what every request of the list holds.
package struct PageRequest: Sendable, Hashable {
  package enum Value: Sendable, Hashable {
    case number(Int)
    /// Plain text, not yet encoded for its place; in JSON a string.
    case text([UInt8])
    /// A JSON value as the upstream spelled it. Outside of JSON it is sent in that spelling.
    case json([UInt8])
  }

  package struct Part: Sendable, Hashable {
    package let placement: Placement
    package let value: Value

    package init(_ placement: Placement, _ value: Value) {
      self.placement = placement
      self.value = value
    }
  }

  /// In the order they are to be placed.
  package var parts: [Part]
  /// A path and query that stand in for the request's own, encoded as they are to be sent. The list's own query
  /// parameters are put back where they are absent from it.
  package var target: [UInt8]?
  /// Whether the list's own query is left out.
  package var goesAlone: Bool
  /// Whether it is a GET without content, whatever the list's own request is.
  package var isPlainGet = false
  /// Whether it is for a later page than the list's first.
  package var follows: Bool
  /// Whether a stored page will not do, because the question is what the list looks like now.
  package var isFresh: Bool
  /// The edition of the list that the walk is in (``Page/edition``); 0 where none is known.
  package var edition: UInt32 = 0

  package init(parts: [Part], target: [UInt8]?, goesAlone: Bool, follows: Bool, isFresh: Bool) {
    self.parts = parts
    self.target = target
    self.goesAlone = goesAlone
    self.follows = follows
    self.isFresh = isFresh
  }

  /// The list's own request, as it is.
  package static let own = PageRequest([])

  /// The list's own request, with these values placed in it.
  init(_ parts: [Part]) {
    self.init(parts: parts, target: nil, goesAlone: false, follows: false, isFresh: false)
  }
}
