import Foundation

/// The one shape of every answer: `status`, `header`, `body`, `message`.
struct Envelope: Sendable {
  let header: Header
  let body: RawJSON
  /// Of the response, by lower-case names.
  let fields: [String: String]

  struct Header: Decodable, Sendable {
    var count: Int?
    var total: Int?
    var pageCount: Int?
    var hasMore: Bool?
    var next: String?
    var prefetchAt: Int?
    var stale: Bool?
    var age: Int?
    var requestId: String?
    var warnings: [String]?
    var error: String?
    var parameter: String?
    var upstreamCode: UpstreamCode?
    var retryAfter: Int?
    var parameters: [String: String]?
  }

  /// A code as the upstream wrote it: text or a number.
  struct UpstreamCode: Decodable, Sendable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.text = text
      } else {
        text = try container.decode(Decimal.self).description
      }
    }
  }

  /// - Throws: ``ListwayError/failed(_:)`` and ``ListwayError/superseded`` as the envelope says,
  ///   ``ListwayError/notAnEnvelope(httpStatus:detail:)`` where it is none.
  init(_ content: Data, httpStatus: Int, fields: [String: String]) throws(ListwayError) {
    var scanner = JSONScanner(content)
    var members: [String: RawJSON] = [:]
    do throws(JSONScanner.Failure) {
      for (name, value) in try scanner.object() { members[name] = value }
    } catch {
      throw .notAnEnvelope(httpStatus: httpStatus, detail: "not a JSON object (byte \(error.offset))")
    }
    guard let status = members["status"], let header = members["header"], let body = members["body"],
      let message = members["message"]
    else {
      throw .notAnEnvelope(httpStatus: httpStatus, detail: "status, header, body or message is missing")
    }
    self.header = try header.decoded(as: Header.self)
    self.body = body
    self.fields = fields
    let number = try status.decoded(as: Int.self)
    if number == 0 { return }
    let code = ListwayError.Code(rawValue: self.header.error ?? "") ?? .unknown
    if code == .superseded { throw .superseded }
    throw .failed(
      ListwayError.Failure(
        code: code, status: number, httpStatus: httpStatus, message: try message.decoded(as: String.self),
        retryAfter: self.header.retryAfter ?? fields["retry-after"].flatMap(Int.init),
        upstreamCode: self.header.upstreamCode?.text, parameter: self.header.parameter,
        requestID: self.header.requestId ?? ""))
  }
}
