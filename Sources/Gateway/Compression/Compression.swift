package import Configuration
import HTTPSemantics

/// Has contents compressed for clients that take that, where it is worth it.
///
/// A whole list's stream is not: each item would have to be flushed for itself, lest it wait for those behind it, and that
/// takes away most of what compression gains.
package final class Compression {
  private let codings: [ContentCoding]
  private let minimum: Int
  private let compressor: any ContentCompressor

  /// - Returns: nil where nothing is to be compressed.
  package init?(_ settings: Configuration.Compression, by compressor: any ContentCompressor) {
    if settings.codings.isEmpty { return nil }
    codings = settings.codings.map(\.contentCoding)
    minimum = settings.minimum
    self.compressor = compressor
  }

  func apply(to response: inout Response, for request: Request) {
    let count = response.contentByteCount
    if count == 0 { return }
    guard let field = request.exchange.field(.acceptEncoding) else { return }
    let isWorthIt = count >= minimum
    if !isWorthIt, AcceptEncoding.allowsIdentity(field.utf8Span.span) { return }
    let coding = AcceptEncoding.choose(field.utf8Span.span, among: codings)
    if coding == .identity { return }
    guard let content = compressed(response, in: coding) else { return }
    if content.reduce(0, { $0 + $1.count }) >= count, AcceptEncoding.allowsIdentity(field.utf8Span.span) {
      return
    }
    response.content = content
    response.fields.append(.contentEncoding, coding.name.description)
    if let tag = response.fields.first(.etag).flatMap({ ETag(parsing: $0.span) }) {
      var value: [UInt8] = []
      tag.of(coding).append(to: &value)
      response.fields.set(.etag, value)
    }
  }

  private func compressed(_ response: Response, in coding: ContentCoding) -> [Response.Segment]? {
    let differing = response.kept?.differingCount ?? 0
    let make = { [compressor] in compressor.compress(response.content[differing...], in: coding) }
    guard let rest = response.kept.map({ $0.form(in: coding, make) }) ?? make() else { return nil }
    var start: [UInt8] = []
    for case .bytes(let bytes) in response.content[..<differing] { start += bytes }
    return compressor.join(start, rest)
  }
}

extension Answer {
  /// Appends the tag of a content, and says whether the client has it already: then the answer is 304 (RFC 9110 §13.1.2).
  ///
  /// A compressed content has a tag of its own. Who names one, and still takes that coding, has what it asks for.
  static func append(_ tag: ETag, to fields: inout Fields, for request: Request) -> Bool {
    var value: [UInt8] = []
    if !request.isDebug, let known = request.exchange.field(.ifNoneMatch) {
      let known = known.utf8Span.span
      if let held = tag.isNamed(byIfNoneMatch: known) ? tag : compressed(tag, in: known, of: request) {
        held.append(to: &value)
        fields.append(.etag, value)
        return true
      }
    }
    tag.append(to: &value)
    fields.append(.etag, value)
    return false
  }

  private static func compressed(_ tag: ETag, in known: Span<UInt8>, of request: Request) -> ETag? {
    guard let accepted = request.exchange.field(.acceptEncoding) else { return nil }
    for coding in [ContentCoding.zstd, .br, .gzip]
    where AcceptEncoding.accepts(coding, in: accepted.utf8Span.span) {
      let form = tag.of(coding)
      if form.isNamed(byIfNoneMatch: known) { return form }
    }
    return nil
  }
}

extension ETag {
  /// The tag of the same content in a coding: two contents that differ in bytes do not share a strong one.
  fileprivate func of(_ coding: ContentCoding) -> ETag {
    ETag(opaque: opaque + Array("-\(coding.name)".utf8), isWeak: isWeak)
  }
}
