// Layout: the reference as it came, and where its parts are. Nothing is decoded, lower-cased or encoded again:
//
//   https://api.example.com:8443/v2/items?page=2#top
//   scheme  authority────────────path─────query──fragment

/// A URI or a relative reference (RFC 3986 §4.1), such as a next link, taken apart.
package struct URIReference: Sendable, Equatable {
  private let bytes: [UInt8]
  private let schemeRange: Range<Int>?
  private let authorityRange: Range<Int>?
  private let pathRange: Range<Int>
  private let queryRange: Range<Int>?
  private let fragmentRange: Range<Int>?

  package var scheme: ArraySlice<UInt8>? { schemeRange.map { bytes[$0] } }
  /// What follows `//`: `user@host:port`.
  package var authority: ArraySlice<UInt8>? { authorityRange.map { bytes[$0] } }
  /// Empty, or the path as it stands, escapes and all.
  package var path: ArraySlice<UInt8> { bytes[pathRange] }
  /// Without the `?`; nil when there is none, which is not the same as an empty one.
  package var query: ArraySlice<UInt8>? { queryRange.map { bytes[$0] } }
  /// Without the `#`.
  package var fragment: ArraySlice<UInt8>? { fragmentRange.map { bytes[$0] } }
  /// The whole reference.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Every byte string without control characters is a reference; white space around it does not count.
  ///
  /// - Returns: nil when there is a control character inside, or more than 65,536 bytes.
  package init?(parsing reference: Span<UInt8>) {
    var content = 0..<reference.count
    while !content.isEmpty, reference[content.lowerBound] <= 0x20 {
      content = content.lowerBound + 1..<content.upperBound
    }
    while !content.isEmpty, reference[content.upperBound - 1] <= 0x20 {
      content = content.lowerBound..<content.upperBound - 1
    }
    guard content.count <= 65_536 else { return nil }
    for index in content where reference[index] < 0x20 || reference[index] == 0x7F { return nil }
    var bytes: [UInt8] = []
    bytes.append(content, of: reference)
    self.init(bytes)
  }

  package init?(parsing reference: String) { self.init(parsing: reference.utf8Span.span) }

  /// The split of RFC 3986 appendix B.
  private init(_ bytes: [UInt8]) {
    let span = bytes.span
    var end = bytes.count
    if let hash = span.firstIndex(of: UInt8(ascii: "#"), in: 0..<end) {
      fragmentRange = hash + 1..<end
      end = hash
    } else {
      fragmentRange = nil
    }
    if let question = span.firstIndex(of: UInt8(ascii: "?"), in: 0..<end) {
      queryRange = question + 1..<end
      end = question
    } else {
      queryRange = nil
    }
    var start = 0
    if let colon = URIReference.endOfScheme(span, end) {
      schemeRange = 0..<colon
      start = colon + 1
    } else {
      schemeRange = nil
    }
    if start + 2 <= end, span[start] == UInt8(ascii: "/"), span[start + 1] == UInt8(ascii: "/") {
      let slash = span.firstIndex(of: UInt8(ascii: "/"), in: start + 2..<end) ?? end
      authorityRange = start + 2..<slash
      start = slash
    } else {
      authorityRange = nil
    }
    pathRange = start..<end
    self.bytes = bytes
  }

  /// The position of the colon that ends a scheme, when the reference starts with one.
  private static func endOfScheme(_ span: Span<UInt8>, _ end: Int) -> Int? {
    guard end > 0, span[0].isAlpha else { return nil }
    for index in 1..<max(end, 1) {
      let byte = span[index]
      if byte == UInt8(ascii: ":") { return index }
      guard
        byte.isAlpha || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".")
      else { return nil }
    }
    return nil
  }

  /// What this reference means inside a document at `base`, whose own fragment does not matter (RFC 3986 §5.2, strict).
  package func resolved(against base: URIReference) -> URIReference {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + base.bytes.count + 4)
    let effectiveScheme = scheme ?? base.scheme
    let effectiveAuthority = scheme != nil || authority != nil ? authority : base.authority
    if let effectiveScheme {
      result.append(contentsOf: effectiveScheme)
      result.append(UInt8(ascii: ":"))
    }
    if let effectiveAuthority {
      result.append(contentsOf: [UInt8(ascii: "/"), UInt8(ascii: "/")])
      result.append(contentsOf: effectiveAuthority)
    }
    var effectiveQuery = query
    if scheme != nil || authority != nil || path.first == UInt8(ascii: "/") {
      URIReference.appendWithoutDots(Array(path), to: &result)
    } else if path.isEmpty {
      result.append(contentsOf: base.path)
      effectiveQuery = query ?? base.query
    } else {
      URIReference.appendWithoutDots(merged(with: base), to: &result)
    }
    if let effectiveQuery {
      result.append(UInt8(ascii: "?"))
      result.append(contentsOf: effectiveQuery)
    }
    if let fragment {
      result.append(UInt8(ascii: "#"))
      result.append(contentsOf: fragment)
    }
    return URIReference(result)
  }

  /// RFC 3986 §5.2.3.
  private func merged(with base: URIReference) -> [UInt8] {
    if base.authority != nil, base.path.isEmpty { return [UInt8(ascii: "/")] + path }
    guard let slash = base.path.lastIndex(of: UInt8(ascii: "/")) else { return Array(path) }
    return Array(base.path[...slash]) + path
  }

  /// RFC 3986 §5.2.4: takes `.` and `..` out of `path`.
  private static func appendWithoutDots(_ path: [UInt8], to output: inout [UInt8]) {
    let slash = UInt8(ascii: "/")
    let floor = output.count
    var position = 0
    while position < path.count {
      let isRooted = path[position] == slash
      let start = isRooted ? position + 1 : position
      let end = path[start...].firstIndex(of: slash) ?? path.count
      let segment = path[start..<end]
      let isLast = end == path.count
      if segment.equals(".") {
        if isRooted, isLast { output.append(slash) }
      } else if segment.equals("..") {
        if isRooted {
          while output.count > floor, output.popLast() != slash {}
          if isLast { output.append(slash) }
        }
      } else {
        if isRooted { output.append(slash) }
        output.append(contentsOf: segment)
      }
      // A leading dot segment without a slash takes its following slash along.
      position = !isRooted && (segment.equals(".") || segment.equals("..")) ? min(end + 1, path.count) : end
    }
  }
}
