import Configuration
import EventLoop
import HTTPSemantics
import JSON
import Paging

/// Serves calls: reads the parameters, has one request made of the upstream, and gives its answer.
final class CallHandler {
  private let loop: EventLoop
  private let allowsDebug: Bool
  private let parser = Parser(maximumDepth: ParameterValue.maximumDepth + 1)

  init(loop: EventLoop, allowsDebug: Bool) {
    self.loop = loop
    self.allowsDebug = allowsDebug
  }

  /// Begins to serve; `completion` is called on the loop, later, exactly once.
  ///
  /// - Throws: what is wrong with the request itself.
  func serve(
    _ request: Request, _ call: CallRoute, target: Target,
    completion: @escaping (Result<CallAnswer, GatewayError>) -> Void
  ) throws(GatewayError) {
    let asked = try CallRequest(
      target, request.exchange, of: call.configuration, allowingDebug: allowsDebug, parser: parser)
    request.isDebug = asked.isDebug
    try call.source.identify(request, with: asked.arguments)
    request.exchange.whenAbandoned { [work = request.work] in work.abandon() }
    loop.start {
      completion(
        await call.source.answer(with: asked.arguments, key: asked.idempotencyKey, for: request))
    }
  }
}
