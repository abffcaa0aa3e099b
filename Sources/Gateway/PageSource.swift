import Configuration
import HTTPSemantics
import JSON
import Paging
import Telemetry

/// Fetches a list's pages from its upstream.
final class PageSource {
  /// How deep an upstream's JSON may be nested.
  static let maximumDepth = 256

  private let list: Configuration.List
  private let upstream: Upstream
  private let renderer: RequestRenderer
  /// For later pages than the first.
  private let followingRenderer: RequestRenderer
  private let reader: AnswerReader
  private let process: ProcessState

  init(
    list: Configuration.List, upstream: Upstream, parser: Parser, process: ProcessState
  ) {
    self.list = list
    self.upstream = upstream
    self.process = process
    renderer = RequestRenderer(
      template: list.request, url: upstream.configuration.url, holdsPaging: list.recognition != nil)
    followingRenderer = RequestRenderer(
      template: list.following ?? list.request, url: upstream.configuration.url,
      holdsPaging: list.recognition != nil)
    reader = AnswerReader(
      plan: list.plan, charset: upstream.configuration.charset, bodyLimit: upstream.configuration.bodyLimit,
      parser: parser, process: process)
  }

  var upstreamName: String { upstream.configuration.name }

  /// The page that a walk begins with whose plan is to be recognised: the answer to the list's own request, unless that asks
  /// for a later page, or the walk has its plan.
  func firstPage(
    with arguments: Arguments, for request: Request, by recognised: RecognisedPlan?
  ) async -> Result<Page?, GatewayError> {
    guard let recognised, recognised.plan == nil else { return .success(nil) }
    return await page(.own, with: arguments, for: request, by: recognised).map { page in
      recognised.startsHere ? page : nil
    }
  }

  /// One page, as the upstream has it now.
  ///
  /// - Parameter recognised: what the walk goes by, where that is not the list's own plan. Before the first answer it has
  ///   nothing, and learns from it.
  func page(
    _ page: PageRequest, with arguments: Arguments, for request: Request, by recognised: RecognisedPlan?
  ) async -> Result<Page, GatewayError> {
    switch prepare(page, with: arguments, for: request) {
    case .failure(let error): return .failure(error)
    case .success(let (outgoing, rendered)):
      let start = ContinuousClock.now
      return await request.work.run(outgoing, on: upstream) { [self] result, sentCount in
        let judged = judge(result, rendered, recognised)
        record(judged, sentCount: sentCount, duration: start.duration(to: .now), for: request)
        return judged
      }
    }
  }

  private func record(
    _ judged: Result<Page, GatewayError>, sentCount: Int, duration: Duration, for request: Request
  ) {
    request.work.upstreamRequests += sentCount
    request.work.upstreamDuration += duration
    upstream.figures.record(outcome(of: judged), duration: duration)
  }

  /// The request for a page, ready to be sent, and as it was made.
  @inline(never)
  private func prepare(
    _ page: PageRequest, with arguments: Arguments, for request: Request
  ) -> Result<(TransportRequest, RenderedRequest), GatewayError> {
    do throws(GatewayError) {
      let rendered = try render(page, with: arguments)
      return .success((outgoing(rendered, for: request), rendered))
    } catch {
      return .failure(error)
    }
  }

  private func render(
    _ page: PageRequest, with arguments: Arguments
  ) throws(GatewayError) -> RenderedRequest {
    do throws(TemplateFailure) {
      return try (page.follows ? followingRenderer : renderer).render(page, with: arguments)
    } catch {
      let parameter = list.parameters[error.parameter]
      let failure = GatewayError(
        .invalidRequest,
        .invalidParameter(
          parameter.name, found: arguments.values[error.parameter]?.description ?? "", expected: error.message
        ),
        detail: "parameter \(parameter.name)")
      failure.parameter = parameter.name
      throw failure
    }
  }

  private func outgoing(_ rendered: RenderedRequest, for request: Request) -> TransportRequest {
    var fields = rendered.fields
    fields.append(.xRequestID, request.id)
    if let trace = request.trace {
      var value: [UInt8] = []
      trace.appendTraceparent(to: &value)
      fields.append(.traceparent, value)
      if let state = trace.state { fields.append(.tracestate, state.bytes) }
    }
    return TransportRequest(
      method: rendered.method, url: String(decoding: rendered.url, as: UTF8.self), fields: fields,
      content: rendered.content, deadline: request.patienceStart + upstream.configuration.timeout.total,
      origin: upstream.origin)
  }

  // MARK: Judging the answer

  private func judge(
    _ result: Result<TransportResponse, TransportFailure>, _ sent: RenderedRequest,
    _ recognised: RecognisedPlan?
  ) -> Result<Page, GatewayError> {
    switch result {
    case .failure(let failure): .failure(GatewayError(failure))
    case .success(let response): reader.page(of: response, to: sent, by: recognised)
    }
  }

  private func outcome(of result: Result<Page, GatewayError>) -> UpstreamOutcome {
    switch result {
    case .success: .ok
    case .failure(let error): UpstreamOutcome(error.code)
    }
  }
}
