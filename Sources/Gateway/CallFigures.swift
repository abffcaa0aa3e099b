import Telemetry

/// What one call's or one screen's requests came to, as one loop counts them.
struct CallFigures {
  private let requests: Counters
  private let durations: Histograms
  private let shard: FigureShard
  private let index: Int

  /// - Parameter index: the call's, or the screen's.
  init(_ requests: Counters, _ durations: Histograms, shard: FigureShard, index: Int) {
    self.requests = requests
    self.durations = durations
    self.shard = shard
    self.index = index
  }

  func record(_ code: GatewayError.Code?, duration: Duration) {
    shard.add(1, to: requests[index, RequestStatus.index(of: code)])
    shard.observe(duration, in: durations[index])
  }
}
