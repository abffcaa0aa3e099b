/// A list at the gateway, with the parameters it is asked with. Nothing is asked before something is read.
public struct RemoteList<Item: Sendable>: Sendable {
  let client: ListwayClient
  public let name: String
  public let parameters: [String: String]
  public let limit: Int?
  public let slot: String?
  let decode: @Sendable (RawJSON) throws(ListwayError) -> Item

  /// One slice.
  ///
  /// - Parameters:
  ///   - cursor: ``Slice/next`` of the slice before; nil begins.
  ///   - isRefresh: asks the upstream even where the gateway knows the answer: pull to refresh.
  public func slice(
    after cursor: String? = nil, isRefresh: Bool = false
  ) async throws(ListwayError) -> Slice<Item> {
    var all = parameters
    if let limit { all["limit"] = String(limit) }
    if let cursor { all["cursor"] = cursor }
    let query = ListwayClient.Query(
      path: ["v1", "lists", name], parameters: all, isRefresh: isRefresh, slot: slot)
    return try Slice(try await client.envelope(of: query), decode: decode)
  }

  /// All slices, one after the other, each asked for when it is wanted.
  public var slices: Slices<Item> { Slices(list: self) }

  /// All items. The next slice is asked for ahead, when the row has come that the gateway names.
  public var items: Items<Item> { Items(list: self) }
}

/// The slices of a list, to its end. A slice that failed is thrown, and asked for again by the next `next()`: the position
/// moves on only with a slice that came.
public struct Slices<Item: Sendable>: AsyncSequence {
  public typealias Failure = ListwayError
  let list: RemoteList<Item>

  public func makeAsyncIterator() -> Iterator { Iterator(list: list) }

  public struct Iterator: AsyncIteratorProtocol {
    let list: RemoteList<Item>
    private var cursor: String?
    private var isAtEnd = false

    init(list: RemoteList<Item>) { self.list = list }

    public mutating func next() async throws(ListwayError) -> Slice<Item>? {
      if isAtEnd { return nil }
      let slice = try await list.slice(after: cursor)
      cursor = slice.next
      isAtEnd = slice.next == nil
      return slice
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ListwayError) -> Slice<Item>? {
      try await next()
    }
  }
}
