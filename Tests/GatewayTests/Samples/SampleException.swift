import TestSupport

/// Where a client gets something else than the index says of a recording, and why that is right. Everything else is as the
/// index says.
struct SampleException: Sendable {
  /// Goes on after a number, in the README too.
  let why: String
  let applies: @Sendable (Sample) -> Bool

  static let all = [
    SampleException(why: "are XML, which is a fault to a gateway of JSON") { $0.isXML },
    SampleException(why: "is a 304 to a question that was not asked") { $0.response.status == 304 },
    SampleException(why: "are refusals in HTML or faults of a server, whose words are not for people") {
      $0.expected.message != nil && !$0.isXML && ($0.format == "html" || $0.response.status >= 500)
    },
  ]
}
