import HTTPSemantics
import JSON

extension OpenAPI {
  /// The request id of every example.
  static let exampleID = "ydct14var6zsjx7"

  /// What can go wrong, by HTTP status, with an example of each.
  private static let failures: [(status: Int, description: StaticString, examples: [GatewayError])] = [
    (
      400, "The request is at fault: the message names the parameter, and what is allowed.",
      [
        GatewayError(
          .invalidRequest, .invalidParameter("limit", found: "0", expected: "a whole number, 1 to 200"),
          detail: "", parameter: "limit"),
        GatewayError(.invalidCursor, .invalidCursor, detail: "", parameter: "cursor"),
      ]
    ),
    (404, "There is no such thing.", [GatewayError(.notFound, .unknownPath("/nothing"), detail: "")]),
    (
      409, "A newer request took this one's slot (`Listway-Slot`).",
      [GatewayError(.superseded, .superseded, detail: "")]
    ),
    (
      410, "The place in the list is too old: start again from the top.",
      [GatewayError(.cursorExpired, .cursorExpired, detail: "", parameter: "cursor")]
    ),
    (
      413, "The content is too large.",
      [GatewayError(.invalidRequest, .contentTooLarge(65_536), detail: "", httpStatus: 413)]
    ),
    (
      415, "The content is neither JSON nor a form.",
      [
        GatewayError(
          .invalidRequest,
          .unsupportedContent("text/plain", allowed: "application/json, application/x-www-form-urlencoded"),
          detail: "", httpStatus: 415)
      ]
    ),
    (
      414, "The request line is too long.",
      [GatewayError(.invalidRequest, .targetTooLong(8_192), detail: "", httpStatus: 414)]
    ),
    (
      422, "The upstream said no, for a reason of its own: its code and its words.",
      [
        GatewayError(
          .upstreamRefused, .verbatim("Your subscription has ended."), detail: "", upstreamCode: "1001")
      ]
    ),
    (
      429, "Too many requests: of this client, or of all to the upstream.",
      [GatewayError(.rateLimited, .busy, detail: "", retryAfter: 5)]
    ),
    (
      431, "The header section is too large.",
      [GatewayError(.invalidRequest, .fieldsTooLarge(10_240), detail: "", httpStatus: 431)]
    ),
    (500, "Listway has a fault.", [GatewayError(.internal, .internalFault, detail: "")]),
    (
      502, "The upstream has a fault: it answers, and badly.",
      [
        GatewayError(.upstreamFault, .serverFault, detail: ""),
        GatewayError(.upstreamShape, .unreadableAnswer, detail: ""),
        GatewayError(.sessionFailed, .serverFault, detail: ""),
      ]
    ),
    (
      503, "The upstream cannot be reached, or too many wait for it.",
      [
        GatewayError(.upstreamUnreachable, .unreachable, detail: "", retryAfter: 1),
        GatewayError(.overloaded, .busy, detail: "", retryAfter: 1),
      ]
    ),
    (504, "The upstream took too long.", [GatewayError(.upstreamTimeout, .serverTimeout, detail: "")]),
  ]

  func writeResponses(into writer: inout Writer) {
    for (status, description, examples) in Self.failures where hasPostedCalls || ![413, 415].contains(status)
    {
      writer.object(named: Writer.failureName(status)) {
        $0.member("description", description)
        $0.headers(
          ["X-Request-Id", "Cache-Control", "Vary"] + ([429, 503].contains(status) ? ["Retry-After"] : [])
            + (status >= 502 || status == 422 ? ["Proxy-Status"] : []))
        $0.object("content") {
          $0.object("application/json") {
            $0.reference("schema", "schemas/Failure")
            writeExamples(of: examples, into: &$0, Envelope.failure)
          }
          $0.object("application/problem+json") {
            $0.reference("schema", "schemas/Problem")
            writeExamples(of: examples, into: &$0, Envelope.problem)
          }
        }
      }
    }
  }

  /// The very bytes that a client would get.
  private func writeExamples(
    of errors: [GatewayError], into writer: inout Writer, _ content: (GatewayError, Request) -> [UInt8]
  ) {
    let request = Request(exchange: OwnExchange(target: []), id: Self.exampleID, arrival: .now)
    writer.object("examples") {
      for error in errors {
        $0.object(named: error.code.rawValue) {
          $0.key("value")
          $0.raw(content(error, request))
        }
      }
    }
  }
}

extension GatewayError {
  fileprivate convenience init(
    _ code: Code, _ message: Message, detail: String, parameter: String? = nil, upstreamCode: String? = nil,
    retryAfter: Int? = nil
  ) {
    self.init(code, message, detail: detail)
    self.parameter = parameter
    self.upstreamCode = upstreamCode
    self.retryAfter = retryAfter
  }
}

extension Writer {
  fileprivate static func failureName(_ status: Int) -> String { "Failure\(status)" }

  /// References to failures, in an operation's responses.
  mutating func failures(_ statuses: [Int]) {
    for status in statuses {
      key(String(status))
      reference("responses/\(Self.failureName(status))")
    }
  }
}
