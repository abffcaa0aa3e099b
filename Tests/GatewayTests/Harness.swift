import Compression
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
  /// What stored pages age by.
  let clock = PlayedClock()

  /// - Parameters:
  ///   - configuration: YAML.
  ///   - answer: what the upstream answers; nil for nothing yet.
  convenience init(
    _ configuration: String, answer: @escaping @Sendable (TransportRequest) -> Outcome?
  ) throws {
    try self.init(configuration, store: nil, answer: answer)
  }

  /// - Parameter store: makes the store of the gateway's loop.
  init(
    _ configuration: String, store: ((EventLoop) -> any PageStore)?,
    answer: @escaping @Sendable (TransportRequest) -> Outcome?
  ) throws {
    let configuration = try Self.configuration(configuration)
    loops = try Loops(count: 1)
    loop = loops.all[0]
    upstream = PlayedUpstream(loop: loop, answer: answer)
    process = ProcessState(
      version: "1.2.3", configurationName: "test", loops: loops.all,
      upstreams: configuration.upstreams,
      pages: KnownPages(configuration.cache, clock: clock.read), start: .now, wallClock: { 1_790_000_000 })
    figures = Figures(shardCount: 1)
    let log = Log(level: .error, writer: LogWriter(descriptor: 2, capacity: 100_000), clock: { .now })
    gateway = Gateway(
      configuration: configuration, loop: loop, transport: upstream,
      sealer: try Self.sealer(),
      verifier: OpenSSLVerifier(), random: SeededRandom(seed: 1), process: process,
      figures: GatewayFigures(figures, configuration: configuration), log: log)
    gateway.compression = Compression(configuration.compression, by: Compressor())
    if let store { gateway.use(store(loop), digest: OpenSSLVerifier.sha256) }
    try loops.start()
  }

  static func configuration(_ text: String) throws -> Configuration {
    try ConfigurationFile.load(
      text: Array(text.utf8), name: "test", environment: { _ in nil },
      secretFile: { _ in .unreadable("no files here") })
  }

  /// Seals as every harness does.
  static func sealer() throws -> OpenSSLSealer {
    try OpenSSLSealer(keys: SealingKeys(secrets: [Array("0123456789abcdef0123456789abcdef".utf8)]))
  }

  deinit { loops.stopAndWait() }

  /// Asks, and waits for the answer.
  func ask(
    _ target: String, _ method: HTTPSemantics.Method = .get, _ fields: [(FieldName, String)] = [],
    content: String = "", listener: Listener = .service, fault: RequestFault? = nil
  ) -> Answered {
    begin(target, method, fields, content: content, listener: listener, fault: fault).wait()
  }

  /// Asks, and does not wait.
  func begin(
    _ target: String, _ method: HTTPSemantics.Method = .get, _ fields: [(FieldName, String)] = [],
    content: String = "", listener: Listener = .service, fault: RequestFault? = nil, takesAll: Bool = true
  ) -> PlayedExchange {
    let exchange = PlayedExchange(
      listener: listener, method: method, target: Array(target.utf8), fields: fields,
      content: Array(content.utf8), fault: fault, takesAll: takesAll)
    // Sound: the gateway is used on its loop only.
    nonisolated(unsafe) let gateway = gateway
    loop.execute { gateway.handle(exchange) }
    return exchange
  }

  /// Has the client of `exchange` go away, and returns when the gateway has taken note.
  func hangUp(_ exchange: PlayedExchange) { onLoop { exchange.hangUp() } }

  /// Has the gateway end what it can, as it does before the process stops.
  func drain() {
    process.close()
    // Sound: the gateway is used on its loop only.
    nonisolated(unsafe) let gateway = gateway
    onLoop { gateway.drain() }
  }

  /// Does `work` on the gateway's loop, and returns when it is done.
  func onLoop(_ work: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    loop.execute {
      work()
      done.signal()
    }
    done.wait()
  }
}

/// The time as the test has it: it goes on when it is told to.
final class PlayedClock: Sendable {
  private let start = ContinuousClock.now
  private let ahead = Mutex(Duration.zero)

  func advance(by duration: Duration) { ahead.withLock { $0 += duration } }

  var read: @Sendable () -> ContinuousClock.Instant { { [self] in start + ahead.withLock { $0 } } }
}

/// An answer as a client sees it.
struct Answered: Sendable {
  let status: Int
  let fields: Fields
  let content: [UInt8]
  let closesConnection: Bool

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
  let content: [UInt8]
  let fault: RequestFault?
  let peerAddress = "192.0.2.1"
  private let fields: Fields
  private let answered = DispatchSemaphore(value: 0)
  /// Whether the client takes streamed content as soon as it is written.
  private let takesAll: Bool

  private struct State {
    var answer: Answered?
    var count = 0
    var streamed: PlayedContent?
    nonisolated(unsafe) var abandoned: (() -> Void)?
  }
  private let state = Mutex(State())

  init(
    listener: Listener, method: HTTPSemantics.Method, target: [UInt8], fields: [(FieldName, String)],
    content: [UInt8] = [], fault: RequestFault?, takesAll: Bool
  ) {
    self.content = content
    self.takesAll = takesAll
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
    answer(response, response.content.bytes)
  }

