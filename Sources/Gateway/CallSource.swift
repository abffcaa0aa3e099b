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

  init(call: Configuration.Call, upstream: Upstream, parser: Parser, process: ProcessState) {
    self.call = call
    self.upstream = upstream
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

  /// One request, and what its answer has for the client.
  ///
  /// - Parameter key: passed on to the upstream, which knows by it a request that comes again.
  func payload(
    with arguments: Arguments, key: String?, for request: Request
  ) async -> Result<Payload, GatewayError> {
    var outgoing: TransportRequest
    do throws(TemplateFailure) {
      outgoing = upstream.request(try renderer.render(.own, with: arguments), for: request)
    } catch {
      return .failure(.unrenderable(error, call.parameters, arguments))
    }
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
