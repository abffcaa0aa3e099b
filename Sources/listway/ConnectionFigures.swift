import Configuration
import Gateway
import MicrohttpdServer
import Telemetry

/// Carries what a loop's servers count over to its shard of the figures, once a turn.
final class ConnectionFigures {
  private let shard: FigureShard
  private let servers: [Server]
  private var published: [ServerFigures]
  private let open: Gauges
  private let accepted: Counters
  private let sentBytes: Counters
  private let slowSenders: Counters
  private let slowReaders: Counters
  private let turnedAway: Counters

  init(_ figures: Figures, shard: FigureShard, servers: [Server]) {
    self.shard = shard
    self.servers = servers
    published = servers.map(\.figures)
    let listeners = [["service", "admin"]]
    open = figures.gauges(FigureNames.connections, listeners)
    accepted = figures.counters(FigureNames.accepted, listeners)
    sentBytes = figures.counters(FigureNames.sentBytes, listeners)
    slowSenders = figures.counters(FigureNames.slowSenders, listeners)
    slowReaders = figures.counters(FigureNames.slowReaders, listeners)
    turnedAway = figures.counters(FigureNames.turnedAway, listeners)
  }

  func publish() {
    for (index, server) in servers.enumerated() {
      let (now, before) = (server.figures, published[index])
      if now == before { continue }
      let label = server.listener == .service ? 0 : 1
      shard.set(open[label], to: now.open)
      shard.add(UInt64(now.accepted - before.accepted), to: accepted[label])
      shard.add(UInt64(now.contentBytesSent - before.contentBytesSent), to: sentBytes[label])
      shard.add(UInt64(now.slowSenders - before.slowSenders), to: slowSenders[label])
      shard.add(UInt64(now.slowReaders - before.slowReaders), to: slowReaders[label])
      shard.add(UInt64(now.turnedAway - before.turnedAway), to: turnedAway[label])
      published[index] = now
    }
  }
}

extension ServerLimits {
  /// A loop's share of what the process allows.
  ///
  /// - Parameter peers: what one address may take, where addresses tell clients apart.
  init(_ limits: Configuration.Limits, loops: Int, peers: PeerLimit?) {
    self.init(
      requestLine: limits.requestLine, headers: limits.headers, content: limits.body,
      connections: max(1, limits.connections / loops),
      peers: peers,
      idleTimeout: limits.idleTimeout, headerTimeout: limits.headerTimeout,
      contentTimeout: limits.headerTimeout, sendTimeout: limits.sendTimeout, sendRate: 1_024)
  }
}
