/// What a `Content-Type` says (RFC 9110 §8.3.1).
package enum MediaType {
  /// The type and subtype in lower case, without parameters: `application/json`.
  package static func essence(of value: Span<UInt8>) -> String {
    var parts = FieldList()
    guard let range = parts.next(in: value, separator: UInt8(ascii: ";"), end: value.count) else { return "" }
    var essence: [UInt8] = []
    for index in range { essence.append(value[index].lowercased) }
    return String(decoding: essence, as: UTF8.self)
  }

  /// Where the value of the parameter `charset` is, without quotes around it; nil where there is none.
  package static func charset(in value: Span<UInt8>) -> Range<Int>? {
    var parts = FieldList()
    guard parts.next(in: value, separator: UInt8(ascii: ";"), end: value.count) != nil else { return nil }
    while let part = parts.next(in: value, separator: UInt8(ascii: ";"), end: value.count) {
      guard let equals = part.first(where: { value[$0] == UInt8(ascii: "=") }),
        value.matches("charset", in: value.trimmed(part.lowerBound..<equals))
      else { continue }
      var content = value.trimmed(equals + 1..<part.upperBound)
      if content.count >= 2, value[content.lowerBound] == UInt8(ascii: "\""),
        value[content.upperBound - 1] == UInt8(ascii: "\"")
      {
        content = content.lowerBound + 1..<content.upperBound - 1
      }
      return content.isEmpty ? nil : content
    }
    return nil
  }
}
