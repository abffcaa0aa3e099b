public import Observation

/// An endless scrolling list for a screen: the rows so far, and what to show below them.
///
/// It does what hand-written paging gets wrong: one load at a time, the position moves on only with rows that came, a
/// refresh takes the place of the rows when it has come and not before, and rows of an earlier list never come under a
/// later one.
@MainActor @Observable
public final class ListFeed<Item: Sendable> {
  public enum State: Sendable, Hashable {
    /// Nothing is under way; more can be had.
    case idle
    case loading
    case refreshing
    /// The last load failed; ``ListFeed/retry()`` asks again. The rows so far stay.
    case failed(ListwayError)
    /// All rows are there. Without rows the list is empty.
    case ended
  }

  public private(set) var items: [Item] = []
  public private(set) var state = State.idle
  /// Of the whole list, where it is known.
  public private(set) var total: Int?
  /// Whether what is shown is what was last known, and how old it is in seconds.
  public private(set) var isStale = false
  public private(set) var age = 0
  public private(set) var list: RemoteList<Item>

  @ObservationIgnored private var cursor: String?
  /// The row at which the next slice is asked for.
  @ObservationIgnored private var prefetchAt = 0
  @ObservationIgnored private var task: Task<Void, Never>?
  /// Counts what was begun: what an earlier one brings is not shown any more.
  @ObservationIgnored private var generation = 0

  public init(_ list: RemoteList<Item>) { self.list = list }

  /// To be told of each row that is shown: asks for more when the time has come. Row 0 of an empty list begins it.
  public func show(row: Int) {
    if state == .idle, row >= prefetchAt { load() }
  }

  /// Asks again after a failure.
  public func retry() {
    if case .failed = state { load() }
  }

  /// Asks the upstream anew, from the top. The rows stay until the new ones have come, and where they do not come.
  public func refresh() async {
    let task = begin(.refreshing, after: nil, isRefresh: true)
    await task.value
  }

  /// Another list, or other parameters, in the same place: the rows go at once.
  public func change(to list: RemoteList<Item>) {
    self.list = list
    items = []
    total = nil
    isStale = false
    age = 0
    cursor = nil
    prefetchAt = 0
    _ = begin(.loading, after: nil, isRefresh: false)
  }

  private func load() { _ = begin(.loading, after: cursor, isRefresh: false) }

  private func begin(_ state: State, after cursor: String?, isRefresh: Bool) -> Task<Void, Never> {
    task?.cancel()
    generation += 1
    self.state = state
    let (generation, list) = (generation, list)
    let task = Task {
      do throws(ListwayError) {
        let slice = try await list.slice(after: cursor, isRefresh: isRefresh)
        receive(slice, of: generation, isFirst: cursor == nil)
      } catch {
        fail(error, of: generation)
      }
    }
    self.task = task
    return task
  }

  private func receive(_ slice: Slice<Item>, of generation: Int, isFirst: Bool) {
    guard generation == self.generation else { return }
    if isFirst { items = [] }
    prefetchAt = items.count + (slice.prefetchAt ?? slice.items.count)
    items += slice.items
    total = slice.total
    isStale = slice.isStale
    age = slice.age
    cursor = slice.next
    state = slice.hasMore ? .idle : .ended
    // A short slice may have had no row at which to ask on.
    if slice.hasMore, slice.items.isEmpty { load() }
  }

  private func fail(_ error: ListwayError, of generation: Int) {
    guard generation == self.generation else { return }
    if error.endsWalk { cursor = nil }
    state = .failed(error)
  }
}
