import JSON

/// Reads the few JSON values that are kept outside of a document: keys and tokens, which came out of one.
enum JSONText {
  /// A string or number as it is sent outside of JSON; nil for anything else.
  static func scalar(_ bytes: Bytes, in range: Range<Int>) -> PageRequest.Value? {
    guard let document = try? Parser(maximumDepth: 1).parse(bytes, in: range) else { return nil }
    switch document.kind(of: document.root) {
    case .string:
      var text: [UInt8] = []
      return document.appendText(of: document.root, to: &text) ? .text(text) : nil
    case .number: return .json(bytes[range])
    case .object, .array, .bool, .null: return nil
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
