import JSON

extension Bytes {
  convenience init(_ text: String) { self.init(copying: Array(text.utf8)) }
}

extension Document {
  /// The value's own bytes, as text.
  func source(of node: Node) -> String { String(decoding: bytes[range(of: node)], as: UTF8.self) }
}

/// A document of `text`, parsed with room for 128 open brackets.
func parsed(_ text: String) throws(Failure) -> Document { try parsed(Array(text.utf8)) }

func parsed(_ bytes: [UInt8]) throws(Failure) -> Document {
  try Parser(maximumDepth: 128).parse(Bytes(copying: bytes))
}
