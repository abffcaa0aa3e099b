import HTTPSemantics
import JSON
import Paging
import TextEncoding

/// Makes pages of an upstream's answers, or tells why they are none.
///
/// An answer is judged by its status first, then by its bytes: that its `Content-Type` claims another format does not count.
final class AnswerReader {
  let normaliser: Normaliser
  let parser: Parser
  private let process: ProcessState
  /// The character set of every answer, whatever it says; nil where its `Content-Type` is believed.
  private let charset: Charset?
  /// The most bytes of a body, in UTF-8 as well.
  private let bodyLimit: Int
  /// For the character set that was converted last.
  private var transcoder: Transcoder?

  init(plan: WalkPlan, charset: Charset?, bodyLimit: Int, parser: Parser, process: ProcessState) {
    normaliser = Normaliser(plan: plan)
    self.charset = charset
    self.bodyLimit = bodyLimit
    self.parser = parser
    self.process = process
  }

  /// - Parameters:
  ///   - sent: what was asked.
  ///   - recognised: what the walk goes by, where that is not the list's own plan.
  func page(
    of response: TransportResponse, to sent: RenderedRequest, by recognised: RecognisedPlan?
  ) -> Result<Page, GatewayError> {
    do throws(GatewayError) {
      return .success(try judge(response, sent, recognised))
    } catch {
      error.receivedStatus = response.status
      error.answer = response.body
      return .failure(error)
    }
  }

  private func judge(
    _ response: TransportResponse, _ sent: RenderedRequest, _ recognised: RecognisedPlan?
  ) throws(GatewayError) -> Page {
    switch response.status {
    case 200...299: return try page(in: response, sent, recognised)
    case 400...499: throw refusal(in: response)
    default: throw fault(of: response)
    }
  }

  func fault(of response: TransportResponse) -> GatewayError {
    GatewayError(
      .upstreamFault, .serverFault, detail: "the upstream answered with status \(response.status)")
  }

  private func page(
    in response: TransportResponse, _ sent: RenderedRequest, _ recognised: RecognisedPlan?
  ) throws(GatewayError) -> Page {
    let body = try text(of: response)
    // A relative next URL starts from where the answer was found (RFC 3986 §5.1.3).
    let target = response.redirectedTarget ?? sent.target
    do throws(PageFault) {
      if let recognised {
        return try recognised.page(
          ofBody: body, status: response.status, fields: response.fields, to: sent, target: target, parser)
      }
      return try normaliser.page(
        ofBody: body, parser: parser, status: response.status, fields: response.fields,
        target: target)
    } catch {
      let error = GatewayError(error)
      if error.code == .rateLimited { error.retryAfter = retryAfter(response) }
      throw error
    }
  }

  func refusal(in response: TransportResponse) -> GatewayError {
    // What cannot be read has no words to pass on, and refuses all the same.
    let body = (try? text(of: response)) ?? response.body
    let reason = normaliser.reason(
      in: body, parser: parser, status: response.status, fields: response.fields)
    let error = GatewayError(reason, status: response.status)
    if error.code == .rateLimited { error.retryAfter = retryAfter(response) }
    return error
  }

  /// The body in UTF-8.
  func text(of response: TransportResponse) throws(GatewayError) -> Bytes {
    guard response.body.count > 0, let charset = try charset(of: response) else { return response.body }
    let name = charset.converterName(for: response.body[0..<min(4, response.body.count)])
    if transcoder?.name != name { transcoder = Transcoder(name) }
    guard let transcoder else { throw Self.unknownCharset(charset.label) }
    do throws(Transcoder.Failure) {
      return try transcoder.utf8(of: response.body, ceiling: bodyLimit)
    } catch {
      throw GatewayError(.upstreamFault, .serverFault, detail: error.message)
    }
  }

  /// The character set of an answer; nil for UTF-8.
  private func charset(of response: TransportResponse) throws(GatewayError) -> Charset? {
    if let charset { return charset.isUTF8 ? nil : charset }
    guard let type = response.fields.first(.contentType), let range = MediaType.charset(in: type.span) else {
      return nil
    }
    let label = type[type.startIndex + range.lowerBound..<type.startIndex + range.upperBound]
    if Charset.isUTF8(label: label) { return nil }
    // Whoever answers does not choose among all the tables that the C library can load.
    guard let charset = Charset(label: label), charset.isDeclarable else {
      throw Self.unknownCharset(label.text)
    }
    return charset
  }

  private static func unknownCharset(_ name: String) -> GatewayError {
    GatewayError(
      .upstreamFault, .serverFault, detail: "the character set \(name.prefix(64)) is not known")
  }

  /// Seconds that the upstream asks to be left alone.
  func retryAfter(_ response: TransportResponse) -> Int {
    guard let field = response.fields.first(.retryAfter),
      let wait = RetryAfter(parsing: field.span, now: process.unixSeconds())
    else { return GatewayError.usualRetry }
    return max(1, Int(wait.delay(at: process.unixSeconds()).components.seconds))
  }
}
