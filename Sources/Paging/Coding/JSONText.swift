import JSON

/// Reads the few JSON values that are kept outside of a document: keys and tokens, which came out of one.
enum JSONText {
  /// A key that the next page is asked for by: a string, a number or an array; nil for anything else, and for what is too
  /// long to be sent.
  static func key(_ bytes: Bytes, in range: Range<Int>) -> Said.Next? {
    guard range.count <= Place.maximumByteCount,
      let document = try? Parser(maximumDepth: 8).parse(bytes, in: range)
    else { return nil }
    switch document.kind(of: document.root) {
    case .string:
      var text: [UInt8] = []
      return document.appendText(of: document.root, to: &text) ? .text(text) : nil
    case .number, .array: return .json(bytes[range])
    case .object, .bool, .null: return nil
    }
  }

  /// The members of an object, each as it is sent outside of JSON; null ones are left out. None for anything else.
  static func members(of value: PageRequest.Value) -> [(name: String, value: PageRequest.Value)] {
    guard case .json(let json) = value,
      let document = try? Parser(maximumDepth: 64).parse(Bytes(copying: json))
    else { return [] }
    return document.members(of: document.root).compactMap { key, node in
      switch document.kind(of: node) {
      case .null: return nil
      case .object, .array: return (key.text, .json(document.bytes[document.range(of: node)]))
      case .string, .number, .bool:
        var text: [UInt8] = []
        return document.appendText(of: node, to: &text) ? (key.text, .text(text)) : nil
      }
    }
  }
}
