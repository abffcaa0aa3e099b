/// Why a body is not JSON, and where.
package struct Failure: Error, Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Nothing, or nothing but white space.
    case empty
    /// The body ends before the document does.
    case truncated
    /// A byte sequence that is not UTF-8 (RFC 3629).
    case invalidUTF8
    /// More bytes behind the document.
    case trailingContent
    case invalidNumber
    /// A control character or an unknown escape within a string.
    case invalidString
    /// A byte where the grammar has no place for it.
    case unexpectedByte
    /// More brackets within one another than the limit allows.
    case tooDeep
    /// 4 GiB or more, or more than there is memory for.
    case tooLarge
  }

  package let kind: Kind
  /// Of the first byte that cannot be, from the start of the body; the body's end when bytes are missing.
  package let offset: Int
  /// 1-based; lines end with a line feed.
  package let line: Int
  /// 1-based, in characters (Unicode scalars).
  package let column: Int
  /// What was found, and what could have stood there: part of a sentence, without its place.
  package let message: String
}

extension Failure: CustomStringConvertible {
  package var description: String { "line \(line), column \(column) (byte \(offset)): \(message)" }
}
