import Configuration
import EventLoop
import Paging

/// Asks the lists of a merged list for what the merge needs, side by side, for one request.
///
/// Confined to a loop.
final class MergedFetch {
  /// What the merge needs at a time, while it comes.
  private final class Round {
    var arrived: [(leaf: Int, result: Result<MergedLeg, GatewayError>)] = []
    var outstanding: Set<Int>
    /// Those that are not waited for any longer once others are there.
    var overdue: Set<Int> = []
    var timers: [Timer] = []
    private var resume: (() -> Void)?

    init(_ leaves: [Int]) { outstanding = Set(leaves) }

    /// - Parameter hasItems: whether other lists' items are known.
    func settle(_ hasItems: Bool) {
      let isAnyHere = hasItems || arrived.contains { if case .success = $0.result { true } else { false } }
      guard outstanding.isEmpty || (isAnyHere && outstanding.isSubset(of: overdue)) else { return }
      let resume = resume
      self.resume = nil
      resume?()
    }

    func wait(_ begin: () -> Void) async {
      await unsafe withUnsafeContinuation { continuation in
        resume = { unsafe continuation.resume() }
        begin()
      }
    }
  }

  private let loop: EventLoop
  private let route: MergedRoute
  let request: Request
  let arguments: Arguments
  private let lanes: [MergedLane]
  /// Why lists are left out.
  private var failures: [GatewayError?]

  init(
    _ request: Request, _ route: MergedRoute, _ arguments: Arguments, from position: MergePosition?,
    now: Int64
  ) throws(GatewayError) {
    loop = route.loop
    self.route = route
    self.request = request
    self.arguments = arguments
    var lanes: [MergedLane] = []
    for leaf in route.leaves.indices {
      lanes.append(
        try MergedLane(
          request, route, leaf: leaf, arguments: arguments, from: position?.leaves[leaf].place ?? .beginning,
          now: now))
    }
    self.lanes = lanes
    failures = Array(repeating: nil, count: lanes.count)
  }

  /// Runs the merge to its end.
  func run(_ merge: inout Merge) async -> Result<MergedSlice, GatewayError> {
    while true {
      switch merge.next() {
      case .finish(let slice): return .success(slice)
      case .fail(let leaf):
        return .failure(
          failures[leaf]
            ?? GatewayError(.internal, .internalFault, detail: "a merge failed without a list's failure"))
      case .fetch(let leaves):
        let round = await fetch(leaves, hasItems: merge.knowsItems)
        for (leaf, result) in round.arrived {
          switch result {
          case .success(let leg): merge.receive(leg, from: leaf)
          case .failure(let error):
            // It is the client's to mend, not a source's to come later.
            if error.code == .invalidRequest { return .failure(error) }
            failures[leaf] = error
            merge.fail(leaf)
          }
        }
        for leaf in leaves where round.outstanding.contains(leaf) {
          lanes[leaf].giveUp()
          failures[leaf] = GatewayError(
            .upstreamTimeout, .serverTimeout, detail: "\(route.leaves[leaf].list.name) took longer than wait")
          merge.fail(leaf)
        }
      }
    }
  }

  private func fetch(_ leaves: [Int], hasItems: Bool) async -> Round {
    let round = Round(leaves)
    if leaves.count == 1, route.leaves[leaves[0]].configuration.wait == nil || !hasItems {
      round.arrived.append((leaves[0], await lanes[leaves[0]].next()))
      round.outstanding = []
      return round
    }
    await round.wait {
      for leaf in leaves {
        if let wait = route.leaves[leaf].configuration.wait {
          round.timers.append(
            loop.schedule(at: .now + wait) {
              round.overdue.insert(leaf)
              round.settle(hasItems)
            })
        }
        lanes[leaf].next { result in
          guard round.outstanding.remove(leaf) != nil else { return }
          round.arrived.append((leaf, result))
          round.settle(hasItems)
        }
      }
    }
    for timer in round.timers { timer.cancel() }
    return round
  }
}
