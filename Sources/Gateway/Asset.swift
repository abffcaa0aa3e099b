import HTTPSemantics
import JSON

/// A document of Listway's own that does not change while it runs, such as the explorer's files and the API's description.
///
/// Made once, at the start, and shared by all loops.
package struct Asset: Sendable {
  /// What it belongs to, for figures and logs.
  package enum Purpose: Sendable {
    case explorer, client, openAPI

    var route: Route {
      switch self {
      case .explorer: .explorer
      case .client: .client
      case .openAPI: .openAPI
      }
    }
  }

  let purpose: Purpose
  /// The path's only segment; empty for `/`.
  let name: String
  let mediaType: String
  let content: Bytes
  let tag: ETag

  package init(_ purpose: Purpose, name: String, mediaType: String, content: [UInt8]) {
    self.purpose = purpose
    self.name = name
    self.mediaType = mediaType
    self.content = Bytes(copying: content)
    var digest = ContentDigest()
    unsafe content.withUnsafeBytes { unsafe digest.combine($0) }
    tag = ETag(digest: digest.value)
  }

  /// Whether it is what the path names.
  func isNamed(by target: Target) -> Bool {
    switch target.segmentCount {
    case 0: name.isEmpty
    case 1: !name.isEmpty && target.segment(0).equals(text: name)
    default: false
    }
  }
}

extension Answer {
  /// All that the explorer's page may do: load its own files, and ask this gateway. Nothing inline, nothing from elsewhere,
  /// in nobody's frame.
  private static let securityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The asset, or 304 where the client has it already: it asks every time, so that a new version is seen at once.
  static func asset(_ asset: Asset, for request: Request) -> Response {
    var fields = Fields()
    fields.reserve(lines: 8, bytes: 512)
    fields.append(.xRequestID, request.id)
    fields.append(.cacheControl, "no-cache")
    if request.isForCompression { fields.append(.vary, "Accept-Encoding") }
    if append(asset.tag, to: &fields, for: request) {
      return Response(status: 304, fields: fields, content: [])
    }
    fields.append(.contentType, asset.mediaType)
    fields.append("X-Content-Type-Options", "nosniff")
    if asset.purpose == .explorer {
      fields.append("Content-Security-Policy", securityPolicy)
      fields.append("Referrer-Policy", "no-referrer")
    }
    return Response(status: 200, fields: fields, content: [.slice(asset.content, 0..<asset.content.count)])
  }
}
