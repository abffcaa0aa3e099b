import Configuration
import HTTPSemantics

extension Answer {
  /// A screen's answer: 200 with what there is, 503 where all sections failed.
  ///
  /// - Parameter failure: of all sections; that of the first.
  static func screen(
    _ answers: [SectionAnswer], of screen: ScreenRoute, _ failure: GatewayError?, for request: Request
  ) -> Response {
    if let failure, request.prefersProblem {
      failure.httpStatus = 503
      return Answer.failure(failure, for: request)
    }
    var fields = common(for: request)
    if answers.contains(where: { $0.failure != nil }) {
      fields.append(.cacheControl, "no-store")
      if let retryAfter = failure?.retryAfter { fields.append(.retryAfter, String(retryAfter)) }
    } else {
      fields.append(.cacheControl, "private, no-cache")
      var digest = ContentDigest()
      for answer in answers { digest.combine(Int(bitPattern: UInt(answer.digest))) }
      let tag = ETag(digest: digest.value)
      if append(tag, to: &fields, for: request) {
        return Response(status: 304, fields: fields, content: [])
      }
    }
    fields.append(.contentType, "application/json")
    return Response(
      status: failure == nil ? 200 : 503, fields: fields,
      content: Envelope.screen(answers, of: screen, failure, for: request))
  }
}
