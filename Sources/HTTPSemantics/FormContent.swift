/// The content of a form (`application/x-www-form-urlencoded`), field by field.
///
/// - SeeAlso: the URL standard, section 5.1.
package struct FormContent {
  package enum Failure: Error, Sendable, Equatable {
    /// A broken escape, a NUL or bytes that are not UTF-8, in this field's name or value. A name that cannot be
    /// decoded is given as it was sent.
    case malformedField(name: String)
  }

  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next field, decoded; nil behind the last. A repeated one comes as often as it was sent.
  package mutating func next() throws(Failure) -> (name: [UInt8], value: [UInt8])? {
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
      let field = position..<end
      position = end + 1
      if field.isEmpty { continue }
      let equals = bytes[field].firstIndex(of: UInt8(ascii: "=")) ?? end
      guard let name = decoded(field.lowerBound..<equals) else {
        throw .malformedField(name: bytes[field.lowerBound..<equals].text)
      }
      guard let value = decoded(min(equals + 1, end)..<end) else {
        throw .malformedField(name: name[...].text)
      }
      return (name, value)
    }
    return nil
  }

  private func decoded(_ range: Range<Int>) -> [UInt8]? {
    var output: [UInt8] = []
    guard PercentEncoding.decode(bytes.span, range, plusIsSpace: true, into: &output), !output.contains(0),
      String(validating: output, as: UTF8.self) != nil
    else { return nil }
    return output
  }
}
