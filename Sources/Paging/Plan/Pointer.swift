/// A JSON Pointer (RFC 6901): the way from a document, or from an item, to a value.
package struct Pointer: Sendable, Hashable {
  package struct Failure: Error, Sendable, Hashable {}

  /// As it was written: `""` is the whole, `/a/0` the first element of member `a`.
  package let text: String

  /// - Throws: ``Failure`` when `text` is neither empty nor starts with `/`, or when a `~` is followed by anything
  ///   but `0` or `1`.
  package init(_ text: String) throws(Failure) {
    var escaped = false
    for (index, byte) in text.utf8.enumerated() {
      if index == 0, byte != UInt8(ascii: "/") { throw Failure() }
      if escaped, byte != UInt8(ascii: "0"), byte != UInt8(ascii: "1") { throw Failure() }
      escaped = byte == UInt8(ascii: "~")
    }
    if escaped { throw Failure() }
    self.text = text
  }
}
