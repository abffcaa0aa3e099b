import Access
package import Configuration
package import EventLoop
import HTTPSemantics
import JSON
import Resilience
package import Telemetry

/// The gateway as one loop runs it. A request flows from top to bottom:
///
/// 1. `handle`: it gets its id and its clock; what could not be taken whole is refused.
/// 2. `route`: the target is decoded once; path and method choose who serves it. `identify` has found out who the client is,
///    where there are credentials, and `admit` whether it may ask.
/// 3. `ListHandler`: parameters are checked, the cursor is opened.
///    `WholeHandler` does so for all of a list, a page at a time, as fast as the client takes it. `CallHandler` has one
///    request made, and goes on at 7; `ScreenHandler` has these serve its sections side by side.
/// 4. `Walk` (pure): decides which upstream page is needed next, until the slice is full.
/// 5. `PageSource`: looks the page up (`KnownPages`); where it has to be asked for, a `PageFlight` renders its request, has it
///    sent, judges the answer, and normalises it, for everybody who waits for it. `UpstreamCall` gets it a session, its turn
///    at the gate, and another attempt where that helps.
/// 6. `ListHandler`: seals where the walk stands as the next cursor.
/// 7. `Answer` and `Envelope`: the response, the items' bytes where they lie.
/// 8. `finish`: the answer is given, counted, and written down.
package final class Gateway: RequestHandler {
  let loop: EventLoop
  private let configuration: Configuration
  let process: ProcessState
  private let log: Log
  /// For what is no list's.
  private let figures: ListFigures
  /// Lists of an upstream's own, in the configuration's order.
  let plain: [ListRoute]
  private let lists: [ServedList]
  private let listHandler: ListHandler
  private let wholeHandler: WholeHandler
  private let calls: [CallRoute]
  private let callHandler: CallHandler
  private let screens: [ScreenRoute]
  private let screenHandler: ScreenHandler
  private let operations: OperationsHandler
  private let purging: PurgeHandler
  let access: AccessControl?
  private let crossOrigin: CORS?
  private var memos: SliceMemos
  let monitors: [UpstreamMonitor]
  let upstreams: [Upstream]
  let sealer: any CursorSealer
  private var random: any RandomNumberGenerator
  /// What is served as it is, on the service's listener.
  package var assets: [Asset] = [] {
    didSet { assetCodings = assets.map { _ in KeptCodings(differingCount: 0) } }
  }
  private var assetCodings: [KeptCodings] = []
  /// Nil where answers go out as they are.
  package var compression: Compression?

  package init(
    configuration: Configuration, loop: EventLoop, transport: any HTTPTransport, sealer: any CursorSealer,
    verifier: any CredentialVerifier, random: any RandomNumberGenerator, process: ProcessState,
    figures: GatewayFigures, log: Log
  ) {
    self.loop = loop
    self.configuration = configuration
    self.process = process
    self.log = log
    self.random = random
    self.sealer = sealer
    let shard = figures.all.shards[loop.index]
    self.figures = ListFigures(figures, shard: shard, index: configuration.listCount)
    let parser = Parser(maximumDepth: PageSource.maximumDepth)
    let upstreams = process.upstreams.enumerated().map { index, control in
      Upstream(
        control: control, figures: UpstreamFigures(figures, shard: shard, index: index), transport: transport,
        loop: loop, loops: process.loops.count,
        session: control.session(parser, refusals: configuration.refusals(at: index)), random: random,
        log: log,
        wallClock: process.unixSeconds)
    }
    self.upstreams = upstreams
    monitors = loop.index == 0 ? upstreams.map { UpstreamMonitor($0) } : []
    let plain = configuration.lists.enumerated().map { index, list in
      ListRoute(
        configuration: list,
        source: PageSource(
          list: list, index: index, upstream: upstreams[list.upstream], parser: parser, process: process),
        figures: ListFigures(figures, shard: shard, index: index),
        enricher: list.enrichment.map {
          Enricher($0, of: list, upstream: upstreams[$0.upstream], parser: parser, process: process)
        })
    }
    self.plain = plain
    lists =
      plain + MergedRoute.all(of: configuration, from: plain, loop: loop, figures: figures, shard: shard)
    let cursors = Cursors(sealer: sealer, process: process, lifetime: configuration.cursor.expires)
    listHandler = ListHandler(
      loop: loop, cursors: cursors, process: process, allowsDebug: configuration.debug,
      requestLine: configuration.limits.requestLine)
    wholeHandler = WholeHandler(
      loop: loop, cursors: cursors, process: process, allowsDebug: configuration.debug,
      requestLine: configuration.limits.requestLine)
    memos = SliceMemos(limit: process.pages.memoLimit / process.loops.count)
    purging = PurgeHandler(lists: plain, pages: process.pages)
    access = AccessControl(
      configuration.access, verifier: verifier, transport: transport, loop: loop, log: log,
      now: process.unixSeconds)
    crossOrigin = CORS(configuration.crossOrigin)
    calls = configuration.calls.enumerated().map { index, call in
      CallRoute(
        configuration: call,
        source: CallSource(
          call: call, index: configuration.listCount + index, upstream: upstreams[call.upstream],
          parser: parser, process: process),
        figures: CallFigures(figures.callRequests, figures.callDurations, shard: shard, index: index))
    }
    callHandler = CallHandler(loop: loop, allowsDebug: configuration.debug)
    screens = configuration.screens.enumerated().map { [lists, calls] index, screen in
      ScreenRoute(
        configuration: screen, lists: lists, calls: calls,
        figures: ScreenFigures(figures, shard: shard, index: index))
    }
    screenHandler = ScreenHandler(
      loop: loop, servers: ScreenHandler.Servers(list: listHandler, call: callHandler),
      allowsDebug: configuration.debug)
    operations = OperationsHandler(configuration: configuration, process: process, figures: figures.all)
    if monitors.isEmpty {
      for upstream in upstreams { upstream.attach(monitor: nil) }
    } else {
      for monitor in monitors { monitor.attach() }
    }
  }

  /// The kernel's links, addresses or routes have changed: is every upstream still to be had?
  package func networkChanged() {
    for monitor in monitors { monitor.networkChanged() }
  }

  package func handle(_ exchange: any Exchange) {
    let request = Request(exchange: exchange, id: id(for: exchange), arrival: loop.now)
    request.trace = trace(of: exchange)
    request.isForCompression = compression != nil
    if let crossOrigin, exchange.listener == .service {
      if let answer = crossOrigin.preflight(exchange) { return finish(request, answer, outcome: .own) }
      crossOrigin.append(to: &request.extraFields, for: exchange)
    }
    do throws(GatewayError) {
      if let fault = exchange.fault { throw refusal(of: fault) }
      let target = try decode(exchange.target)
      request.target = target
      try identify(request, target)
    } catch {
      fail(request, error)
    }
  }

  // MARK: Who asks

  private func identify(_ request: Request, _ target: Target) throws(GatewayError) {
    if let access, request.exchange.listener == .service {
      // Only for as long as keys are fetched.
      let isKnown = access.identify(request) { [self] in
        if request.work.isAbandoned { return recordAbandoned(request) }
        do throws(GatewayError) {
          try limit(request, target)
          try route(request, target: target)
        } catch {
          fail(request, error)
        }
      }
      guard isKnown else {
        return request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
      }
    }
    try limit(request, target)
    try route(request, target: target)
  }

  /// Whether its client has asked too often lately. Health checks are everybody's.
  private func limit(_ request: Request, _ target: Target) throws(GatewayError) {
    guard let rate = configuration.limits.rate, request.exchange.listener == .service,
      target.segmentCount != 1 || HealthCheck(target.segment(0)) == nil
    else { return }
    let verdict = process.clientLimits.take(
      request.principal.name ?? network(of: request), rate, at: loop.now)
    verdict.append(rate, to: &request.extraFields)
    if !verdict.isAllowed { throw .clientLimit(verdict.seconds) }
  }

  /// The client's address; of an IPv6 address the half that names a network, since a household has as many as it likes.
  func network(of request: Request) -> String {
    let peer = request.exchange.peerAddress
    let said = configuration.proxies.areThere ? request.exchange.field(configuration.proxies.field.name) : nil
    if said == nil, !peer.utf8.contains(UInt8(ascii: ":")) { return peer }
    guard let address = configuration.proxies.client(peer: IPAddress(Array(peer.utf8)), said: said) else {
      return peer
    }
    let value = address.isIPv4 ? address.value : (address.value >> 64) << 64
    return "net:" + String(value, radix: 16)
  }

  private func admit(_ request: Request, by requirement: Requirement) throws(GatewayError) {
    if requirement.kind != .none {
      // A browser keeps an answer for its user: not for whoever signs in there next.
      request.extraFields.append(.vary, "Authorization, X-API-Key")
    }
    try requirement.admit(request.principal, refusal: request.refusal)
  }

  /// The process is about to stop: streams end, with a cursor to go on from.
  package func drain() { wholeHandler.drain() }

  /// A walk through all of a list for the program itself. On the loop.
  ///
  /// - Parameter target: `/v1/lists/{list}/all?…`, as a client would ask for it.
  /// - Throws: what is wrong with the target.
  package func walk(_ target: [UInt8]) throws(GatewayError) -> WholeWalk {
    let exchange = OwnExchange(target: target)
    let request = Request(exchange: exchange, id: id(for: exchange), arrival: loop.now)
    request.principal = .itself
    let decoded = try decode(target)
    let list = try list(named: decoded.segment(2))
    request.list = list
    return try wholeHandler.walk(request, list, target: decoded, keepsPlaces: true)
  }

  private func id(for exchange: any Exchange) -> String {
    if let given = exchange.field(.xRequestID), RequestID.isSane(given.utf8Span.span) { return given }
    return RequestID.make((random.next(), random.next()))
  }

  /// The client's trace, continued by this gateway; nil when the client has none.
  private func trace(of exchange: any Exchange) -> TraceContext? {
    guard let parent = exchange.field(.traceparent) else { return nil }
    let state = exchange.field(.tracestate).flatMap { TraceState($0.utf8Span.span) }
    return TraceContext(parsing: parent.utf8Span.span, state: state)?.continued(spanBits: random.next())
  }

  private func refusal(of fault: RequestFault) -> GatewayError {
    let limits = configuration.limits
    return switch fault {
    case .targetTooLong:
      GatewayError(
        .invalidRequest, .targetTooLong(limits.requestLine), detail: "request line", httpStatus: 414)
    case .fieldsTooLarge:
      GatewayError(
        .invalidRequest, .fieldsTooLarge(limits.headers), detail: "header section", httpStatus: 431)
    case .contentTooLarge:
      GatewayError(.invalidRequest, .contentTooLarge(limits.body), detail: "content", httpStatus: 413)
    case .malformed: GatewayError(.invalidRequest, .malformedRequest, detail: "framing")
    }
  }

  private func decode(_ target: [UInt8]) throws(GatewayError) -> Target {
    do throws(Target.Failure) {
      return try Target(parsing: target.span)
    } catch {
      switch error {
      case .tooLong:
        throw GatewayError(
          .invalidRequest, .targetTooLong(Target.maximumByteCount), detail: "target", httpStatus: 414)
      case .malformedParameter(let name):
        throw GatewayError.invalidParameter(name, .malformedParameter(name))
      case .notAPath: throw GatewayError(.invalidRequest, .malformedTarget(.notAPath), detail: "target")
      case .malformedPath: throw GatewayError(.invalidRequest, .malformedTarget(.encoding), detail: "target")
      case .dotSegment: throw GatewayError(.invalidRequest, .malformedTarget(.dotSegment), detail: "target")
      }
    }
  }

  // MARK: Routes

  private func route(_ request: Request, target: Target) throws(GatewayError) {
    switch request.exchange.listener {
    case .service:
      if target.segmentCount >= 2, target.segment(0).equals("v1"), target.segment(1).equals("lists") {
        return try routeLists(request, target)
      }
      if let index = assets.firstIndex(where: { $0.isNamed(by: target) }) {
        request.route = assets[index].purpose.route
        try allowReading(request)
        var response = Answer.asset(assets[index], for: request)
        response.kept = assetCodings[index]
        return finish(request, response, outcome: .own)
      }
      if target.segmentCount >= 2, target.segment(0).equals("v1") {
        if target.segment(1).equals("calls") { return try routeCalls(request, target) }
        if target.segment(1).equals("screens") { return try routeScreens(request, target) }
      }
    case .admin:
      if target.segmentCount == 1, target.segment(0).equals("purge") {
        request.route = .purge
        try allow(request, [.post])
        let count = try purging.purge(target)
        log.info("pages forgotten") { $0.field("count", count) }
        let content = Envelope.purged(count, for: request)
        return finish(request, Answer.own(200, "application/json", content, for: request), outcome: .own)
      }
      if target.segmentCount == 1, let page = AdminPage(target.segment(0)) {
        request.route = page.route
        try allowReading(request)
        return finish(request, operations.answer(page, for: request), outcome: .own)
      }
    }
    guard target.segmentCount == 1, let check = HealthCheck(target.segment(0)) else {
      throw GatewayError(.notFound, .unknownPath(path(of: target)), detail: "path")
    }
    request.route = check.route
    try allowReading(request)
    finish(request, operations.answer(check, for: request), outcome: .own)
  }

  private func routeLists(_ request: Request, _ target: Target) throws(GatewayError) {
    if target.segmentCount == 2 {
      request.route = .lists
      try admit(request, by: configuration.access.requirement)
      try allowReading(request)
      try allowNoParameters(target)
      return finish(request, operations.catalogue(for: request), outcome: .own)
    }
    let isWhole = target.segmentCount == 4 && target.segment(3).equals("all")
    guard target.segmentCount == 3 || isWhole else {
      throw GatewayError(.notFound, .unknownPath(path(of: target)), detail: "path")
    }
    request.route = isWhole ? .whole : .list
    // Which lists there are is told to those who may see them all.
    let found = lists.first { target.segment(2).equals(text: $0.name) }
    request.list = found
    try admit(request, by: found?.access ?? configuration.access.requirement)
    let list = try list(named: target.segment(2))
    try allowReading(request)
    if isWhole {
      return try wholeHandler.serve(request, list, target: target) { [self] end in finish(request, end) }
    }
    try takeSlot(request)
    if let response = knownAnswer(to: request) { return finish(request, response, outcome: .slice) }
    try listHandler.serve(request, list, target: target) { [self] result in
      switch result {
      case .success(let answer):
        let response = Answer.slice(answer, of: list, for: request)
        keep(response, answer, for: request)
        finish(request, response, outcome: .slice)
      case .failure(let error): fail(request, error)
      }
    }
  }

  // MARK: Answers given before

  /// The answer that the same target was given before, while all that it is made of is fresh and unchanged.
  private func knownAnswer(to request: Request) -> Response? {
    guard mayRemember(request) else { return nil }
    let now = process.pages.now
    return memos.find(request.exchange.target, at: now)?.response(to: request, process.pages, at: now)
  }

  private func keep(_ response: Response, _ answer: SliceAnswer, for request: Request) {
    guard mayRemember(request), !request.isDebug,
      let memo = SliceMemo(response, answer, for: request, at: answer.now)
    else { return }
    memos.keep(memo, of: request.exchange.target)
  }

  /// Whether the answer depends on the target alone: on no credential, and on no claim of a token.
  private func mayRemember(_ request: Request) -> Bool {
    request.scope.isEmpty && request.cacheControl == nil
      && request.list?.mayBeRemembered == true
  }

  private func routeCalls(_ request: Request, _ target: Target) throws(GatewayError) {
    if target.segmentCount == 2 {
      request.route = .calls
      try admit(request, by: configuration.access.requirement)
      try allowReading(request)
      try allowNoParameters(target)
      return finish(request, Catalogue.calls(configuration.calls, for: request), outcome: .own)
    }
    guard target.segmentCount == 3 else {
      throw GatewayError(.notFound, .unknownPath(path(of: target)), detail: "path")
    }
    request.route = .call
    try admit(request, by: configuration.access.requirement)
    let call = try call(named: target.segment(2))
    request.call = call
    switch call.configuration.method {
    case .get: try allowReading(request)
    case .post: try allow(request, [.post])
    }
    try takeSlot(request)
    try callHandler.serve(request, call, target: target) { [self] result in
      switch result {
      case .success(let payload): finish(request, Answer.call(payload, for: request), outcome: .call)
      case .failure(let error): fail(request, error)
      }
    }
  }

  private func routeScreens(_ request: Request, _ target: Target) throws(GatewayError) {
    if target.segmentCount == 2 {
      request.route = .screens
      try admit(request, by: configuration.access.requirement)
      try allowReading(request)
      try allowNoParameters(target)
      return finish(request, Catalogue.screens(configuration, for: request), outcome: .own)
    }
    guard target.segmentCount == 3 else {
      throw GatewayError(.notFound, .unknownPath(path(of: target)), detail: "path")
    }
    request.route = .screen
    try admit(request, by: configuration.access.requirement)
    let screen = try screen(named: target.segment(2))
    request.screen = screen
    try allowReading(request)
    try takeSlot(request)
    try screenHandler.serve(request, screen, target: target) { [self] result in
      switch result {
      case .success(let answers):
        let failure = answers.allSatisfy { $0.failure != nil } ? answers.first?.failure : nil
        finish(
          request, Answer.screen(answers, of: screen, failure, for: request),
          outcome: failure.map { .failure($0) } ?? .screen)
      case .failure(let error): fail(request, error)
      }
    }
  }

  private func screen(named name: ArraySlice<UInt8>) throws(GatewayError) -> ScreenRoute {
    if let screen = screens.first(where: { name.equals(text: $0.configuration.name) }) { return screen }
    throw GatewayError(
      .notFound, .unknownScreen(name.text, allowed: screens.map(\.configuration.name)),
      detail: "unknown screen")
  }

  private func call(named name: ArraySlice<UInt8>) throws(GatewayError) -> CallRoute {
    if let call = calls.first(where: { name.equals(text: $0.configuration.name) }) { return call }
    throw GatewayError(
      .notFound, .unknownCall(name.text, allowed: calls.map(\.configuration.name)), detail: "unknown call")
  }

  private func list(named name: ArraySlice<UInt8>) throws(GatewayError) -> ServedList {
    if let list = lists.first(where: { name.equals(text: $0.name) }) { return list }
    throw GatewayError(
      .notFound, .unknownList(name.text, allowed: lists.map(\.name)), detail: "unknown list")
  }

  private func allowReading(_ request: Request) throws(GatewayError) {
    try allow(request, [.get, .head])
  }

  private func allow(_ request: Request, _ methods: [Method]) throws(GatewayError) {
    let method = request.exchange.method
    if methods.contains(method) { return }
    let allowed = methods.map(\.name).joined(separator: ", ")
    let error = GatewayError(
      .invalidRequest, .methodNotAllowed(method.name, allowed: allowed), detail: "method", httpStatus: 405)
    error.allow = allowed
    throw error
  }

  private func allowNoParameters(_ target: Target) throws(GatewayError) {
    guard target.parameterCount > 0 else { return }
    let name = target.parameter(0).name.text
    throw GatewayError.invalidParameter(name, .unknownParameter(name, allowed: []))
  }

  private func path(of target: Target) -> String {
    "/" + (0..<target.segmentCount).map { target.segment($0).text }.joined(separator: "/")
  }

  // MARK: The end

  func fail(_ request: Request, _ error: GatewayError) {
    finish(request, Answer.failure(error, for: request), outcome: .failure(error))
  }

  private func finish(_ request: Request, _ response: Response, outcome: Outcome) {
    if request.isFinished { return }
    request.isFinished = true
    if let slot = request.slot { release(slot, of: request) }
    if request.work.isAbandoned { return recordAbandoned(request) }
    var response = response
    if process.isClosing { response.closesConnection = true }
    compression?.apply(to: &response, for: request)
    request.exchange.respond(response)
    record(request, response, outcome)
  }

  /// One line and one count a request. Never a secret: no query, no cursor, no field that a client sent but its id.
  private func record(_ request: Request, _ response: Response, _ outcome: Outcome) {
    let duration = request.arrival.duration(to: .now)
    if let call = request.call {
      call.figures.record(outcome.code, duration: duration)
    } else if let screen = request.screen {
      screen.figures.record(outcome.code, duration: duration)
    } else {
      (request.list?.figures ?? figures).record(outcome.code, outcome.cache(of: request), duration: duration)
    }
    log.write(outcome.level, "request") { line in
      write(request, duration, into: &line)
      line.field("http_status", response.status)
      line.field("bytes", response.contentByteCount)
      write(outcome, of: request, into: &line)
    }
  }

  private func finish(_ request: Request, _ end: WholeHandler.End) {
    switch end {
    case .refused(let error): fail(request, error)
    case .abandoned: recordAbandoned(request)
    case .finished(let stream, let failure):
      let outcome: Outcome = failure.map { .failure($0) } ?? .slice
      // A stream takes as long as its client: what the list's figures show is how long it waited for the start.
      request.list?.figures.record(outcome.code, outcome.cache(of: request), duration: stream.wait)
      request.list?.figures.recordStreamed(stream.count)
      log.write(outcome.level, "request") { line in
        write(request, request.arrival.duration(to: .now), into: &line)
        line.field("http_status", stream.status)
        line.field("bytes", stream.byteCount)
        line.field("items", stream.count)
        line.field("complete", stream.isComplete)
        write(outcome, of: request, into: &line)
      }
    }
  }

  private func write(_ outcome: Outcome, of request: Request, into line: inout LogLine) {
    line.field("cache", outcome.cache(of: request).rawValue)
    guard case .failure(let error) = outcome else { return line.field("status", 0) }
    line.field("status", error.code.envelopeStatus)
    line.field("error", error.code.rawValue)
    line.field("detail", error.detail)
    if let upstreamCode = error.upstreamCode { line.field("upstream_code", upstreamCode) }
  }

  private func recordAbandoned(_ request: Request) {
    (request.list?.figures ?? figures).recordAbandoned()
    log.info("request abandoned") { line in write(request, request.arrival.duration(to: .now), into: &line) }
  }

  private func write(_ request: Request, _ duration: Duration, into line: inout LogLine) {
    line.field("request_id", request.id)
    line.field("method", request.exchange.method.name)
    line.field("route", request.route.rawValue)
    if let list = request.list { line.field("list", list.name) }
    if let call = request.call { line.field("call", call.configuration.name) }
    if let screen = request.screen { line.field("screen", screen.configuration.name) }
    if let upstream = request.upstreamName { line.field("upstream", upstream) }
    if request.isForUpstreams {
      line.field("upstream_requests", request.work.upstreamRequests)
      line.field("upstream_duration", request.work.upstreamDuration)
    }
    line.field("duration", duration)
    line.field("peer", request.exchange.peerAddress)
    if let client = request.principal.name { line.field("client", client) }
    if let trace = request.trace {
      var id: [UInt8] = []
      trace.appendTraceID(to: &id)
      line.field("trace_id", text: id)
    }
  }
}
