/// A path to a value within a document: a JSON Pointer (RFC 6901), such as `/data/items/0/id`; `""` is the whole document.
package struct Pointer: Hashable, Sendable {
  /// Why a text is no pointer.
  package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Of the first byte of the text that cannot be; the text's length when something is missing.
    package let offset: Int
    package let message: String

    package var description: String { "at byte \(offset): \(message)" }
  }

  /// A step: a name in an object, or an index in an array.
  package struct Token: Hashable, Sendable {
    /// Where the decoded name lies in the pointer's names.
    fileprivate let range: Range<Int>
    /// The name as an array's index (RFC 6901 §4): digits without a leading zero. `-`, the element behind the last one,
    /// is none, since it never exists.
    package let index: Int?
  }

  package let text: String
  package let tokens: [Token]
  /// The decoded names of all tokens, one behind the other.
  private let names: [UInt8]

  package init(_ text: String) throws(Failure) {
    var tokens: [Token] = []
    var names: [UInt8] = []
    let bytes = Array(text.utf8)
    if let first = bytes.first, first != UInt8(ascii: "/") {
      throw Failure(offset: 0, message: "a pointer is empty or begins with '/'")
    }
    var position = 0
    while position < bytes.count {
      position += 1
      let start = names.count
      while position < bytes.count, bytes[position] != UInt8(ascii: "/") {
        var byte = bytes[position]
        if byte == UInt8(ascii: "~") {
          switch position + 1 < bytes.count ? bytes[position + 1] : 0 {
          case UInt8(ascii: "0"): byte = UInt8(ascii: "~")
          case UInt8(ascii: "1"): byte = UInt8(ascii: "/")
          default:
            throw Failure(offset: position + 1, message: "'~' is followed by 0 (for '~') or 1 (for '/')")
          }
          position += 1
        }
        names.append(byte)
        position += 1
      }
      tokens.append(Token(range: start..<names.count, index: Self.index(names[start...])))
    }
    self.text = text
    self.tokens = tokens
    self.names = names
  }

  /// The name of a token of this pointer, decoded.
  package func name(of token: Token) -> String { String(decoding: names[token.range], as: UTF8.self) }

  func withName<R>(of token: Token, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    unsafe names.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[token.range])) }
  }

  private static func index(_ digits: ArraySlice<UInt8>) -> Int? {
    guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return nil }
    var index = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      let (tens, isTooLarge) = index.multipliedReportingOverflow(by: 10)
      let (sum, isTooLargeNow) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      if isTooLarge || isTooLargeNow { return nil }
      index = sum
    }
    return index
  }
}

extension Pointer: CustomStringConvertible {
  package var description: String { text }
}
