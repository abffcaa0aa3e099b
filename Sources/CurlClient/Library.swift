import CCurl

/// libcurl as a whole.
enum Library {
  /// What curl_global_init(3) returned. It is called once, by whoever asks first, whatever the thread.
  static let initialisation: CURLcode = curl_global_init_default()

  /// Of the library that runs: 0xXXYYZZ for version X.Y.Z.
  static let version = unsafe curl_version_info_now()?.pointee.version_num ?? 0

  /// The content codings that it can undo, as `Accept-Encoding` lists them.
  static let codings: [UInt8] = {
    guard let version = unsafe curl_version_info_now() else { return [] }
    let features = unsafe version.pointee.features
    let all = [
      ("deflate, gzip", CURL_VERSION_LIBZ), ("br", CURL_VERSION_BROTLI), ("zstd", CURL_VERSION_ZSTD),
    ]
    return Array(all.filter { features & $0.1 != 0 }.map(\.0).joined(separator: ", ").utf8)
  }()

  /// - Throws: when libcurl cannot be initialised, or lacks what a loop depends on.
  static func require() throws(CurlFailure) {
    guard initialisation == CURLE_OK else {
      throw CurlFailure(call: "curl_global_init", reason: initialisation)
    }
    guard let version = unsafe curl_version_info_now() else {
      throw CurlFailure("libcurl does not tell its version")
    }
    let features = unsafe version.pointee.features
    for (name, bit) in [
      ("a resolver that does not block", CURL_VERSION_ASYNCHDNS), ("TLS", CURL_VERSION_SSL),
    ]
    where features & bit == 0 {
      throw CurlFailure("this libcurl was built without \(name)")
    }
  }
}

/// libcurl will not do its part: memory is short, or it was built without what is needed.
package struct CurlFailure: Error, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  init(call: String, reason: CURLcode) {
    description = "\(call): \(unsafe String(cString: curl_easy_strerror(reason)))"
  }
}
