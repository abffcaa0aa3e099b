internal import CSimdJSON

/// Validates bodies and finds their structure; simdjson's memory is kept from one body to the next.
///
/// A body is JSON as RFC 8259 defines it, in UTF-8, one document, with white space or one byte order mark around it at
/// the most. Numbers of any size and half surrogate pairs in escapes are grammar's, so they pass. A parser belongs to one
/// thread at a time; what it returns does not need it any more.
@safe package final class Parser {
  /// How many brackets may be open at once.
  package let maximumDepth: Int
  private let handle: OpaquePointer

  package init(maximumDepth: Int) {
    precondition(maximumDepth > 0 && maximumDepth <= 1 << 20, "no depth that is of use")
    guard let handle = unsafe listway_json_parser_make(UInt32(maximumDepth)) else {
      fatalError("out of memory for a parser")
    }
    self.maximumDepth = maximumDepth
    unsafe self.handle = handle
  }

  deinit { unsafe listway_json_parser_free(handle) }

  package func parse(_ bytes: Bytes) throws(Failure) -> Document {
    try parse(bytes, in: 0..<bytes.count)
  }

  /// Parses a part of a body as if it stood alone. All offsets, those of failures too, count from the body's start.
  ///
  /// - Precondition: `range` lies within the body.
  package func parse(_ bytes: Bytes, in range: Range<Int>) throws(Failure) -> Document {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range leaves the body")
    guard bytes.count < UInt32.max else {
      throw Failure(
        kind: .tooLarge, offset: 0, line: 1, column: 1, message: "\(bytes.count) bytes, 4 GiB or more")
    }
    let start =
      unsafe range.lowerBound + Self.byteOrderMarkLength(bytes.base + range.lowerBound, count: range.count)
    let first = unsafe bytes.base + start
    let length = range.upperBound - start
    defer { unsafe listway_json_parser_trim(handle) }

    var count: UInt32 = 0
    var verdict = unsafe listway_json_index(handle, first, length, &count)
    if verdict == listway_json_valid {
      let document = Document(bytes: bytes, end: range.upperBound, entryCount: Int(count))
      verdict = unsafe listway_json_link(
        handle, first, length, UInt32(start), document.offsets, document.links)
      if verdict == listway_json_valid { return document }
    }
    if verdict == listway_json_no_memory {
      throw Failure(kind: .tooLarge, offset: 0, line: 1, column: 1, message: "no memory for \(length) bytes")
    }
    return try judge(bytes, in: start..<range.upperBound)
  }

  /// Names the first fault of a body that did not pass, or lets a lone scalar pass, which no bracket ends.
  private func judge(_ bytes: Bytes, in range: Range<Int>) throws(Failure) -> Document {
    var scanner = unsafe Scanner(
      UnsafeRawBufferPointer(start: bytes.base, count: range.upperBound), from: range.lowerBound,
      maximumDepth: maximumDepth)
    let root = try scanner.scan()
    // The scanner is told of containers only when the index has found a fault in them. Should it see none, then the two
    // disagree, and a body is not let through on one of their words.
    if unsafe bytes.base[root] == UInt8(ascii: "{") || bytes.base[root] == UInt8(ascii: "[") {
      throw scanner.failure(.unexpectedByte, at: root, "a document that the index refuses")
    }
    let document = Document(bytes: bytes, end: range.upperBound, entryCount: 1)
    unsafe document.offsets[0] = UInt32(root)
    unsafe document.offsets[1] = UInt32(range.upperBound)
    return document
  }

  private static func byteOrderMarkLength(_ first: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    unsafe count >= 3 && first[0] == 0xEF && first[1] == 0xBB && first[2] == 0xBF ? 3 : 0
  }
}
