import CCurl
import Gateway
import HTTPSemantics

/// The scheme, authority and port of a URL as libcurl itself reads them, so that nothing is judged by one reading and
/// fetched by another.
struct Authority: Equatable {
  private let parts: [String]

  /// What `reference` means in a document at `base` (RFC 3986 §5).
  ///
  /// - Returns: nil when libcurl cannot read either.
  static func resolve(_ reference: String, against base: String) -> String? {
    guard let handle = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(handle) }
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_set(handle, CURLUPART_URL, base, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
      unsafe curl_url_set(handle, CURLUPART_URL, reference, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
      unsafe curl_url_get(handle, CURLUPART_URL, &text, 0) == CURLUE_OK, let text = unsafe text
    else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  /// - Returns: nil when libcurl cannot read the URL.
  init?(_ url: String) {
    guard let handle = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(handle) }
    guard unsafe curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
    // User information is part of it: a redirect may not bring its own.
    let wanted = [CURLUPART_SCHEME, CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_HOST, CURLUPART_PORT]
    parts = wanted.map { part in
      var text: UnsafeMutablePointer<CChar>?
      guard unsafe curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
        let text = unsafe text
      else { return "" }
      defer { unsafe curl_free(text) }
      let value = unsafe String(cString: text)
      return part == CURLUPART_HOST ? value.lowercased() : value
    }
  }
}

/// What is to be done about an answer that points elsewhere (RFC 9110 §15.4).
enum Redirect {
  /// It is an answer like others.
  case deliver
  case follow(String)
  case refuse(String)

  private static let most = 5

  /// - Parameters:
  ///   - status: of the answer that `transfer` got.
  ///   - location: where it points, empty for nowhere.
  init(status: Int, to transfer: CurlTransfer, location: String) {
    // Whether the method changes with 301 to 303 is a matter of custom: they are followed only where it does not matter.
    let isFollowed =
      switch status {
      case 301...303: transfer.request.method == .get || transfer.request.method == .head
      case 307, 308: true
      default: false
      }
    guard isFollowed, transfer.request.followsRedirects, !location.isEmpty else {
      self = .deliver
      return
    }
    guard let target = Authority.resolve(location, against: transfer.url),
      let origin = Authority(transfer.url), Authority(target) == origin
    else {
      self = .refuse("a redirect out of the origin")
      return
    }
    self = transfer.redirectCount < Self.most ? .follow(target) : .refuse("more than \(Self.most) redirects")
  }
}
