import Access
import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Telemetry

/// Fetches the keys that an issuer publishes. One a loop: what they fetch is little, and nothing has to be shared.
final class IssuerKeys {
  /// Between two fetches, whoever asks for unknown keys.
  static let pause = Duration.seconds(30)
  static let timeout = Duration.seconds(5)

  private let url: String
  private let origin: TransportOrigin
  private let transport: any HTTPTransport
  private let loop: EventLoop
  private let log: Log
  private let judge: TokenJudge
  private var schedule: KeySetSchedule
  /// What goes on when the fetch under way has ended.
  private var waiting: [() -> Void] = []
  private var transfer: (any Transfer)?

  init(
    url: String, authorities: String?, refresh: Duration, judge: TokenJudge, transport: any HTTPTransport,
    loop: EventLoop, log: Log
  ) {
    self.url = url
    self.judge = judge
    self.transport = transport
    self.loop = loop
    self.log = log
    schedule = KeySetSchedule(refresh: refresh, pause: min(Self.pause, refresh))
    origin = TransportOrigin(
      use: .requests, version: .automatic, connectTimeout: Self.timeout, bodyLimit: PublicKey.longestSet,
      trustedCertificates: authorities, clientCertificate: nil, clientKey: nil, addressAge: .seconds(60),
      connectionLimit: 2)
  }

  enum Readiness {
    case ready
    /// What was handed over is called when it is.
    case later
    case unavailable(retryAfter: Duration)
  }

  /// Whether a fetch has ever succeeded.
  var hasKeys: Bool { schedule.hasKeys }

  /// A token is to be checked.
  func need(_ then: @escaping () -> Void) -> Readiness { act(on: schedule.need(at: loop.now), then) }

  /// A token names a key that is not there.
  func missKey(_ then: @escaping () -> Void) -> Readiness { act(on: schedule.missKey(at: loop.now), then) }

  private func act(on verdict: KeySetSchedule.Verdict, _ then: @escaping () -> Void) -> Readiness {
    switch verdict {
    case .proceed: return .ready
    case .refresh:
      fetch()
      return .ready
    case .fetch:
      waiting.append(then)
      fetch()
      return .later
    case .wait:
      waiting.append(then)
      return .later
    case .unavailable(let retryAfter): return .unavailable(retryAfter: retryAfter)
    }
  }

  private func fetch() {
    var fields = Fields()
    fields.append(.accept, "application/json")
    let request = TransportRequest(
      method: .get, url: url, fields: fields, content: nil, deadline: .now + Self.timeout, origin: origin)
    transfer = transport.start(request) { [weak self] result in self?.end(result) }
  }

  private func end(_ result: Result<TransportResponse, TransportFailure>) {
    transfer = nil
    let problem = take(result)
    schedule.end(isSuccess: problem == nil, at: loop.now)
    if let problem {
      log.warn("the issuer's keys could not be fetched") { line in
        line.field("url", url)
        line.field("because", problem)
      }
    }
    let ready = waiting
    waiting = []
    for then in ready { then() }
  }

  /// - Returns: what is wrong with the answer; the keys before it stay then.
  private func take(_ result: Result<TransportResponse, TransportFailure>) -> String? {
    switch result {
    case .failure(let failure): return "\(failure.kind.rawValue): \(failure.detail)"
    case .success(let response):
      guard response.status == 200 else { return "status \(response.status)" }
      do throws(PublicKey.SetFailure) {
        let keys = try PublicKey.keys(ofSet: response.body[0..<response.body.count])
        let count = judge.trust(keys)
        log.info("the issuer's keys were fetched") { $0.field("keys", count) }
        return nil
      } catch {
        return error.rawValue
      }
    }
  }
}
