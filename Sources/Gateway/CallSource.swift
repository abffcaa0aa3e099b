import Configuration
import HTTPSemantics
import JSON
import Paging

/// Makes a call's request of its upstream.
final class CallSource {
  private let call: Configuration.Call
  private let upstream: Upstream
  private let renderer: RequestRenderer
  private let reader: AnswerReader
  /// Where its answers are kept, as a list's pages are; nil where they are not.
  private let kept: PageSource?

  /// - Parameter index: among what has pages, behind all lists.
  init(call: Configuration.Call, index: Int, upstream: Upstream, parser: Parser, process: ProcessState) {
    self.call = call
    self.upstream = upstream
    kept = call.kept.map {
      PageSource(list: $0, index: index, upstream: upstream, parser: parser, process: process)
    }
    renderer = RequestRenderer(template: call.request, url: upstream.configuration.url, holdsPaging: false)
    reader = AnswerReader(
      plan: .single(refusal: call.refusal), charset: upstream.configuration.charset,
      bodyLimit: upstream.configuration.bodyLimit, parser: parser, process: process)
  }

  /// What is not to be shown to the client of `request`.
  func secrets(for request: Request) -> [[UInt8]] {
    upstream.secrets(of: request.scope.isEmpty ? nil : request.scope)
  }

  var upstreamName: String { upstream.configuration.name }

  /// Finds the client's credential, where the upstream wants to know it.
  ///
  /// - Throws: ``GatewayError/Code/unauthorized`` where there is none.
  func identify(_ request: Request, with arguments: Arguments) throws(GatewayError) {
    try upstream.identify(request, call.parameters, arguments)
  }

  /// What the client gets: as it is known, where answers are kept, or as the upstream has it now.
  ///
  /// - Parameter key: passed on to the upstream, which knows by it a request that comes again. With one, nothing is kept.
  func answer(
    with arguments: Arguments, key: String?, for request: Request
  ) async -> Result<CallAnswer, GatewayError> {
    if key == nil, let kept {
      return await kept.page(.own, with: arguments, for: request, by: nil).map {
        CallAnswer($0, at: kept.pages.now)
      }
    }
    return await payload(with: arguments, key: key, for: request).map { CallAnswer($0) }
  }

  private func payload(
    with arguments: Arguments, key: String?, for request: Request
  ) async -> Result<Payload, GatewayError> {
    var outgoing: TransportRequest
    do throws(TemplateFailure) {
      outgoing = upstream.request(try renderer.render(.own, with: arguments), for: request)
    } catch {
      return .failure(.unrenderable(error, call.parameters, arguments))
    }
    outgoing.credential = request.scope.isEmpty ? nil : request.scope
    if let key { outgoing.fields.append(.idempotencyKey, key) }
    let start = ContinuousClock.now
    return await request.work.run(outgoing, on: upstream, isRepeatable: call.isIdempotent || key != nil) {
      [self] result, sentCount in
      let judged = judge(result)
      request.work.upstreamRequests += sentCount
      let duration = start.duration(to: .now)
      request.work.upstreamDuration += duration
      upstream.figures.record(UpstreamOutcome(judged), duration: duration)
      return judged
    }
  }

  private func judge(
    _ result: Result<TransportResponse, TransportFailure>
  ) -> Result<Payload, GatewayError> {
    switch result {
    case .failure(let failure): .failure(GatewayError(failure))
    case .success(let response):
      reader.payload(of: response, at: call.body, allowsAbsence: call.allowsAbsence)
    }
  }
}
