import Configuration
import EventLoop
import Foundation
import HTTPSemantics
import JSON
import OpenSSLSealer
import Synchronization
import Telemetry
import TestSupport
import YAMLReader

@testable import Gateway

/// A gateway on a loop of its own, with a client and an upstream that the test plays.
final class Harness: Sendable {
  typealias Outcome = Result<TransportResponse, TransportFailure>

  private nonisolated(unsafe) let loops: Loops
  private let loop: EventLoop
  private nonisolated(unsafe) let gateway: Gateway
  let upstream: PlayedUpstream
  let process: ProcessState
  let figures: Figures

  /// - Parameters:
  ///   - configuration: YAML.
  ///   - answer: what the upstream answers; nil for nothing yet.
  init(_ configuration: String, answer: @escaping @Sendable (TransportRequest) -> Outcome?) throws {
    let configuration = try ConfigurationFile.load(
      text: Array(configuration.utf8), name: "test", environment: { _ in nil },
      secretFile: { _ in .unreadable("no files here") })
    loops = try Loops(count: 1)
    loop = loops.all[0]
    upstream = PlayedUpstream(loop: loop, answer: answer)
    process = ProcessState(
      version: "1.2.3", configurationName: "test", loops: loops.all,
      upstreamCount: configuration.upstreams.count,
      start: .now, wallClock: { 1_790_000_000 })
    figures = Figures(shardCount: 1)
    let log = Log(level: .error, writer: LogWriter(descriptor: 2, capacity: 100_000), clock: { .now })
    gateway = Gateway(
      configuration: configuration, loop: loop, transport: upstream,
      sealer: try OpenSSLSealer(keys: SealingKeys(secrets: [Array("0123456789abcdef0123456789abcdef".utf8)])),
      random: SeededRandom(seed: 1), process: process,
      figures: GatewayFigures(figures, configuration: configuration), log: log)
    try loops.start()
  }

  deinit { loops.stopAndWait() }

  /// Asks, and waits for the answer.
  func ask(
    _ target: String, _ method: HTTPSemantics.Method = .get, _ fields: [(FieldName, String)] = [],
    listener: Listener = .service, fault: RequestFault? = nil
  ) -> Answered {
    begin(target, method, fields, listener: listener, fault: fault).wait()
  }

  /// Asks, and does not wait.
  func begin(
    _ target: String, _ method: HTTPSemantics.Method = .get, _ fields: [(FieldName, String)] = [],
    listener: Listener = .service, fault: RequestFault? = nil
  ) -> PlayedExchange {
    let exchange = PlayedExchange(
      listener: listener, method: method, target: Array(target.utf8), fields: fields, fault: fault)
    // Sound: the gateway is used on its loop only.
    nonisolated(unsafe) let gateway = gateway
    loop.execute { gateway.handle(exchange) }
    return exchange
  }

  /// Has the client of `exchange` go away, and returns when the gateway has taken note.
  func hangUp(_ exchange: PlayedExchange) {
    let done = DispatchSemaphore(value: 0)
    loop.execute {
      exchange.hangUp()
      done.signal()
    }
    done.wait()
  }
}

/// An answer as a client sees it.
struct Answered: Sendable {
  let status: Int
  let fields: Fields
  let content: [UInt8]

  var text: String { String(decoding: content, as: UTF8.self) }

  /// The envelope; traps when the content is no JSON object.
  var envelope: [String: Any] { try! JSONSerialization.jsonObject(with: Data(content)) as! [String: Any] }
  var header: [String: Any] { envelope["header"] as? [String: Any] ?? [:] }
  var next: String? { header["next"] as? String }
  var warnings: [String] { header["warnings"] as? [String] ?? [] }

  /// The bytes of the items, as they stand in `body`.
  var items: [String] {
    guard let document = try? Parser(maximumDepth: 64).parse(Bytes(copying: content)),
      let body = document.value(named: "body", in: document.root)
    else { return [] }
    return document.elements(of: body).map {
      String(decoding: document.bytes[document.range(of: $0)], as: UTF8.self)
    }
  }
}

