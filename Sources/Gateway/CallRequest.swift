import Configuration
import HTTPSemantics
import JSON

/// What a client asks of a call, checked: nothing in here can be refused any more by its form.
struct CallRequest {
  let arguments: Arguments
  let isDebug: Bool
  /// What the client calls this very doing of it (`Idempotency-Key`); nil where it does not say.
  let idempotencyKey: String?

  /// Reads the query and, of a POST, the content: a form or a JSON object, whose members are the parameters.
  init(
    _ target: Target, _ exchange: any Exchange, of call: Configuration.Call, allowingDebug: Bool,
    parser: Parser
  ) throws(GatewayError) {
    var reader = ArgumentReader(call.parameters, allowingDebug: allowingDebug)
    try reader.take(target)
    if exchange.method == .post, !exchange.content.isEmpty {
      try Self.takeContent(of: exchange, into: &reader, parser)
    }
    isDebug = reader.isDebug
    arguments = try reader.finish()
    idempotencyKey = try Self.idempotencyKey(of: exchange)
  }

  // MARK: The content

  private static func takeContent(
    of exchange: any Exchange, into reader: inout ArgumentReader, _ parser: Parser
  ) throws(GatewayError) {
    if let coding = exchange.field(.contentEncoding), coding.lowercased() != "identity" {
      throw unsupported("Content-Encoding: \(coding)")
    }
    let type = exchange.field(.contentType) ?? ""
    let span = type.utf8Span.span
    if let charset = MediaType.charset(in: span) {
      let name = String(decoding: Array(type.utf8)[charset], as: UTF8.self).lowercased()
      guard ["utf-8", "utf8", "us-ascii"].contains(name) else { throw unsupported(type) }
    }
    switch MediaType.essence(of: span) {
    case "application/x-www-form-urlencoded": try takeForm(exchange.content, into: &reader)
    case "application/json": try takeJSON(exchange.content, into: &reader, parser)
    default: throw unsupported(type)
    }
  }

  private static func takeForm(_ content: [UInt8], into reader: inout ArgumentReader) throws(GatewayError) {
    var form = FormContent(content)
    while true {
      let field: (name: [UInt8], value: [UInt8])?
      do throws(FormContent.Failure) { field = try form.next() } catch {
        switch error {
        case .malformedField(let name): throw ArgumentReader.invalid(name, .malformedParameter(name))
        }
      }
      guard let field else { return }
      try reader.take(field.name[...], field.value[...])
    }
  }

  private static func takeJSON(
    _ content: [UInt8], into reader: inout ArgumentReader, _ parser: Parser
  ) throws(GatewayError) {
    let document: Document
    do throws(Failure) { document = try parser.parse(Bytes(copying: content)) } catch {
      throw GatewayError(.invalidRequest, .malformedContent(error.description), detail: "content")
    }
    guard document.kind(of: document.root) == .object else {
      throw GatewayError(.invalidRequest, .malformedContent("an object is expected"), detail: "content")
    }
    for (key, value) in document.members(of: document.root) {
      try reader.take(key.text, value, of: document)
    }
  }

  private static func unsupported(_ found: String) -> GatewayError {
    GatewayError(
      .invalidRequest,
      .unsupportedContent(found, allowed: "application/json, application/x-www-form-urlencoded"),
      detail: "content type", httpStatus: 415)
  }

  // MARK: Idempotency

  private static let longestKey = 256

  private static func idempotencyKey(of exchange: any Exchange) throws(GatewayError) -> String? {
    guard let key = exchange.field(.idempotencyKey) else { return nil }
    guard (1...longestKey).contains(key.utf8.count), key.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      throw ArgumentReader.invalid(
        "Idempotency-Key",
        .invalidParameter(
          "Idempotency-Key", found: key, expected: "1 to \(longestKey) printable ASCII characters"))
    }
    return key
  }
}
