import Access
import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Resilience
import Telemetry

/// The checks that an orchestrator or a balancer makes, on both listeners.
enum HealthCheck {
  case livez, readyz, healthz

  init?(_ segment: ArraySlice<UInt8>) {
    if segment.equals("livez") {
      self = .livez
    } else if segment.equals("readyz") {
      self = .readyz
    } else if segment.equals("healthz") {
      self = .healthz
    } else {
      return nil
    }
  }

  var route: Route {
    switch self {
    case .livez: .livez
    case .readyz: .readyz
    case .healthz: .healthz
    }
  }
}

/// What only operators see.
enum AdminPage {
  case metrics, status

  init?(_ segment: ArraySlice<UInt8>) {
    if segment.equals("metrics") {
      self = .metrics
    } else if segment.equals("status") {
      self = .status
    } else {
      return nil
    }
  }

  var route: Route {
    switch self {
    case .metrics: .metrics
    case .status: .status
    }
  }
}

/// Answers about Listway itself: the catalogue, health, figures.
final class OperationsHandler {
  /// A loop that has not turned for so long is stuck: it turns once a second when there is nothing to do.
  static let longestTurn = Duration.seconds(5)
  /// The format of `/healthz`.
  private static let healthType = "application/health+json"

  private let configuration: Configuration
  private let process: ProcessState
  private let figures: Figures

  init(configuration: Configuration, process: ProcessState, figures: Figures) {
    self.configuration = configuration
    self.process = process
    self.figures = figures
  }

  // MARK: Health

  func answer(_ check: HealthCheck, for request: Request) -> Response {
    let now = ContinuousClock.now
    let isAlive = process.loops.allSatisfy { $0.sinceLastTurn(at: now) < Self.longestTurn }
    switch check {
    case .livez: return health(isAlive ? "pass" : "fail", isGood: isAlive, for: request) { _ in }
    case .readyz:
      // An upstream that is down does not count: it would take every replica out of service at once.
      let isReady = isAlive && !process.isDraining
      return health(isReady ? "pass" : "fail", isGood: isReady, for: request) { writer in
        if process.isDraining { writer.member("output", "draining") }
      }
    case .healthz:
      let isGood = isAlive && !process.isDraining
      let isWhole = !process.upstreams.contains { control in
        let snapshot = control.snapshot(at: now)
        return snapshot.phase == .down || snapshot.breaker != .closed
      }
      return health(!isGood ? "fail" : isWhole ? "pass" : "warn", isGood: isGood, for: request, writeChecks)
    }
  }

  /// `application/health+json` (draft-inadarei-api-health-check).
  private func health(
    _ status: StaticString, isGood: Bool, for request: Request, _ details: (inout Writer) -> Void
  ) -> Response {
    var writer = Writer(reserving: 256)
    writer.beginObject()
    writer.member("status", status)
    writer.member("serviceId", "listway")
    writer.member("releaseId", process.version)
    details(&writer)
    writer.endObject()
    return Answer.own(isGood ? 200 : 503, Self.healthType, writer.finish(), for: request)
  }

  private func writeChecks(into writer: inout Writer) {
    writer.key("checks")
    writer.beginObject()
    let now = ContinuousClock.now
    for control in process.upstreams {
      let snapshot = control.snapshot(at: now)
      writer.key("upstream:\(control.configuration.name)")
      writer.beginArray()
      writer.beginObject()
      writer.member("componentType", "component")
      switch (snapshot.phase, snapshot.breaker) {
      case (.down, _):
        writer.member("status", "warn")
        writer.member("output", "unreachable, as shown by \(snapshot.reason?.rawValue ?? "nothing")")
      case (_, .open), (_, .halfOpen):
        writer.member("status", "warn")
        writer.member("output", "left alone, for it answers badly")
      case (.unknown, .closed):
        writer.member("status", "pass")
        writer.member("output", "nothing has been asked of it yet")
      case (.up, .closed): writer.member("status", "pass")
      }
      if snapshot.phase != .unknown { writer.member("time", time(of: snapshot.since, at: now)) }
      writer.endObject()
      writer.endArray()
    }
    writer.endObject()
  }

  // MARK: The catalogue

  /// Every list with its parameters and sizes, in an envelope.
  func catalogue(for request: Request) -> Response {
    var writer = Writer(reserving: 1_024)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    writer.member("count", configuration.listCount)
    writer.member("debug", configuration.debug)
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    writer.endArray()
    writer.endObject()
    writer.key("body")
    writer.beginArray()
    for list in configuration.lists { write(list, madeOf: nil, into: &writer) }
    for list in configuration.merged { write(list, madeOf: list.sources, into: &writer) }
    writer.endArray()
    writer.member("message", "ok")
    writer.endObject()
    return Answer.own(200, "application/json", writer.finish(), for: request)
  }

  /// - Parameter sources: the lists that it is made of; nil where it is one of an upstream.
  private func write(
    _ list: some Configuration.ListOffer, madeOf sources: [String]?, into writer: inout Writer
  ) {
    writer.beginObject()
    writer.member("name", list.name)
    writer.member("href", "/v1/lists/\(list.name)")
    writer.member("all", "/v1/lists/\(list.name)/all")
    if let title = list.title { writer.member("title", title) }
    if let description = list.description { writer.member("description", description) }
    writer.member("limit", list.limit)
    writer.member("maxLimit", list.maxLimit)
    writer.member("merged", sources != nil)
    if let sources {
      writer.key("sources")
      writer.beginArray()
      for source in sources { writer.string(source) }
      writer.endArray()
    }
    if list.access.kind != .none { writer.member("access", list.access.kind.rawValue) }
    writer.key("parameters")
    writer.parameters(list.parameters)
    writer.endObject()
  }

