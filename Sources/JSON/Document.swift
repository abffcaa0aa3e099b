/// A validated body and the index to find one's way in it: every value is a ``Node`` with an exact byte range.
///
/// The index has an entry for each structural byte: `{ } [ ] : ,` and the first byte of every string and scalar.
///
///     bytes     {"list":[{"id":7},2]}
///     entry     0 1     2 34 5   678 9…
///     offset    0 1     7 89 10 14…
///     link      12        11 7         3→11, 0→12; a closing bracket's link is how many elements it closes
///
/// Bodies stay as they are: nothing is decoded until it is asked for. In an object with a name twice the last member
/// counts for look-ups, as with most clients' parsers (RFC 8259 §4); enumeration gives every member.
@safe package final class Document: Sendable {
  package let bytes: Bytes
  // Sound: what the three point at is written before anybody else sees the document, and only read from then on.
  @usableFromInline nonisolated(unsafe) let base: UnsafePointer<UInt8>
  /// One for each entry, and the end of the document.
  @usableFromInline nonisolated(unsafe) let offsets: UnsafeMutablePointer<UInt32>
  /// Written for brackets only, and read for them only.
  @usableFromInline nonisolated(unsafe) let links: UnsafeMutablePointer<UInt32>

  /// A document whose index is still to be written, by the parser, before anybody else sees it.
  init(bytes: Bytes, end: Int, entryCount: Int) {
    self.bytes = bytes
    unsafe base = UnsafePointer(bytes.base)
    unsafe offsets = UnsafeMutablePointer.allocate(capacity: 2 * entryCount + 1)
    unsafe links = offsets + entryCount + 1
  }

  deinit { unsafe offsets.deallocate() }

  @inlinable package var root: Node { Node(0) }

  @inlinable
  package func kind(of node: Node) -> Kind {
    switch byte(at: node.index) {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// Where the value lies in ``bytes``, without white space around it; a string with its quotes.
  @inlinable
  package func range(of node: Node) -> Range<Int> {
    let entry = node.index
    let start = offset(at: entry)
    if isBracket(entry) { return start..<offset(at: link(at: entry)) + 1 }
    // Behind a scalar nothing but white space comes before the next structural byte.
    var end = offset(at: entry + 1)
    while unsafe base[end - 1] <= 0x20 { end -= 1 }
    return start..<end
  }

  /// The number of elements of an array or of members of an object, in constant time; 0 for a scalar.
  @inlinable
  package func count(of node: Node) -> Int {
    isBracket(node.index) ? link(at: link(at: node.index)) : 0
  }

  // MARK: Entries

  @inlinable func offset(at entry: Int) -> Int { unsafe Int(offsets[entry]) }
  @inlinable func link(at entry: Int) -> Int { unsafe Int(links[entry]) }
  @inlinable func byte(at entry: Int) -> UInt8 { unsafe base[Int(offsets[entry])] }

  /// Whether an object or an array begins here. The two brackets differ in the bit 0x20, and nothing else may stand here.
  @inlinable func isBracket(_ entry: Int) -> Bool { byte(at: entry) | 0x20 == UInt8(ascii: "{") }

  /// The entry of the `,`, `:` or closing bracket behind the value that begins at `entry`.
  @inlinable func entry(behind entry: Int) -> Int { (isBracket(entry) ? link(at: entry) : entry) + 1 }
}
