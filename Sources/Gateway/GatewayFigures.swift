package import Configuration
import Resilience
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
  let callRequests: Counters
  let callDurations: Histograms
  let screenRequests: Counters
  let screenDurations: Histograms
  let screenSections: Counters
  let upstreamRequests: Counters
  let upstreamDurations: Histograms
  let upstreamChanges: Counters
  let upstreamProbes: Counters
  let upstreamRefused: Counters
  let upstreamRetries: Counters
  let breakerChanges: Counters
  let logins: Counters

  /// An axis has one value at least: where nothing is configured, one that never counts and so is not shown.
  private static func axis(_ names: [String]) -> [String] { names.isEmpty ? [noList] : names }

  package init(_ figures: Figures, configuration: Configuration) {
    all = figures
    figures.declare(FigureNames.families)
    let lists = configuration.listNames + [GatewayFigures.noList]
    let upstreams = configuration.upstreams.map(\.name)
    requests = figures.counters(
      FigureNames.requests, [lists, RequestStatus.labels, CacheOutcome.allCases.map(\.rawValue)])
    requestDurations = figures.histograms(FigureNames.requestDuration, [lists])
    abandoned = figures.counters(FigureNames.abandoned, [lists])
    streamedItems = figures.counters(FigureNames.streamedItems, [lists])
    let calls = GatewayFigures.axis(configuration.calls.map(\.name))
    callRequests = figures.counters(FigureNames.callRequests, [calls, RequestStatus.labels])
    callDurations = figures.histograms(FigureNames.callDuration, [calls])
    let screens = GatewayFigures.axis(configuration.screens.map(\.name))
    screenRequests = figures.counters(FigureNames.screenRequests, [screens, RequestStatus.labels])
    screenDurations = figures.histograms(FigureNames.screenDuration, [screens])
    screenSections = figures.counters(FigureNames.screenSections, [screens, RequestStatus.labels])
    upstreamRequests = figures.counters(
      FigureNames.upstreamRequests, [upstreams, UpstreamOutcome.allCases.map(\.rawValue)])
    upstreamDurations = figures.histograms(FigureNames.upstreamDuration, [upstreams])
    upstreamChanges = figures.counters(
      FigureNames.upstreamChanges,
      [upstreams, Reachability.Phase.allCases.map(\.rawValue), Reachability.Reason.allCases.map(\.rawValue)])
    upstreamProbes = figures.counters(FigureNames.upstreamProbes, [upstreams, ["failed", "good"]])
    upstreamRefused = figures.counters(
      FigureNames.upstreamRefused, [upstreams, UpstreamControl.Refusal.labels])
    upstreamRetries = figures.counters(FigureNames.upstreamRetries, [upstreams])
    logins = figures.counters(FigureNames.logins, [upstreams, ["failed", "good"]])
    breakerChanges = figures.counters(
      FigureNames.breakerChanges, [upstreams, CircuitBreaker.Phase.allCases.map(\.rawValue)])
  }
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

  func record(_ change: Reachability.Change) {
    guard let phase = Reachability.Phase.allCases.firstIndex(of: change.phase),
      let reason = Reachability.Reason.allCases.firstIndex(of: change.reason)
    else { return }
    shard.add(1, to: figures.upstreamChanges[index, phase, reason])
  }

  func record(_ phase: CircuitBreaker.Phase) {
    guard let phase = CircuitBreaker.Phase.allCases.firstIndex(of: phase) else { return }
    shard.add(1, to: figures.breakerChanges[index, phase])
  }

  func record(_ refusal: UpstreamControl.Refusal) {
    shard.add(1, to: figures.upstreamRefused[index, refusal.label])
  }

  func recordLogin(isGood: Bool) { shard.add(1, to: figures.logins[index, isGood ? 1 : 0]) }

  func recordRetry() { shard.add(1, to: figures.upstreamRetries[index]) }

  func recordProbe(isGood: Bool) { shard.add(1, to: figures.upstreamProbes[index, isGood ? 1 : 0]) }
}

extension UpstreamControl.Refusal {
  static let labels = ["full", "suspended", "limited", "circuit_open", "deadline"]

  /// An index into ``labels``.
  var label: Int {
    switch self {
    case .full: 0
    case .suspended: 1
    case .limited: 2
    case .open: 3
    case .deadline: 4
    }
  }
}
