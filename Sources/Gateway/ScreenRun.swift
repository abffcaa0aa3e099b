import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging
import Resilience

/// One request for a screen on its way. On its loop's thread only.
///
/// Each section:
///
///     waiting ─► running ─► answered
///        └──────────────────▲   what it needs has failed, or has nothing
final class ScreenRun {
  private enum State {
    case waiting  // for the sections that it needs; to: running, answered
    case running(Request)  // to: answered
    case answered(SectionAnswer)
  }

  private let request: Request
  private let screen: ScreenRoute
  private let own: [Arguments]
  private let servers: ScreenHandler.Servers
  private let parser: Parser
  private let loop: EventLoop
  private let completion: (Result<[SectionAnswer], GatewayError>) -> Void
  private var states: [State]
  private var left: Int
  private var timer: Timer?
  private var isOver = false
  /// Answers that others looked something up in.
  private var documents: [Int: Document] = [:]

  init(
    _ request: Request, _ screen: ScreenRoute, own: [Arguments], servers: ScreenHandler.Servers,
    parser: Parser, loop: EventLoop, completion: @escaping (Result<[SectionAnswer], GatewayError>) -> Void
  ) {
    self.request = request
    self.screen = screen
    self.own = own
    self.servers = servers
    self.parser = parser
    self.loop = loop
    self.completion = completion
    left = screen.configuration.sections.count
    states = Array(repeating: .waiting, count: left)
  }

  func start() {
    timer = loop.schedule(at: request.arrival + screen.configuration.timeout) { [self] in timeIsUp() }
    startThoseThatCan()
  }

  // MARK: Sections

  private var sections: [Configuration.ScreenSection] { screen.configuration.sections }

  private func answer(of index: Int) -> SectionAnswer? {
    if case .answered(let answer) = states[index] { answer } else { nil }
  }

  private func startThoseThatCan() {
    for index in sections.indices {
      guard !isOver else { return }
      guard case .waiting = states[index], sections[index].dependencies.allSatisfy({ answer(of: $0) != nil })
      else { continue }
      start(index)
    }
  }

  private func start(_ index: Int) {
    // In the declared order, so that the same failure is told whichever came first.
    let needed = sections[index].dependencies.sorted()
    if let failed = needed.first(where: { answer(of: $0)?.failure != nil }),
      let error = answer(of: failed)?.failure
    {
      return answered(index, failed: error, by: part(index, own[index], cause: failed))
    }
    if let skipped = needed.first(where: { if case .skipped? = answer(of: $0)?.kind { true } else { false } })
    {
      return skip(index, for: skipped)
    }
    var arguments = own[index]
    for (position, argument) in sections[index].arguments.enumerated() {
      guard case .found(let section, let pointer) = argument else { continue }
      switch value(at: pointer, of: section, for: screen.sources[index].parameters[position]) {
      case .success(let value?): arguments.values[position] = value
      case .success(nil): return skip(index, for: section)
      case .failure(let error):
        return answered(index, failed: error, by: part(index, own[index], cause: section))
      }
    }
    serve(index, part(index, arguments, cause: nil))
  }

  private func serve(_ index: Int, _ part: Request) {
    states[index] = .running(part)
    request.work.add(SectionWork(part.work))
    do throws(GatewayError) {
      guard let target = part.target else {
        throw GatewayError(.invalidRequest, .malformedTarget(.encoding), detail: "a section's target")
      }
      switch screen.sources[index] {
      case .list(let list):
        try servers.list.serve(part, list, target: target) { [self] result in
          switch result {
          case .success(let slice):
            answered(
              index,
              SectionAnswer(
                kind: .good, envelope: Envelope.slice(slice, of: list, for: part),
                digest: Answer.digest(of: slice)))
          case .failure(let error): answered(index, failed: error, by: part)
          }
        }
      case .call(let call):
        try servers.call.serve(part, call, target: target) { [self] result in
          switch result {
          case .success(let payload):
            answered(
              index,
              SectionAnswer(
                kind: .good, envelope: Envelope.call(payload, for: part), digest: Answer.digest(of: payload)))
          case .failure(let error): answered(index, failed: error, by: part)
          }
        }
      }
    } catch {
      answered(index, failed: error, by: part)
    }
  }

