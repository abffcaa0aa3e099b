import Foundation
import TestSupport

/// One way in which an upstream, or the way to it, can be ill; and what clients may then be told.
struct Fault: Sendable {
  /// As the table has it.
  let name: String
  var place = FaultWorld.Place.loopback
  /// Of the upstream, beside the usual ones.
  var keys = Fault.quick
  var isNamed = false
  var isSecure = false
  let begin: @Sendable (FaultWorld) throws -> Void
  /// Before each of the crowds.
  var beforeEach: (@Sendable (FaultWorld) throws -> Void)?
  /// While clients wait for their answers.
  var meanwhile: (@Sendable (FaultWorld) throws -> Void)?
  let end: @Sendable (FaultWorld) throws -> Void
  /// What the first client is told: HTTP status and `header.error`.
  let told: Set<String>
  /// What some of many may be told beside it.
  var others: Set<String> = []
  /// Whether the queue is suspended.
  var suspends = false
  /// Whether it is a matter of chance whether the queue is suspended.
  var mayBeSuspended = false
  var wantsSession = false

  /// Whether there is what it takes.
  var isPossible: Bool {
    switch place {
    case .loopback: !isSecure || Child.isInstalled("/usr/sbin/nginx") && Certificates.areAvailable
    case .behind(.cable): NetworkNamespace.canFilter
    case .behind(.relayed): NetworkNamespace.canRelay
    }
  }

  /// The request's deadline with ``quick``.
  static let deadline = Duration.milliseconds(2_500 * slowness)
  /// How many times slower this machine is now than one that has nothing else to do: deadlines are so much longer, since
  /// what is late for want of processor time would otherwise look like an ill upstream. 1 or more.
  private static let slowness: Int = {
    let whole = try? ContinuousClock().measure {
      let world = try FaultWorld(.loopback, keys: patient)
      defer { world.end() }
      _ = world.ask((0..<512).map { "/v1/lists/items?key=\($0)" })
    }
    // As many are looked at side by side later.
    return max(1, Int(((whole ?? .zero) * FaultMatrixTests.lanes / .seconds(4)).rounded(.up)))
  }()
  static let usual =
    "queue: {concurrent: 16, wait: 300ms}, retries: {base: 10ms}, breaker: {volume: 10, pause: 300ms}"
  static let quick =
    "\(usual), timeout: {connect: \(slowness)s, total: \(2_500 * slowness)ms}, "
    + "reachability: {every: 200ms, timeout: \(slowness)s}"
  /// For what takes its time and must not fail.
  static let patient =
    "queue: {concurrent: 64, wait: 300ms}, timeout: {connect: 10s, total: 30s}, reachability: {every: 500ms, timeout: 10s}"

  static let good = "200"
  static let unreachable = "503 upstream_unreachable"
  static let fault = "502 upstream_fault"
  static let late = "504 upstream_timeout"
  static let limited = "429 rate_limited"
  static let noSession = "502 session_failed"

  static let session =
    "\(quick), session: {request: {method: POST, path: /login, form: {a: b}}, token: /token, "
    + "send: {header: X-Session}, expired: {or: {at: /code, is: 1001}}}"

  private static func ill(
    _ name: String, _ illness: FaultyUpstream.Illness, _ told: Set<String>, others: Set<String> = [],
    suspends: Bool = false
  ) -> Fault {
    Fault(
      name: name, begin: { $0.upstream.set(illness) }, end: { $0.upstream.set(.none) }, told: told,
      others: others, suspends: suspends)
  }

  static let all: [Fault] = ofNetwork + ofConnections + ofAnswers + ofSessions

  // MARK: The network

