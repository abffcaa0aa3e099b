// Layout: every name and value lies in one byte buffer, back to back, and one array says where.
//
//   Link: <a>  →  bytes  L i n k < a >      lines  (start 0, name 4, value 3)
//   Age: 3        bytes  A g e 3                   (start 7, name 3, value 1)
//
// A response's fields are two allocations, however many there are, and keeping them costs their length.

/// The header fields of one message, in the order they came (RFC 9110 §5).
package struct Fields: Sendable, Equatable {
  private struct Line: Sendable, Equatable {
    var start: UInt32
    var nameCount: UInt32
    var valueCount: UInt32

    var nameRange: Range<Int> { Int(start)..<Int(start) + Int(nameCount) }
    var valueRange: Range<Int> { nameRange.upperBound..<nameRange.upperBound + Int(valueCount) }
  }

  /// One field line, as two slices of the shared buffer.
  package struct Field: Sendable {
    package let name: ArraySlice<UInt8>
    package let value: ArraySlice<UInt8>
  }

  private var bytes: [UInt8] = []
  private var lines: [Line] = []

  package init() {}

  package var count: Int { lines.count }
  package var isEmpty: Bool { lines.isEmpty }
  /// What the names and values take: the ceiling that an adapter enforces counts this.
  package var byteCount: Int { bytes.count }

  package subscript(index: Int) -> Field {
    Field(name: bytes[lines[index].nameRange], value: bytes[lines[index].valueRange])
  }

  package mutating func reserve(lines lineCount: Int, bytes byteCount: Int) {
    lines.reserveCapacity(lineCount)
    bytes.reserveCapacity(byteCount)
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
  }

  /// Appends a field as a peer sent it. White space around the value goes; CR, LF and NUL inside become spaces, as
  /// RFC 9110 §5.5 asks, so that no value can ever end a line.
  package mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(0..<name.count, of: name)
    appendValue(value, from: start)
  }

  /// Appends a field that this program names.
  package mutating func append(_ name: FieldName, _ value: Span<UInt8>) {
    let start = bytes.count
    bytes.append(contentsOf: name.text.utf8)
    appendValue(value, from: start)
  }

  package mutating func append(_ name: FieldName, _ value: String) {
    append(name, value.utf8Span.span)
  }

  package mutating func append(_ name: FieldName, _ value: [UInt8]) {
    append(name, value.span)
  }

  /// Puts `value` in the place of every field called `name`.
  package mutating func set(_ name: FieldName, _ value: [UInt8]) {
    lines = lines.filter { !matches($0, name) }
    append(name, value)
  }

  /// Appends the fields of another message.
  package mutating func append(contentsOf other: Fields) {
    for index in 0..<other.count {
      let field = other[index]
      append(field.name.span, field.value.span)
    }
  }

  private mutating func appendValue(_ value: Span<UInt8>, from start: Int) {
    let nameCount = bytes.count - start
    let content = value.trimmed(0..<value.count)
    let valueStart = bytes.count
    bytes.append(content, of: value)
    if value.hasControl(in: content) {
      for index in content where value[index] == 0x0D || value[index] == 0x0A || value[index] == 0 {
        bytes[valueStart + index - content.lowerBound] = 0x20
      }
    }
    lines.append(
      Line(start: UInt32(start), nameCount: UInt32(nameCount), valueCount: UInt32(content.count)))
  }

  /// The value of the first field called `name`.
  package func first(_ name: FieldName) -> ArraySlice<UInt8>? {
    for line in lines where matches(line, name) { return bytes[line.valueRange] }
    return nil
  }

  /// The first value as text; what is not UTF-8 becomes U+FFFD.
  package func text(_ name: FieldName) -> String? { first(name)?.text }

  package func contains(_ name: FieldName) -> Bool { lines.contains { matches($0, name) } }

  /// The values of every field called `name`, in order.
  package func values(_ name: FieldName) -> [ArraySlice<UInt8>] {
    lines.lazy.filter { matches($0, name) }.map { bytes[$0.valueRange] }
  }

  /// All values of `name` joined by commas: the combined field value of RFC 9110 §5.2. Nil when there is none.
  /// One line, the common case, is a slice of what is there.
  package func combined(_ name: FieldName) -> ArraySlice<UInt8>? {
    var joined: ArraySlice<UInt8>?
    for line in lines where matches(line, name) {
      let value = bytes[line.valueRange]
      if joined == nil {
        joined = value
      } else {
        joined?.append(contentsOf: [UInt8(ascii: ","), UInt8(ascii: " ")])
        joined?.append(contentsOf: value)
      }
    }
    return joined
  }

  /// The elements of the comma-separated list that all fields called `name` form together (RFC 9110 §5.6.1):
  /// white space trimmed, empty elements dropped, commas inside quoted strings kept.
  package func elements(_ name: FieldName) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    for line in lines where matches(line, name) {
      let value = bytes[line.valueRange]
      let base = value.startIndex
      var list = FieldList()
      while let range = list.next(in: value.span) {
        found.append(value[base + range.lowerBound..<base + range.upperBound])
      }
    }
    return found
  }

  private func matches(_ line: Line, _ name: FieldName) -> Bool {
    guard Int(line.nameCount) == name.lowercased.count else { return false }
    let start = Int(line.start)
    for offset in 0..<name.lowercased.count where bytes[start + offset].lowercased != name.lowercased[offset]
    {
      return false
    }
    return true
  }
}