  // MARK: Figures

  func answer(_ page: AdminPage, for request: Request) -> Response {
    switch page {
    case .metrics:
      Answer.own(
        200, exposition(for: request).contentType, figures.exposition(exposition(for: request)), for: request)
    case .status: Answer.own(200, "application/json", status(), for: request)
    }
  }

  private func exposition(for request: Request) -> Exposition {
    let accept = request.exchange.field(.accept) ?? ""
    let openMetrics = Accept.weight(
      of: "application/openmetrics-text", family: "application/*", in: accept.utf8Span.span)
    let plain = Accept.weight(of: "text/plain", family: "text/*", in: accept.utf8Span.span)
    return !accept.isEmpty && openMetrics > plain ? .openMetrics : .prometheus
  }

  /// What the figures say at this moment, for people and scripts.
  private func status() -> [UInt8] {
    let now = ContinuousClock.now
    var writer = Writer(reserving: 2_048)
    writer.beginObject()
    writer.member("version", process.version)
    writer.member("configuration", process.configurationName)
    writer.member("started", Timestamp.text(unixSeconds: process.startUnixSeconds))
    writer.member("uptimeSeconds", process.start.duration(to: now).components.seconds)
    writer.member("draining", process.isDraining)
    writer.key("loops")
    writer.beginArray()
    for loop in process.loops {
      let (turns, busy) = loop.figures
      writer.beginObject()
      writer.member("index", loop.index)
      writer.member("turns", turns)
      writer.member("busySeconds", busy.seconds)
      writer.member("sinceLastTurnSeconds", loop.sinceLastTurn(at: now).seconds)
      writer.endObject()
    }
    writer.endArray()
    writer.key("upstreams")
    writer.beginArray()
    for control in process.upstreams { write(control, at: now, into: &writer) }
    writer.endArray()
    if let store = process.store { write(store, into: &writer) }
    writer.key("lists")
    writer.beginArray()
    for list in configuration.lists {
      writer.beginObject()
      writer.member("name", list.name)
      writer.member("upstream", configuration.upstreams[list.upstream].name)
      writer.endObject()
    }
    for list in configuration.merged {
      writer.beginObject()
      writer.member("name", list.name)
      writer.key("sources")
      writer.beginArray()
      for source in list.sources { writer.string(source) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.finish()
  }

  private func write(_ store: ProcessState.KnownStore, into writer: inout Writer) {
    let counters = store.counters
    writer.key("store")
    writer.beginObject()
    writer.member("kind", store.kind)
    writer.member("up", counters.isUp)
    if let connections = counters.connections { writer.member("connections", connections) }
    if let pages = counters.pages { writer.member("pages", pages) }
    if let bytes = counters.bytes { writer.member("bytes", bytes) }
    if let waiting = counters.waiting { writer.member("waiting", waiting.pages) }
    writer.key("lookups")
    writer.beginObject()
    for outcome in StoreCounters.Lookup.allCases {
      writer.key("\(outcome)")
      writer.integer(counters.value(outcome))
    }
    writer.endObject()
    writer.key("writes")
    writer.beginObject()
    for outcome in StoreCounters.Write.allCases {
      writer.key("\(outcome)")
      writer.integer(counters.value(outcome))
    }
    writer.endObject()
    writer.member("errors", counters.errors)
    writer.endObject()
  }

  private func write(_ control: UpstreamControl, at now: ContinuousClock.Instant, into writer: inout Writer) {
    let snapshot = control.snapshot(at: now)
    let state: StaticString =
      switch snapshot.phase {
      case .unknown: "unknown"
      case .up: "reachable"
      case .down: "unreachable"
      }
    writer.beginObject()
    writer.member("name", control.configuration.name)
    writer.member("state", state)
    writer.member("reason", orNull: snapshot.reason?.rawValue)
    writer.member("since", orNull: snapshot.phase == .unknown ? nil : time(of: snapshot.since, at: now))
    if snapshot.phase == .down { writer.member("nextCheckSeconds", snapshot.untilNextCheck.seconds) }
    writer.key("queue")
    writer.beginObject()
    writer.member("underWay", snapshot.underWay)
    writer.member("waiting", snapshot.waiting)
    writer.member("width", snapshot.width)
    writer.member("concurrent", control.configuration.protection.queue.concurrent)
    writer.member("paused", snapshot.isPaused)
    writer.endObject()
    writer.key("breaker")
    writer.beginObject()
    writer.member("state", snapshot.breaker.rawValue)
    writer.member("opened", snapshot.breakerCounts.opened)
    writer.member("rejected", snapshot.breakerCounts.rejected)
    writer.endObject()
    writer.endObject()
  }

  /// The wall clock's time of an instant, as it is known now.
  private func time(of instant: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> String {
    Timestamp.text(unixSeconds: process.unixSeconds() - instant.duration(to: now).components.seconds)
  }
}

extension Duration {
  /// In seconds, as figures are.
  var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}

enum Timestamp {
  /// RFC 3339, UTC.
  static func text(unixSeconds: Int64) -> String {
    var text: [UInt8] = []
    WallTime(unixMilliseconds: unixSeconds * 1_000).append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
