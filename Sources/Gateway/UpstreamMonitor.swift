import Configuration
import EventLoop
import HTTPSemantics
import Resilience

/// Keeps an upstream's time and makes its probes, on one loop for all.
final class UpstreamMonitor {
  private let upstream: Upstream
  private let loop: EventLoop
  private let probeOrigin: TransportOrigin
  private let probeURL: String
  private var timer: Timer?
  private var probe: (any Transfer)?
  /// Where the upstream is, as far as that is known: by its name, or from the last probe.
  private var address: String?
  /// Whether the kernel's last word was that there is no way.
  private var isCutOff = false
  /// The address of ours that the way to it starts from.
  private var local: [UInt8]?

  init(_ upstream: Upstream) {
    self.upstream = upstream
    loop = upstream.loop
    let configuration = upstream.configuration
    let monitoring = configuration.protection.monitoring
    probeOrigin = configuration.origin(
      for: monitoring.probe == .http ? .probes : .connects, connectTimeout: monitoring.settings.timeout,
      connections: 1)
    let path = monitoring.path ?? configuration.url.path
    probeURL = configuration.url.origin + (path.isEmpty ? "/" : path)
    learn(NetworkPath.literal(configuration.url.host))
  }

  /// From now on it is told by the control when to look.
  func attach() {
    // Sound: it is touched on its loop's thread only.
    nonisolated(unsafe) let monitor = self
    upstream.attach(monitor: { [loop] wake in loop.execute { unsafe monitor.arm(at: wake) } })
    act(on: upstream.control.tick(at: loop.now))
  }

  private func arm(at wake: Instant) {
    if let timer, timer.isPending, timer.deadline <= wake { return }
    timer?.cancel()
    timer = loop.schedule(at: wake) { [weak self] in
      guard let self else { return }
      act(on: upstream.control.tick(at: loop.now))
    }
  }

  private func act(on effects: UpstreamControl.Effects) {
    upstream.carryOut(effects)
    if effects.startsProbe { startProbe() }
  }

  private func startProbe() {
    // What is left of one before would speak of the past.
    probe?.cancel()
    let request = TransportRequest(
      method: .get, url: probeURL, fields: Fields(), content: nil,
      deadline: loop.now + upstream.configuration.protection.monitoring.settings.timeout, origin: probeOrigin)
    probe = upstream.transport.start(request) { [weak self] result in self?.probeEnded(result) }
  }

  private func probeEnded(_ result: Result<TransportResponse, TransportFailure>) {
    probe = nil
    switch result {
    case .success(let response):
      learn(response.address)
      upstream.recordProbe(nil)
      act(on: upstream.control.take(.probe(isGood: true), at: loop.now))
    case .failure(let failure):
      if failure.kind == .cancelled { return }
      // An answer that breaks off is an answer.
      let isGood = !failure.kind.isOfNetwork && failure.kind != .timeout
      upstream.recordProbe(isGood ? nil : failure)
      act(on: upstream.control.take(.probe(isGood: isGood), at: loop.now))
    }
  }

  private func learn(_ address: String?) {
    guard let address, address != self.address || local == nil else { return }
    self.address = address
    if case .open(let local) = NetworkPath.state(to: address) { self.local = local }
  }

  /// The kernel's links, addresses or routes have changed.
  func networkChanged() {
    guard let address else { return }
    switch NetworkPath.state(to: address) {
    case .open(let local):
      let isAnother = self.local != nil && local != self.local
      self.local = local
      if isCutOff {
        isCutOff = false
        act(on: upstream.control.take(.found, at: loop.now))
      } else if isAnother {
        act(on: upstream.control.take(.shifted, at: loop.now))
      }
    case .noRoute: cutOff(.route)
    case .linkDown: cutOff(.link)
    }
  }

  /// What a replica has found out.
  func heard(_ notice: ReplicaNotice) {
    guard notice.upstream == upstream.configuration.name else { return }
    switch notice.kind {
    case .change: act(on: upstream.control.take(.shifted, at: loop.now))
    case .pause(let milliseconds):
      let left = Duration.milliseconds(milliseconds)
      act(on: upstream.control.take(.paused(until: loop.now + left), at: loop.now))
    }
  }

  private func cutOff(_ reason: Reachability.Reason) {
    isCutOff = true
    act(on: upstream.control.take(.lost(reason), at: loop.now))
  }
}