  static let ofNetwork: [Fault] = [
    Fault(
      name: "black-holed address", place: .behind(.cable), begin: { try $0.namespace?.swallow(true) },
      end: { try $0.namespace?.swallow(false) }, told: [unreachable, late], others: [late], suspends: true),
    Fault(
      name: "link down", place: .behind(.cable),
      begin: { world in
        guard let namespace = world.namespace else { return }
        try namespace.run(["link", "set", "dev", namespace.innerLink, "down"])
      },
      end: { world in
        guard let namespace = world.namespace else { return }
        try namespace.run(["link", "set", "dev", namespace.innerLink, "up"])
      }, told: [unreachable], suspends: true),
    Fault(
      name: "route withdrawn", place: .behind(.cable),
      begin: {
        try $0.namespace?.run(["route", "add", "unreachable", "\($0.namespace?.outerAddress ?? "")/32"])
      },
      end: {
        try $0.namespace?.run(["route", "del", "unreachable", "\($0.namespace?.outerAddress ?? "")/32"])
      },
      told: [unreachable], suspends: true),
    Fault(
      name: "100 % loss", place: .behind(.relayed(.init(delay: .zero, loss: 0))),
      begin: { $0.namespace?.relay?.set(.init(delay: .zero, loss: 100)) },
      end: { $0.namespace?.relay?.set(.init(delay: .zero, loss: 0)) }, told: [unreachable, late],
      others: [late], suspends: true),
    Fault(
      name: "300 ms delay", place: .behind(.relayed(.init(delay: .zero, loss: 0))), keys: patient,
      begin: { $0.namespace?.relay?.set(.init(delay: .milliseconds(150), loss: 0)) },
      end: { $0.namespace?.relay?.set(.init(delay: .zero, loss: 0)) }, told: [good]),
    Fault(
      name: "1 % loss", place: .behind(.relayed(.init(delay: .zero, loss: 0))), keys: patient,
      begin: { $0.namespace?.relay?.set(.init(delay: .zero, loss: 1)) },
      end: { $0.namespace?.relay?.set(.init(delay: .zero, loss: 0)) }, told: [good]),
    Fault(
      name: "name does not resolve", place: .behind(.cable), keys: "\(quick), dns: {age: 0s}", isNamed: true,
      begin: { world in
        world.names?.set(.unknown)
        // What is connected already needs no name.
        world.upstream.stop()
        try world.upstream.start()
      },
      end: { $0.names?.set(.address($0.namespace?.outerAddress ?? "")) }, told: [unreachable], suspends: true),
  ]

  // MARK: Connections

  static let ofConnections: [Fault] = [
    Fault(
      name: "refused port", begin: { $0.upstream.stop() }, end: { try $0.upstream.start() },
      told: [unreachable], suspends: true),
    Fault(
      name: "server restarted", begin: { _ in },
      meanwhile: { world in
        world.upstream.stop()
        usleep(150_000)
        try world.upstream.start()
      }, end: { _ in }, told: [good, unreachable], others: [late], mayBeSuspended: true),
    Fault(
      name: "TLS: certificate expired", isSecure: true, begin: { try $0.startFront("expired") },
      end: { try $0.startFront("good") }, told: [unreachable], suspends: true),
    Fault(
      name: "TLS: another name", isSecure: true, begin: { try $0.startFront("wrong") },
      end: { try $0.startFront("good") }, told: [unreachable], suspends: true),
    ill("reset before the first byte", .resetBefore, [unreachable], suspends: true),
    ill("reset after the first byte", .resetWithin, [fault]),
    ill("half a body, then silence", .halfThenSilence, [late], others: [fault]),
    ill("a byte at a time", .drip(.milliseconds(100)), [late], others: [fault]),
  ]

  // MARK: Answers

  static let ofAnswers: [Fault] = [
    ill("500", .answer(FaultyUpstream.response(500, "oops")), [fault]),
    ill(
      "503 with Retry-After", .answer(FaultyUpstream.response(503, fields: "Retry-After: 2\r\n", "busy")),
      [fault]),
    ill(
      "429 with Retry-After", .answer(FaultyUpstream.response(429, fields: "Retry-After: 2\r\n", "{}")),
      [limited]),
    ill(
      "an HTML page",
      .answer(FaultyUpstream.response(200, type: "text/html", "<html><body>Sorry</body></html>")),
      [fault]),
  ]

  // MARK: Sessions

  static let ofSessions: [Fault] = [
    Fault(
      name: "session expired", keys: session,
      begin: { $0.upstream.wantSession() }, beforeEach: { $0.upstream.forgetSession() }, end: { _ in },
      told: [good], wantsSession: true),
    Fault(
      name: "login refused", keys: session,
      begin: { world in
        world.upstream.wantSession()
        world.upstream.refuseLogins(FaultyUpstream.response(403, "no"))
        world.upstream.forgetSession()
      }, end: { $0.upstream.refuseLogins(nil) }, told: [noSession],
      wantsSession: true),
  ]
}
