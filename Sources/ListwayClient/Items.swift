/// The items of a list, to its end, with the next slice asked for ahead.
///
/// A slice that failed is thrown when its first item is wanted, and asked for again by the next `next()`.
public struct Items<Item: Sendable>: AsyncSequence {
  public typealias Failure = ListwayError
  let list: RemoteList<Item>

  public func makeAsyncIterator() -> Iterator { Iterator(list: list) }

  public struct Iterator: AsyncIteratorProtocol {
    private typealias Outcome = Result<Slice<Item>, ListwayError>

    private let list: RemoteList<Item>
    private var slice: Slice<Item>?
    private var row = 0
    private var ahead: Task<Outcome, Never>?

    init(list: RemoteList<Item>) { self.list = list }

    public mutating func next() async throws(ListwayError) -> Item? {
      while true {
        if let slice, row < slice.items.count {
          let item = slice.items[row]
          if let prefetchAt = slice.prefetchAt, row >= prefetchAt { askAhead() }
          row += 1
          return item
        }
        if let slice, slice.next == nil { return nil }
        slice = try await following()
        row = 0
      }
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws(ListwayError) -> Item? {
      try await next()
    }

    private mutating func askAhead() {
      guard ahead == nil, let cursor = slice?.next else { return }
      ahead = Task { [list] in await Self.outcome(of: list, after: cursor) }
    }

    private mutating func following() async throws(ListwayError) -> Slice<Item> {
      guard let task = ahead else { return try await list.slice(after: slice?.next) }
      ahead = nil
      return try await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }.get()
    }

    private static func outcome(of list: RemoteList<Item>, after cursor: String) async -> Outcome {
      do throws(ListwayError) {
        return .success(try await list.slice(after: cursor))
      } catch {
        return .failure(error)
      }
    }
  }
}
