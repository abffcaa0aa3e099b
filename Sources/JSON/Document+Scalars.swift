internal import func Glibc.memchr

extension Document {
  /// A string with its escapes decoded, or nil. Half a surrogate pair becomes U+FFFD.
  package func string(of node: Node) -> String? {
    guard byte(at: node.index) == UInt8(ascii: "\"") else { return nil }
    return text(of: node)
  }

  /// A number's value when it is a whole one that an Int holds exactly: 3, -4, 3.0 and 1e2 are, 0.5 and 1e99 are not.
  package func integer(of node: Node) -> Int? {
    guard kind(of: node) == .number else { return nil }
    let range = range(of: node)
    return unsafe exactInteger(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
  }

  /// A number as it is written, or nil.
  package func numberText(of node: Node) -> String? {
    guard kind(of: node) == .number else { return nil }
    return text(of: node)
  }

  package func bool(of node: Node) -> Bool? {
    switch byte(at: node.index) {
    case UInt8(ascii: "t"): true
    case UInt8(ascii: "f"): false
    default: nil
    }
  }

  package func isNull(_ node: Node) -> Bool { byte(at: node.index) == UInt8(ascii: "n") }

  /// Any scalar as text: a string decoded, a number as it is written, `true` or `false`. Nil for null and containers.
  package func text(of node: Node) -> String? {
    unsafe withText(of: node) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Appends the UTF-8 of ``text(of:)``; false, and nothing appended, where that is nil.
  package func appendText(of node: Node, to buffer: inout [UInt8]) -> Bool {
    unsafe withText(of: node) { unsafe buffer.append(contentsOf: $0) } != nil
  }

  /// Whether two scalars have the same text, as ``text(of:)`` gives it; the number 7 and the string "7" do.
  package func text(of node: Node, equals bytes: [UInt8]) -> Bool {
    unsafe withText(of: node) { text in
      unsafe text.elementsEqual(bytes)
    } ?? false
  }

  /// A hash of the UTF-8 of ``text(of:)``, or nil where that is nil. The same in every process and version.
  package func fingerprint(of node: Node, seed: UInt64) -> UInt64? {
    unsafe withText(of: node) { unsafe JSON.fingerprint($0, seed: seed) }
  }

  /// Lends the UTF-8 of ``text(of:)`` for the length of the call: in place, unless there are escapes to decode.
  package func withText<R, E: Error>(
    of node: Node, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R? {
    let range = range(of: node)
    switch byte(at: node.index) {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"):
      return nil
    case UInt8(ascii: "\""):
      let raw = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound + 1, count: range.count - 2)
      guard unsafe memchr(raw.baseAddress!, Int32(UInt8(ascii: "\\")), raw.count) != nil else {
        return unsafe try body(raw)
      }
      return unsafe try withUnescaped(raw, body)
    default:
      return unsafe try body(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }
  }
}
