/// Where the parts of an absolute URL lie that libcurl is told of apart: the root of its origin, which stays the same from
/// one request to the next and so is not read again, and the target, which it sends as it is (CURLOPT_REQUEST_TARGET(3)).
struct SplitURL {
  let isSecure: Bool
  /// Where the root ends, in UTF-8: after the authority.
  let rootEnd: Int
  /// Where the target ends: before the fragment.
  let end: Int
  /// Whether the target begins with a slash, as it must be sent (RFC 9112 §3.2.1).
  let isRooted: Bool

  /// - Returns: nil for what libcurl would guess or what could not be sent in one line: no http or https URL with an
  ///   authority, control characters, spaces.
  init?(_ url: Span<UInt8>) {
    let schemeByteCount: Int
    if Self.begins(url, with: "https://") {
      (isSecure, schemeByteCount) = (true, 8)
    } else if Self.begins(url, with: "http://") {
      (isSecure, schemeByteCount) = (false, 7)
    } else {
      return nil
    }
    var rootEnd: Int?
    var end: Int?
    for index in schemeByteCount..<url.count {
      let byte = url[index]
      if byte <= 0x20 || byte == 0x7F { return nil }
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"):
        if rootEnd == nil { rootEnd = index }
      case UInt8(ascii: "#"):
        if rootEnd == nil { rootEnd = index }
        if end == nil { end = index }
      default: break
      }
    }
    self.rootEnd = rootEnd ?? url.count
    self.end = end ?? url.count
    guard self.rootEnd > schemeByteCount else { return nil }
    isRooted = self.rootEnd < self.end && url[self.rootEnd] == UInt8(ascii: "/")
  }

  /// The target of `url`, which was split here.
  func target(of url: String) -> [UInt8] {
    let target = Array(url.utf8.dropFirst(rootEnd).prefix(end - rootEnd))
    return isRooted ? target : [UInt8(ascii: "/")] + target
  }

  private static func begins(_ url: Span<UInt8>, with scheme: StaticString) -> Bool {
    let count = scheme.utf8CodeUnitCount
    return url.count > count && url.extracting(0..<count).equalsIgnoringCase(scheme)
  }
}