/// A client's request. Sendable since everything that changes is behind a lock.
final class PlayedExchange: Exchange, Sendable {
  let listener: Listener
  let method: HTTPSemantics.Method
  let target: [UInt8]
  let content: [UInt8] = []
  let fault: RequestFault?
  let peerAddress = "192.0.2.1"
  private let fields: Fields
  private let answered = DispatchSemaphore(value: 0)

  private struct State {
    var answer: Answered?
    var count = 0
    nonisolated(unsafe) var abandoned: (() -> Void)?
  }
  private let state = Mutex(State())

  init(
    listener: Listener, method: HTTPSemantics.Method, target: [UInt8], fields: [(FieldName, String)],
    fault: RequestFault?
  ) {
    self.listener = listener
    self.method = method
    self.target = target
    self.fault = fault
    var all = Fields()
    for (name, value) in fields { all.append(name, value) }
    self.fields = all
  }

  func field(_ name: FieldName) -> String? { fields.combined(name)?.text }

  func respond(_ response: Response) {
    var content: [UInt8] = []
    for segment in response.content {
      switch segment {
      case .bytes(let bytes): content += bytes
      case .slice(let bytes, let range): content += bytes[range]
      }
    }
    let answer = Answered(status: response.status, fields: response.fields, content: content)
    state.withLock {
      $0.answer = answer
      $0.count += 1
    }
    answered.signal()
  }

  func whenAbandoned(_ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    state.withLock { $0.abandoned = action }
  }

  func hangUp() {
    nonisolated(unsafe) var action: (() -> Void)?
    state.withLock { state in
      action = state.abandoned
      state.abandoned = nil
    }
    action?()
  }

  func wait() -> Answered {
    guard answered.wait(timeout: .now() + 20) == .success, let answer = state.withLock({ $0.answer }) else {
      fatalError("no answer within 20 s")
    }
    return answer
  }

  /// How often it was answered so far.
  var answerCount: Int { state.withLock { $0.count } }
}

/// The upstream, played by a closure. Sound: used on its loop's thread, and what tests read is locked.
final class PlayedUpstream: HTTPTransport, @unchecked Sendable {
  private let loop: EventLoop
  private let answer: @Sendable (TransportRequest) -> Harness.Outcome?
  private let log = Mutex<(requests: [TransportRequest], cancelled: Int)>(([], 0))

  init(loop: EventLoop, answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?) {
    self.loop = loop
    self.answer = answer
  }

  var requests: [TransportRequest] { log.withLock { $0.requests } }
  var urls: [String] { requests.map(\.url) }
  var cancelled: Int { log.withLock { $0.cancelled } }

  func start(_ request: TransportRequest, completion: @escaping (Harness.Outcome) -> Void) -> any Transfer {
    log.withLock { $0.requests.append(request) }
    let transfer = PlayedTransfer(completion: completion) { [self] in log.withLock { $0.cancelled += 1 } }
    if let outcome = answer(request) {
      loop.schedule(at: .now) { transfer.complete(outcome) }
    }
    return transfer
  }
}

private final class PlayedTransfer: Transfer {
  private var completion: ((Harness.Outcome) -> Void)?
  private let note: () -> Void

  init(completion: @escaping (Harness.Outcome) -> Void, note: @escaping () -> Void) {
    self.completion = completion
    self.note = note
  }

  func complete(_ outcome: Harness.Outcome) {
    let completion = self.completion
    self.completion = nil
    completion?(outcome)
  }

  func cancel() {
    guard completion != nil else { return }
    note()
    complete(.failure(TransportFailure(kind: .cancelled, detail: "")))
  }
}

extension Result where Success == TransportResponse, Failure == TransportFailure {
  /// An answer with this body.
  static func body(_ text: String, status: Int = 200, fields: [(FieldName, String)] = []) -> Harness.Outcome {
    bytes(Array(text.utf8), status: status, fields: fields)
  }

  static func bytes(_ body: [UInt8], status: Int = 200, fields: [(FieldName, String)] = []) -> Harness.Outcome
  {
    var all = Fields()
    for (name, value) in fields { all.append(name, value) }
    return .success(
      TransportResponse(status: status, fields: all, body: Bytes(copying: body), redirectedTarget: nil))
  }

  static func failed(_ kind: TransportFailure.Kind) -> Harness.Outcome {
    .failure(TransportFailure(kind: kind, detail: "as the test says"))
  }
}
