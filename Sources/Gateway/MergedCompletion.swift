import Configuration
import EventLoop
import Paging

/// What the items of a merged list's slice are completed with, where their own lists complete them.
struct MergedCompletion {
  /// What stands around an item, by its place in the slice.
  var wrappings: [Int: ItemWrapping] = [:]
  /// What the reader should know, as the envelope spells it, each once.
  var notes: [String] = []

  static let none = MergedCompletion()
}

extension MergedRoute {
  /// The items of one list, and their places in the slice.
  private struct Share {
    let leaf: Int
    let enricher: Enricher
    var places: [Int] = []
    var items: [PlacedItem] = []
  }

  private final class Gathering {
    var completion = MergedCompletion()
    var failure: GatewayError?
    var left: Int

    init(_ count: Int) { left = count }
  }

  /// Completes what is shown, and only that, as the items' own lists would: all lists side by side.
  ///
  /// - Returns: a failure only where a list is not to be had without.
  func complete(
    _ slice: MergedSlice, with arguments: Arguments, for request: Request
  ) async -> Result<MergedCompletion, GatewayError> {
    guard completes else { return .success(.none) }
    let shares = shares(of: slice)
    if shares.isEmpty { return .success(.none) }
    let gathering = Gathering(shares.count)
    await unsafe withUnsafeContinuation { continuation in
      for share in shares {
        loop.start { [self] in
          let result = await share.enricher.complete(
            share.items, with: self.arguments(of: share.leaf, from: arguments), for: request)
          take(result, of: share, into: gathering)
          gathering.left -= 1
          if gathering.left == 0 { unsafe continuation.resume() }
        }
      }
    }
    return gathering.failure.map { .failure($0) } ?? .success(gathering.completion)
  }

  private func shares(of slice: MergedSlice) -> [Share] {
    var shares: [Share] = []
    for (index, pick) in slice.picks.enumerated() {
      guard let enricher = leaves[pick.leaf].list.enricher, let (page, item) = place(of: pick) else {
        continue
      }
      let share =
        shares.firstIndex { $0.leaf == pick.leaf }
        ?? {
          shares.append(Share(leaf: pick.leaf, enricher: enricher))
          return shares.count - 1
        }()
      shares[share].places.append(index)
      shares[share].items.append(PlacedItem(body: page.body, range: page.items[item].range))
    }
    return shares
  }

  private func take(
    _ result: Result<Enricher.Completed, GatewayError>, of share: Share, into gathering: Gathering
  ) {
    switch result {
    case .failure(let error): gathering.failure = gathering.failure ?? error
    case .success(let completed):
      for (place, part) in zip(share.places, completed.parts) {
        gathering.completion.wrappings[place] = part.wrapping
      }
      for note in completed.notes where !gathering.completion.notes.contains(note) {
        gathering.completion.notes.append(note)
      }
    }
  }
}
