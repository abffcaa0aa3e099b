// Layout: the decoded segments and parameters lie in one byte buffer, back to back.
//
//   /v1/lists/a%20b?limit=5  →  bytes  v 1 l i s t s a ␠ b l i m i t 5
//                               segments (0..<2) (2..<7) (7..<10)     parameters (10..<15, 15..<16)

/// What a client asks for: the path's segments and the query's parameters, decoded once and never to be decoded again.
///
/// Segments are split before they are decoded, so an escaped slash is part of a name and cannot make another path.
/// - SeeAlso: RFC 9112 §3.2, RFC 3986 §3.3 and §3.4.
package struct Target: Sendable {
  /// One name and value, decoded.
  package struct Parameter: Sendable {
    package let name: ArraySlice<UInt8>
    package let value: ArraySlice<UInt8>
  }

  package enum Failure: Error, Sendable, Equatable {
    /// Longer than ``maximumByteCount``, or of more than ``maximumPartCount`` segments or parameters.
    case tooLong
    /// Neither `/path` nor `http://host/path`.
    case notAPath
    /// A broken escape, a NUL or bytes that are not UTF-8 in the path; or a fragment, which is never sent.
    case malformedPath
    /// `.` or `..` as a segment, plain or escaped.
    case dotSegment
    /// A broken escape, a NUL or bytes that are not UTF-8, in this parameter's name or value. A name that cannot
    /// be decoded is given as it was sent.
    case malformedParameter(name: String)
  }

  package static let maximumByteCount = 16_384
  package static let maximumPartCount = 256

  private var bytes: [UInt8] = []
  /// Whether nothing is to be decoded and every byte is text: then parts are copied as they are.
  private var isPlain = true
  /// The end of each segment; then, for each parameter, the end of its name and the end of its value.
  private var ends: [UInt16] = []

  /// The number of segments: 0 for `/`. A slash at the end makes an empty last segment.
  package private(set) var segmentCount = 0
  package var parameterCount: Int { (ends.count - segmentCount) / 2 }

  package func segment(_ index: Int) -> ArraySlice<UInt8> {
    precondition(index < segmentCount, "no such segment")
    return bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
  }

  /// The parameters in the order they came; a repeated one comes as often as it was sent.
  package func parameter(_ index: Int) -> Parameter {
    let position = segmentCount + 2 * index
    let start = position == 0 ? 0 : Int(ends[position - 1])
    let middle = Int(ends[position])
    return Parameter(name: bytes[start..<middle], value: bytes[middle..<Int(ends[position + 1])])
  }

  /// The value of the only parameter called `name`; nil when it is absent or repeated.
  package func only(_ name: StaticString) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    for index in 0..<parameterCount {
      let parameter = parameter(index)
      guard parameter.name.equals(name) else { continue }
      if found != nil { return nil }
      found = parameter.value
    }
    return found
  }

  /// Reads a request target in origin form, or in absolute form, whose scheme and authority are passed over.
  package init(parsing target: Span<UInt8>) throws(Failure) {
    guard target.count <= Target.maximumByteCount else { throw .tooLong }
    let start = Target.pathStart(of: target)
    guard let start else { throw .notAPath }
    var question = target.count
    let plain = Target.plain
    for index in start..<target.count {
      let byte = target[index]
      // Nearly every byte is a letter or a digit: one look tells.
      if plain.contains(byte) { continue }
      switch byte {
      case UInt8(ascii: "#"): throw .malformedPath
      case UInt8(ascii: "?"): if question == target.count { question = index }
      default: isPlain = false
      }
    }
    bytes.reserveCapacity(target.count - start)
    ends.reserveCapacity(12)
    try readPath(target, start..<question)
    if question < target.count { try readQuery(target, question + 1..<target.count) }
  }

  /// What stands for itself, undecoded.
  private static let plain = ByteSet.alphanumeric.union(ByteSet("-._~/=&,;:@!$'()*"))

  private static func pathStart(of target: Span<UInt8>) -> Int? {
    if target.count > 0, target[0] == UInt8(ascii: "/") { return 0 }
    let authority: Int
    if target.count > 7, target.matches("http://", in: 0..<7) {
      authority = 7
    } else if target.count > 8, target.matches("https://", in: 0..<8) {
      authority = 8
    } else {
      return nil
    }
    return target.firstIndex(of: UInt8(ascii: "/"), in: authority..<target.count)
  }

  private mutating func readPath(_ target: Span<UInt8>, _ path: Range<Int>) throws(Failure) {
    var position = path.lowerBound + 1
    guard position < path.upperBound else { return }
    while true {
      let end = target.firstIndex(of: UInt8(ascii: "/"), in: position..<path.upperBound) ?? path.upperBound
      let start = bytes.count
      guard segmentCount < Target.maximumPartCount else { throw .tooLong }
      guard decode(target, position..<end, plusIsSpace: false) else { throw .malformedPath }
      let segment = bytes[start...]
      if segment.equals(".") || segment.equals("..") { throw .dotSegment }
      ends.append(UInt16(bytes.count))
      segmentCount += 1
      if end == path.upperBound { return }
      position = end + 1
    }
  }

  private mutating func readQuery(_ target: Span<UInt8>, _ query: Range<Int>) throws(Failure) {
    var position = query.lowerBound
    while position < query.upperBound {
      let end = target.firstIndex(of: UInt8(ascii: "&"), in: position..<query.upperBound) ?? query.upperBound
      if position < end { try readParameter(target, position..<end) }
      position = end + 1
    }
  }

  private mutating func readParameter(_ target: Span<UInt8>, _ pair: Range<Int>) throws(Failure) {
    guard parameterCount < Target.maximumPartCount else { throw .tooLong }
    let equals = target.firstIndex(of: UInt8(ascii: "="), in: pair) ?? pair.upperBound
    let nameStart = bytes.count
    guard decode(target, pair.lowerBound..<equals, plusIsSpace: true) else {
      var raw: [UInt8] = []
      raw.append(pair.lowerBound..<equals, of: target)
      throw .malformedParameter(name: String(decoding: raw, as: UTF8.self))
    }
    let valueStart = bytes.count
    let value = min(equals + 1, pair.upperBound)..<pair.upperBound
    guard decode(target, value, plusIsSpace: true) else {
      throw .malformedParameter(name: bytes[nameStart..<valueStart].text)
    }
    ends.append(UInt16(valueStart))
    ends.append(UInt16(bytes.count))
  }

  /// Appends what `range` stands for; false when that is not UTF-8 without a NUL, or an escape is broken.
  private mutating func decode(_ target: Span<UInt8>, _ range: Range<Int>, plusIsSpace: Bool) -> Bool {
    if isPlain {
      bytes.append(range, of: target)
      return true
    }
    let start = bytes.count
    guard PercentEncoding.decode(target, range, plusIsSpace: plusIsSpace, into: &bytes) else { return false }
    var isASCII = true
    for index in start..<bytes.count {
      if bytes[index] == 0 { return false }
      if bytes[index] >= 0x80 { isASCII = false }
    }
    return isASCII || String(validating: bytes[start...], as: UTF8.self) != nil
  }
}