  func respond(streaming head: Response) -> any ContentWriter {
    let status = head.status
    let fields = head.fields
    let content = PlayedContent(takesAll: takesAll) { [weak self] content in
      self?.answer(Response(status: status, fields: fields, content: []), content)
    }
    content.write(head.content)
    state.withLock { $0.streamed = content }
    return content
  }

  /// The content that is being streamed, once it has begun.
  var streamed: PlayedContent? { state.withLock { $0.streamed } }

  private func answer(_ response: Response, _ content: [UInt8]) {
    let answer = Answered(
      status: response.status, fields: response.fields, content: content,
      closesConnection: response.closesConnection)
    state.withLock {
      $0.answer = answer
      $0.count += 1
      $0.abandoned = nil
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
    streamed?.leave()
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

/// Streamed content as a client takes it: all at once, or when the test says so. Sound: what changes is behind a lock.
final class PlayedContent: ContentWriter, Sendable {
  private struct State {
    var taken: [UInt8] = []
    var waiting: [UInt8] = []
    var takesAll = true
    var isGone = false
    nonisolated(unsafe) var action: (() -> Void)?
  }
  private let state: Mutex<State>
  private let done: @Sendable ([UInt8]) -> Void

  init(takesAll: Bool, done: @escaping @Sendable ([UInt8]) -> Void) {
    state = Mutex(State(takesAll: takesAll))
    self.done = done
  }

  func write(_ content: [Response.Segment]) {
    let bytes = content.bytes
    state.withLock { state in
      if state.isGone { return }
      if state.takesAll { state.taken += bytes } else { state.waiting += bytes }
    }
  }

  func whenTaken(_ action: @escaping () -> Void) {
    nonisolated(unsafe) let action = action
    let isAtOnce = state.withLock { state in
      if state.isGone || state.waiting.isEmpty { return true }
      state.action = action
      return false
    }
    if isAtOnce { action() }
  }

  func finish() {
    done(state.withLock { $0.taken + $0.waiting })
  }

  /// Has the client take what was written. On the loop.
  func take() {
    end { state in
      state.taken += state.waiting
      state.waiting = []
    }
  }

  /// Has the client go away. On the loop.
  func leave() { end { $0.isGone = true } }

  private func end(_ change: (inout sending State) -> Void) {
    nonisolated(unsafe) var action: (() -> Void)?
    state.withLock { state in
      change(&state)
      action = state.action
      state.action = nil
    }
    action?()
  }

  /// The lines that were written, taken or not.
  var lineCount: Int {
    state.withLock { state in [state.taken, state.waiting].reduce(0) { $0 + $1.count { $0 == 10 } } }
  }
}

extension [Response.Segment] {
  var bytes: [UInt8] {
    flatMap { segment in
      switch segment {
      case .bytes(let bytes): bytes
      case .slice(let bytes, let range): bytes[range]
      }
    }
  }
}

/// The upstream, played by a closure. Sound: used on its loop's thread, and what tests read is locked.
final class PlayedUpstream: HTTPTransport, @unchecked Sendable {
  private let loop: EventLoop
  private let answer: @Sendable (TransportRequest) -> Harness.Outcome?
  private let log = Mutex<(requests: [TransportRequest], cancelled: Int, probes: Int)>(([], 0, 0))
  /// Whether probes find it there.
  private let isThere = Atomic<Bool>(true)
  /// Those that were not answered yet; on the loop's thread only.
  private var held: [PlayedTransfer] = []

  init(loop: EventLoop, answer: @escaping @Sendable (TransportRequest) -> Harness.Outcome?) {
    self.loop = loop
    self.answer = answer
  }

  var requests: [TransportRequest] { log.withLock { $0.requests } }
  var urls: [String] { requests.map(\.url) }
  var cancelled: Int { log.withLock { $0.cancelled } }
  var probes: Int { log.withLock { $0.probes } }

  func setThere(_ isThere: Bool) { self.isThere.store(isThere, ordering: .sequentiallyConsistent) }

  /// Answers the oldest requests that were not answered so far.
  func answerHeld(_ count: Int, with outcome: Harness.Outcome) {
    loop.execute { [self] in
      for transfer in held.prefix(count) { transfer.complete(outcome) }
      held.removeFirst(min(count, held.count))
    }
  }

  func start(_ request: TransportRequest, completion: @escaping (Harness.Outcome) -> Void) -> any Transfer {
    if request.origin.use != .requests { return probe(completion) }
    log.withLock { $0.requests.append(request) }
    let transfer = PlayedTransfer(completion: completion) { [self] in log.withLock { $0.cancelled += 1 } }
    if let outcome = answer(request) {
      loop.schedule(at: .now) { transfer.complete(outcome) }
    } else {
      held.append(transfer)
    }
    return transfer
  }

  private func probe(_ completion: @escaping (Harness.Outcome) -> Void) -> any Transfer {
    log.withLock { $0.probes += 1 }
    let transfer = PlayedTransfer(completion: completion) {}
    let isThere = isThere.load(ordering: .sequentiallyConsistent)
    loop.schedule(at: .now) { transfer.complete(isThere ? .body("", status: 0) : .failed(.connect)) }
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
