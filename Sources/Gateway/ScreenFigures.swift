import Telemetry

/// What a screen's requests and its sections came to, as one loop counts them.
struct ScreenFigures {
  private let figures: GatewayFigures
  private let shard: FigureShard
  private let index: Int

  init(_ figures: GatewayFigures, shard: FigureShard, index: Int) {
    self.figures = figures
    self.shard = shard
    self.index = index
  }

  func record(_ code: GatewayError.Code?, duration: Duration) {
    shard.add(1, to: figures.screenRequests[index, RequestStatus.index(of: code)])
    shard.observe(duration, in: figures.screenDurations[index])
  }

  func recordSection(_ code: GatewayError.Code?) {
    shard.add(1, to: figures.screenSections[index, RequestStatus.index(of: code)])
  }
}
