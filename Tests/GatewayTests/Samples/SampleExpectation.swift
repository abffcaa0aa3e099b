import Foundation
import JSON
import TestSupport

/// What a client is to get for a recorded answer, read from the recording without the gateway's own means.
struct SampleExpectation {
  enum Outcome: Equatable {
    case items([String])
    /// `header.error`, and the upstream's words; nil for Listway's own.
    case failure(String, message: String?)
  }

  var outcome: Outcome
  /// Nil where the recording does not say.
  var total: Int??
  var pageCount: Int??
  var hasMore: Bool?
  var upstreamCode: String?

  /// How the answer reads in the end: unwrapped, and in UTF-8.
  static func document(of sample: Sample, body: [UInt8]) -> Document? {
    var bytes = body
    if let charset = sample.charset {
      // The name that Core Foundation has for GB 18030, which holds GBK.
      precondition(charset == "gbk", "a recording in \(charset)")
      guard let text = String(data: Data(body), encoding: String.Encoding(rawValue: 0x8000_0632)) else {
        return nil
      }
      bytes = Array(text.utf8)
    }
    if sample.format == "jsonp" || sample.file.hasPrefix("gerrit/rest"),
      let start = bytes.firstIndex(where: { "[{".utf8.contains($0) }),
      let end = bytes.lastIndex(where: { "]}".utf8.contains($0) })
    {
      bytes = Array(bytes[start...end])
    }
    guard let document = try? Parser(maximumDepth: 300).parse(Bytes(copying: bytes)) else { return nil }
    if let text = document.string(of: document.root) {
      return try? Parser(maximumDepth: 300).parse(Bytes(copying: Array(text.utf8)))
    }
    return document
  }

  init(_ sample: Sample, _ configuration: SampleConfiguration, body: [UInt8]) throws {
    outcome = try Self.outcome(of: sample, configuration, body: body)
    guard case .items = outcome else {
      if sample.response.status < 500 { upstreamCode = Self.code(in: sample, configuration) }
      return
    }
    hasMore = sample.expected.morePages
    let trailer = Self.trailer(of: sample, body: body)
    let said = configuration.document ?? trailer
    total = configuration.total.map { Self.count(at: $0, in: said, sample) }
    pageCount = configuration.pageCount.map { Self.count(at: $0, in: said, sample) }
  }

  private static func outcome(
    of sample: Sample, _ configuration: SampleConfiguration, body: [UInt8]
  ) throws -> Outcome {
    let status = sample.response.status
    // What an XML API says inside its answers is not read, and neither is a page for people.
    let isRead = !sample.isXML && sample.format != "html"
    let message = exactMessages[sample.file] ?? sample.expected.message
    let words = isRead ? message.flatMap { $0.isEmpty ? nil : $0 } : nil
    switch status {
    case 400...499:
      let code = Self.code(in: sample, configuration)
      let meaning = code.flatMap { SampleAPI.all[sample.api]?.cases[$0] }
      return .failure(error(meaning) ?? (status == 429 ? "rate_limited" : "upstream_refused"), message: words)
    case 200...299 where sample.isXML: return .failure("upstream_fault", message: nil)
    case 200...299 where sample.expected.outcome == "business-error":
      let code = Self.code(in: sample, configuration)
      let meaning = code.flatMap { SampleAPI.all[sample.api]?.cases[$0] }
      return .failure(error(meaning) ?? "upstream_refused", message: words)
    case 200...299 where sample.isList: return .items(try items(of: sample, configuration, body: body))
    case 200...299:
      return .failure(configuration.document == nil ? "upstream_fault" : "upstream_shape", message: nil)
    default: return .failure("upstream_fault", message: nil)
    }
  }

  /// Where the index leaves out a full stop that the recording has.
  private static let exactMessages = ["arcgis/error-in-200.json": "Unable to complete operation."]

  private static func error(_ meaning: String?) -> String? {
    switch meaning {
    case "session_expired": "session_failed"
    case let meaning?: meaning
    case nil: nil
    }
  }

  /// The upstream's own code: where its configuration says, else the HTTP status of a refusal by status.
  private static func code(in sample: Sample, _ configuration: SampleConfiguration) -> String? {
    let api = SampleAPI.all[sample.api] ?? SampleAPI()
    if !sample.isXML, let document = configuration.document {
      if let code = api.code, let node = document.node(at: try! Pointer(code)),
        let text = document.text(of: node)
      {
        return text
      }
      if api.code == nil,
        let when = api.when?.split(separator: "\"").dropFirst(2).first(where: { $0.hasPrefix("/") }),
        let node = document.node(at: try! Pointer(String(when))), let text = document.text(of: node),
        document.bool(of: node) == nil
      {
        return text
      }
    }
    return (400...499).contains(sample.response.status) ? String(sample.response.status) : nil
  }

  // MARK: Items

  private static func items(
    of sample: Sample, _ configuration: SampleConfiguration, body: [UInt8]
  ) throws -> [String] {
    if sample.format == "ndjson" {
      let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
      return Array(lines.dropLast(sample.trailerLines ?? 0))
    }
    guard let document = configuration.document else { return [] }
    func text(_ node: Node) -> String {
      String(decoding: document.bytes[document.range(of: node)], as: UTF8.self)
    }
    if let join = sample.itemsJoin {
      guard let ids = document.node(at: try Pointer(join.ids)),
        let map = document.node(at: try Pointer(join.map))
      else { return [] }
      return document.elements(of: ids).compactMap { document.text(of: $0) }.compactMap { id in
        document.members(of: map).first { $0.key.text == id }.map { text($0.value) }
      }
    }
    guard let pointer = sample.items ?? configuration.hint.at,
      let node = document.node(at: try Pointer(pointer))
    else { return [] }
    switch sample.itemsKind {
    case "object-map", "object-map-numeric": return document.members(of: node).map { text($0.value) }
    case "single-object-instead-of-array": return [text(node)]
    default:
      let elements = document.elements(of: node)
      guard let encoding = sample.itemEncoding else { return elements.map(text) }
      let inner = try Pointer(String(encoding.split(separator: " ").last ?? ""))
      return elements.compactMap { document.node(at: inner, from: $0).flatMap { document.string(of: $0) } }
    }
  }

  private static func trailer(of sample: Sample, body: [UInt8]) -> Document? {
    guard sample.format == "ndjson", let last = body.split(separator: 0x0A).last else { return nil }
    return try? Parser(maximumDepth: 300).parse(Bytes(copying: Array(last)))
  }

  // MARK: Numbers

  private static func count(at locator: String, in document: Document?, _ sample: Sample) -> Int? {
    let text: String?
    if locator.hasPrefix("header:") {
      text = sample.response.headers.first { $0.key.lowercased() == locator.dropFirst(7).lowercased() }?.value
    } else {
      text = document?.node(at: try! Pointer(locator)).flatMap { document?.text(of: $0) }
    }
    return text.flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
  }
}
