package import Configuration
package import Telemetry

/// The series that a configuration brings along, looked up once; every loop counts into its own shard of them.
package final class GatewayFigures: Sendable {
  /// The value of the `list` label for requests that are not for a list.
  package static let noList = "none"

  package let all: Figures
  /// By list (the last one is ``noList``), status and cache outcome.
  let requests: Counters
  let requestDurations: Histograms
  let abandoned: Counters
  let streamedItems: Counters
  let upstreamRequests: Counters
  let upstreamDurations: Histograms

  package init(_ figures: Figures, configuration: Configuration) {
    all = figures
    figures.declare(FigureNames.families)
    let lists = configuration.lists.map(\.name) + [GatewayFigures.noList]
    let upstreams = configuration.upstreams.map(\.name)
    requests = figures.counters(
      FigureNames.requests, [lists, RequestStatus.labels, CacheOutcome.allCases.map(\.rawValue)])
    requestDurations = figures.histograms(FigureNames.requestDuration, [lists])
    abandoned = figures.counters(FigureNames.abandoned, [lists])
    streamedItems = figures.counters(FigureNames.streamedItems, [lists])
    upstreamRequests = figures.counters(
      FigureNames.upstreamRequests, [upstreams, UpstreamOutcome.allCases.map(\.rawValue)])
    upstreamDurations = figures.histograms(FigureNames.upstreamDuration, [upstreams])
  }
}

/// What the cache did for a request, as a label.
enum CacheOutcome: String, CaseIterable {
  /// The answer came from the upstream.
  case miss
  /// The cache had no part in it.
  case none

  var index: Int { self == .miss ? 0 : 1 }
}

/// How a request ended, as a label: `ok`, or the code of its failure.
enum RequestStatus {
  static let labels = ["ok"] + GatewayError.Code.allCases.map(\.rawValue)

  private static let indices = Dictionary(
    uniqueKeysWithValues: GatewayError.Code.allCases.enumerated().map { ($1, $0 + 1) })

  static func index(of code: GatewayError.Code?) -> Int { code.flatMap { indices[$0] } ?? 0 }
}

/// How a request to an upstream ended, as a label.
enum UpstreamOutcome: String, CaseIterable {
  case ok
  case unreachable
  case timeout
  case fault
  case shape
  case refused
  case cancelled

  init(_ code: GatewayError.Code) {
    switch code {
    case .upstreamUnreachable: self = .unreachable
    case .upstreamTimeout: self = .timeout
    case .upstreamFault: self = .fault
    case .upstreamShape: self = .shape
    case .internal: self = .cancelled
    default: self = .refused
    }
  }

  static let indices = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}

/// One list's figures, as one loop counts them.
struct ListFigures {
  private let figures: GatewayFigures
  private let shard: FigureShard
  private let index: Int

  /// - Parameter index: the list's, or the number of lists for what is no list's.
  init(_ figures: GatewayFigures, shard: FigureShard, index: Int) {
    self.figures = figures
    self.shard = shard
    self.index = index
  }

  func record(_ code: GatewayError.Code?, _ cache: CacheOutcome, duration: Duration) {
    shard.add(1, to: figures.requests[index, RequestStatus.index(of: code), cache.index])
    shard.observe(duration, in: figures.requestDurations[index])
  }

  func recordStreamed(_ count: Int) { shard.add(UInt64(count), to: figures.streamedItems[index]) }

  func recordAbandoned() { shard.add(1, to: figures.abandoned[index]) }
}

/// One upstream's figures, as one loop counts them.
struct UpstreamFigures {
  private let figures: GatewayFigures
  private let shard: FigureShard
  private let index: Int

  init(_ figures: GatewayFigures, shard: FigureShard, index: Int) {
    self.figures = figures
    self.shard = shard
    self.index = index
  }

  func record(_ outcome: UpstreamOutcome, duration: Duration) {
    shard.add(1, to: figures.upstreamRequests[index, UpstreamOutcome.indices[outcome] ?? 0])
    shard.observe(duration, in: figures.upstreamDurations[index])
  }
}
