import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging

/// Serves whole lists: their items a line each, one page after another as fast as the client takes them, and a last line
/// that tells how it went and where to go on.
final class WholeHandler {
  /// How a stream ended, or why there is none.
  enum End {
    /// Before its first line: nothing has been answered.
    case refused(GatewayError)
    /// The client went away.
    case abandoned
    /// The last line was written; `failure` is what it tells.
    case finished(Stream, failure: GatewayError?)
  }

  /// What has been streamed.
  struct Stream {
    let status: Int
    /// From the request's arrival to the head of its answer.
    let wait: Duration
    var byteCount = 0
    var count = 0
    var isComplete = false
  }

  private let loop: EventLoop
  private let cursors: Cursors
  private let process: ProcessState
  private let allowsDebug: Bool
  /// Bytes of the longest request line that clients may send.
  private let requestLine: Int
  /// What is under way upstream for the streams that have begun.
  private var works: [ObjectIdentifier: Work] = [:]

  init(
    loop: EventLoop, cursors: Cursors, process: ProcessState, allowsDebug: Bool, requestLine: Int
  ) {
    self.loop = loop
    self.cursors = cursors
    self.process = process
    self.allowsDebug = allowsDebug
    self.requestLine = requestLine
  }

  /// The process is about to stop: every stream ends with what it has.
  func drain() {
    for work in works.values { work.stop() }
  }

  /// A walk through all of a list, from the request's cursor on.
  ///
  /// - Parameter keepsPlaces: whether it can tell where to go on within a leg.
  /// - Throws: what is wrong with the request itself.
  func walk(
    _ request: Request, _ list: ServedList, target: Target, keepsPlaces: Bool
  ) throws(GatewayError) -> WholeWalk {
    switch list.kind {
    case .plain(let list): try walk(request, list, target: target, keepsPlaces: keepsPlaces)
    case .merged(let list): try list.wholeWalk(request, target, cursors, allowingDebug: allowsDebug)
    }
  }

  private func walk(
    _ request: Request, _ list: ListRoute, target: Target, keepsPlaces: Bool
  ) throws(GatewayError) -> WholeWalk {
    let asked = try ListRequest(
      target, of: list.configuration, .whole, by: request.principal, allowingDebug: allowsDebug)
    request.isDebug = asked.isDebug
    try list.source.identify(request, with: asked.arguments)
    let binding = list.binding(of: asked.arguments, request.scope)
    let recognised = RecognisedPlan(list.configuration)
    let position = try asked.cursor.map { cursor throws(GatewayError) in
      try cursors.open(cursor, binding: binding, by: recognised)
    }
    let legs = LegWalk(
      request, list, asked.arguments, from: position, by: recognised, keepsPlaces: keepsPlaces,
      enricher: list.enricher, now: cursors.now)
    return WholeWalk(
      request, PlainLegs(legs), limit: asked.limit, from: position.map(legs.payload),
      startCursor: asked.cursor,
      servedBefore: position?.served ?? 0,
      cursors: cursors, binding: binding)
  }

  /// Begins to serve; `completion` is called on the loop, now or later, exactly once.
  ///
  /// - Throws: what is wrong with the request itself.
  func serve(
    _ request: Request, _ list: ServedList, target: Target, completion: @escaping (End) -> Void
  ) throws(GatewayError) {
    let walk = try walk(request, list, target: target, keepsPlaces: false)
    request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
    loop.start { [self] in completion(await run(walk, request, list)) }
  }

  private func run(_ walk: WholeWalk, _ request: Request, _ list: ServedList) async -> End {
    // The first page decides what the answer is.
    var step: WholeWalk.Step? = await walk.next()
    if request.work.isAbandoned { return .abandoned }
    if case .failed(let error) = step { return .refused(error) }
    // Not to be had any more once the answer has begun.
    let language = request.language
    let head = Answer.stream(for: request, at: process.pages.now)
    var stream = Stream(status: head.status, wait: request.arrival.duration(to: .now))
    let content = request.exchange.respond(streaming: head)
    if request.exchange.method == .head {
      content.finish()
      return .finished(stream, failure: nil)
    }
    works[ObjectIdentifier(request)] = request.work
    defer { works[ObjectIdentifier(request)] = nil }
    while write(&step, to: content, &stream) {
      await taken(content)
      if request.work.isAbandoned { return .abandoned }
      if process.isClosing { break }
      step = await walk.next()
      if request.work.isAbandoned { return .abandoned }
    }
    var failure = failure(step, walk)
    var next = failure == nil && walk.isComplete ? nil : walk.cursor
    if let cursor = next,
      let error = GatewayError.tooLong(
        cursor, inPlaceOf: walk.startCursor, in: request, requestLine: requestLine)
    {
      failure = failure ?? error
      next = nil
    }
    stream.isComplete = failure == nil && walk.isComplete
    let outcome = Envelope.outcome(of: walk, next: next, failure, of: list, for: request, in: language)
    stream.byteCount += outcome.count
    content.write([.bytes(outcome)])
    content.finish()
    return .finished(stream, failure: failure)
  }

  /// Writes the items that the walk came by, and lets go of them: they are to be held once.
  ///
  /// - Returns: whether there were any.
  private func write(_ step: inout WholeWalk.Step?, to content: any ContentWriter, _ stream: inout Stream)
    -> Bool
  {
    guard case .items(let leg) = step else { return false }
    step = nil
    content.write([.bytes(leg.lines)])
    stream.byteCount += leg.lines.count
    stream.count += leg.count
    return true
  }

  private func taken(_ content: any ContentWriter) async {
    await unsafe withUnsafeContinuation { continuation in
      content.whenTaken { unsafe continuation.resume() }
    }
  }

  /// What the last line has to tell; nil when all came that was wanted.
  private func failure(_ step: WholeWalk.Step?, _ walk: WholeWalk) -> GatewayError? {
    if walk.isDone { return nil }
    if process.isClosing {
      let error = GatewayError(.overloaded, .stopping, detail: "the process is about to stop")
      // Another replica may take it at once.
      error.retryAfter = 1
      return error
    }
    guard case .failed(let error) = step else { return nil }
    return error
  }
}
