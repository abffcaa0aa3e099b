import HTTPSemantics

/// Where the parts of an absolute URL lie that libcurl is told of apart: the root of its origin, which stays the same from
/// one request to the next and so is not read again, and the target, which it sends as it is (CURLOPT_REQUEST_TARGET(3)).
struct SplitURL {
  let isSecure: Bool
  /// Where the root ends, in UTF-8: after the authority.
  let rootEnd: Int
  /// Where the target ends: before the fragment.
  let end: Int
  /// Whether the target can be sent as it is: it begins with a slash (RFC 9112 §3.2.1), and is ASCII.
  let isPlain: Bool

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
    var isASCII = true
    for index in schemeByteCount..<url.count {
      let byte = url[index]
      if byte <= 0x20 || byte == 0x7F { return nil }
      if byte >= 0x80 { isASCII = false }
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
    isPlain = isASCII && self.rootEnd < self.end && url[self.rootEnd] == UInt8(ascii: "/")
  }

  /// The target of `url`, which was split here, with what is not ASCII percent-encoded.
  func target(of url: String) -> [UInt8] {
    let given = Array(url.utf8.dropFirst(rootEnd).prefix(end - rootEnd))
    if isPlain { return given }
    var target: [UInt8] = given.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    for byte in given {
      if byte < 0x80 {
        target.append(byte)
      } else {
        target += [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
      }
    }
    return target
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func begins(_ url: Span<UInt8>, with scheme: StaticString) -> Bool {
    let count = scheme.utf8CodeUnitCount
    return url.count > count && url.matches(scheme, in: 0..<count)
  }
}