  /// A section's request, as its client would make it.
  private func part(_ index: Int, _ arguments: Arguments, cause: Int?) -> Request {
    let source = screen.sources[index]
    var facts = SectionFacts()
    facts.cause = cause.map { sections[$0].name }
    var target: [UInt8]
    switch source {
    case .list(let list): target = Array("/v1/lists/\(list.name)".utf8)
    case .call(let call): target = Array("/v1/calls/\(call.configuration.name)".utf8)
    }
    var separator = UInt8(ascii: "?")
    func append(_ name: String, _ value: [UInt8]) {
      target.append(separator)
      separator = UInt8(ascii: "&")
      PercentEncoding.encode(name, for: .query, into: &target)
      target.append(UInt8(ascii: "="))
      PercentEncoding.encode(value.span, for: .query, into: &target)
    }
    for (parameter, value) in zip(source.parameters, arguments.values) {
      // What a token says is not asked for: it is taken from there again.
      guard let value, parameter.claim == nil else { continue }
      facts.arguments.append((parameter.name, value.description))
      append(parameter.name, value.text)
    }
    if let limit = sections[index].limit { append("limit", Array(String(limit).utf8)) }
    if request.isDebug { append("debug", [UInt8(ascii: "1")]) }
    let part = Request(
      exchange: SectionExchange(target: target, of: request.exchange), id: request.id, arrival: loop.now)
    part.target = try? Target(parsing: target.span)
    part.trace = request.trace
    part.principal = request.principal
    part.isDebug = request.isDebug
    part.section = facts
    switch source {
    case .list(let list): part.list = list
    case .call(let call): part.call = call
    }
    return part
  }

  // MARK: What others found

  /// What another section's answer has for a parameter; nil where it has nothing.
  private func value(
    at pointer: Pointer, of section: Int, for parameter: Parameter
  ) -> Result<ParameterValue?, GatewayError> {
    guard let document = document(of: section), let body = document.value(named: "body", in: document.root),
      let node = document.node(at: pointer, from: body), !document.isNull(node)
    else { return .success(nil) }
    if let value = parameter.value(found: node, in: document) { return .success(value) }
    let error = GatewayError(
      .upstreamShape, .unreadableAnswer,
      detail: "\(sections[section].name)\(pointer.text) is to be \(parameter.name): \(parameter.expectation)")
    error.parameter = parameter.name
    return .failure(error)
  }

  private func document(of section: Int) -> Document? {
    if let document = documents[section] { return document }
    let document = answer(of: section)?.document(parser)
    documents[section] = document
    return document
  }

  // MARK: Answers

  private func skip(_ index: Int, for cause: Int) {
    let part = part(index, own[index], cause: cause)
    let envelope = Envelope.skipped(part, for: sections[cause].name)
    answered(index, SectionAnswer(kind: .skipped, envelope: [.bytes(envelope)], digest: 0))
  }

  private func answered(_ index: Int, failed error: GatewayError, by part: Request) {
    if isOver { return }
    answered(index, failure(error, of: part))
  }

  private func failure(_ error: GatewayError, of part: Request) -> SectionAnswer {
    SectionAnswer(kind: .failed(error), envelope: [.bytes(Envelope.failure(error, for: part))], digest: 0)
  }

  private func answered(_ index: Int, _ answer: SectionAnswer) {
    if isOver { return }
    note(index, answer)
    if sections[index].isRequired, let error = answer.failure { return end(.failure(error)) }
    if left == 0 { return end(.success(states.indices.compactMap { self.answer(of: $0) })) }
    startThoseThatCan()
  }

  private func note(_ index: Int, _ answer: SectionAnswer) {
    if case .running(let part) = states[index] {
      request.work.upstreamRequests += part.work.upstreamRequests
      request.work.upstreamDuration += part.work.upstreamDuration
    }
    states[index] = .answered(answer)
    left -= 1
    screen.figures.recordSection(answer.failure?.code)
  }

  /// What is not there yet has failed, and need not come any more.
  private func timeIsUp() {
    if isOver { return }
    isOver = true
    var failure: GatewayError?
    for index in sections.indices where answer(of: index) == nil {
      let error = GatewayError(.upstreamTimeout, .serverTimeout, detail: "the screen's timeout passed")
      let part =
        if case .running(let part) = states[index] { part } else { part(index, own[index], cause: nil) }
      part.work.stop()
      note(index, self.failure(error, of: part))
      if sections[index].isRequired { failure = failure ?? error }
    }
    end(failure.map { .failure($0) } ?? .success(states.indices.compactMap { answer(of: $0) }))
  }

  private func end(_ result: Result<[SectionAnswer], GatewayError>) {
    isOver = true
    timer?.cancel()
    timer = nil
    for case .running(let part) in states { part.work.stop() }
    completion(result)
  }
}

extension Parameter {
  /// Reads what an upstream's answer has for this parameter: objects and arrays as they are, all else by its text.
  fileprivate func value(found node: Node, in document: Document) -> ParameterValue? {
    if kind.isStructured { return value(of: node, in: document) }
    var text: [UInt8] = []
    guard document.appendText(of: node, to: &text) else { return nil }
    return value(of: text[...])
  }
}
