import Configuration
import HTTPSemantics
import Telemetry

extension Upstream {
  /// A rendered request ready to be sent for a client's.
  func request(_ rendered: RenderedRequest, for request: Request) -> TransportRequest {
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
      content: rendered.content, deadline: request.patienceStart + configuration.timeout.total,
      origin: origin)
  }
}

extension GatewayError {
  /// An argument that cannot be sent where its template stands.
  static func unrenderable(
    _ failure: TemplateFailure, _ parameters: [Parameter], _ arguments: Arguments
  ) -> GatewayError {
    let parameter = parameters[failure.parameter]
    let error = GatewayError(
      .invalidRequest,
      .invalidParameter(
        parameter.name, found: arguments.values[failure.parameter]?.description ?? "",
        expected: failure.message),
      detail: "parameter \(parameter.name)")
    error.parameter = parameter.name
    return error
  }
}

extension UpstreamOutcome {
  init(_ result: Result<some Any, GatewayError>) {
    switch result {
    case .success: self = .ok
    case .failure(let error): self = UpstreamOutcome(error.code)
    }
  }
}
