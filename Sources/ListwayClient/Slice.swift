/// What one request to a list gives: some of its items, and what is known of the whole.
public struct Slice<Item: Sendable>: Sendable {
  public let items: [Item]
  /// Of the whole list, as its upstream says; nil where it does not.
  public let total: Int?
  public let pageCount: Int?
  /// Where the list goes on; nil at its end. Opaque, good for any replica of the gateway until it expires.
  public let next: String?
  /// The row of this slice at which to ask for the next one; nil at the end.
  public let prefetchAt: Int?
  /// Whether this is what was last known, since the upstream could not be asked.
  public let isStale: Bool
  /// Seconds since the upstream was asked.
  public let age: Int
  /// Short words with counts, such as `list_shifted` and `duplicates_dropped:2`.
  public let warnings: [String]
  public let requestID: String
  /// What the gateway's cache did for it (RFC 9211): `listway; hit`, `listway; fwd=miss`.
  public let cacheStatus: String?

  public var hasMore: Bool { next != nil }

  init(_ envelope: Envelope, decode: (RawJSON) throws(ListwayError) -> Item) throws(ListwayError) {
    var scanner = JSONScanner(envelope.body.data)
    let elements: [RawJSON]
    do throws(JSONScanner.Failure) {
      elements = try scanner.array()
    } catch {
      throw .notAnEnvelope(httpStatus: 200, detail: "body is not an array (byte \(error.offset))")
    }
    var items: [Item] = []
    items.reserveCapacity(elements.count)
    for element in elements { items.append(try decode(element)) }
    self.items = items
    let header = envelope.header
    total = header.total
    pageCount = header.pageCount
    next = header.next
    prefetchAt = header.prefetchAt
    isStale = header.stale ?? false
    age = header.age ?? 0
    warnings = header.warnings ?? []
    requestID = header.requestId ?? ""
    cacheStatus = envelope.fields["cache-status"]
  }
}
