/// The name of a member, in place: compares without making a String.
@frozen
package struct Key: Sendable {
  @usableFromInline let document: Document
  @usableFromInline let node: Node

  @inlinable
  init(document: Document, node: Node) {
    self.document = document
    self.node = node
  }

  /// The name with its escapes decoded.
  package var text: String { document.string(of: node) ?? "" }

  /// Where the name lies in the body, with its quotes.
  package var range: Range<Int> { document.range(of: node) }

  /// Lends the name's UTF-8, its escapes decoded.
  package func withText<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    guard let result = unsafe try document.withText(of: node, body) else {
      preconditionFailure("a key is a string")
    }
    return result
  }

  package static func == (key: Key, name: StaticString) -> Bool {
    precondition(name.hasPointerRepresentation, "a name of more than one character")
    return unsafe key.document.name(
      at: key.node.index, equals: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    )
  }

  package static func == (key: Key, name: String) -> Bool {
    var name = name
    return name.withUTF8 { unsafe key.document.name(at: key.node.index, equals: UnsafeRawBufferPointer($0)) }
  }
}
