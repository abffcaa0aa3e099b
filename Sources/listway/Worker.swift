import Configuration
import CurlClient
import EventLoop
import Gateway
import MicrohttpdServer
import OpenSSLSealer
import Telemetry

/// Everything that one loop owns: built before its thread starts, and touched by that thread only from then on.
final class Worker {
  let loop: EventLoop
  private let transport: CurlClient
  private let gateway: Gateway
  private let servers: [Server]
  private let watch: NetworkWatch?
  private let store: (any PageStore)?
  private let log: Log
  private var isDraining = false

  init(
    loop: EventLoop, transport: CurlClient, gateway: Gateway, servers: [Server], watch: NetworkWatch?,
    store: (any PageStore)?, log: Log
  ) {
    self.loop = loop
    self.transport = transport
    self.gateway = gateway
    self.servers = servers
    self.watch = watch
    self.store = store
    self.log = log
  }

  /// Takes no new connection, answers what is under way until `deadline`, closes everything, and stops the loop.
  func drain(until deadline: ContinuousClock.Instant) {
    if isDraining { return }
    isDraining = true
    for server in servers { server.stopAccepting() }
    gateway.drain()
    finishWhenIdle(until: deadline)
  }

  private func finishWhenIdle(until deadline: ContinuousClock.Instant) {
    // An answer that has been given, and is still being sent, counts too.
    let underWay = servers.reduce(0) { $0 + $1.figures.underWay }
    guard underWay > 0, ContinuousClock.now < deadline else { return finish(underWay: underWay) }
    loop.schedule(at: .now + .milliseconds(5)) { [self] in finishWhenIdle(until: deadline) }
  }

  private func finish(underWay: Int) {
    if underWay > 0 { log.warn("stopped with requests under way") { $0.field("count", underWay) } }
    for server in servers { server.stop() }
    watch?.stop()
    store?.close()
    transport.shutDown()
    loop.stop()
  }
}
