package import JSON

/// How the items of several lists are put in order: by one value of theirs, or by several where the first are equal.
package struct SortOrder: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// A number, or a string that spells one: compared exactly, whatever its size.
    case number
    /// Any scalar, by the bytes of its text.
    case text
    /// A point in time, exactly: RFC 3339, `YYYY-MM-DD HH:MM:SS`, or since 1970 as a number or a string that spells one.
    /// `zone` is how far a text that names no offset is ahead of UTC, in seconds.
    case time(zone: Int, epoch: EpochUnit)
  }

  package struct Part: Sendable, Hashable {
    package let kind: Kind
    package let isDescending: Bool

    package init(_ kind: Kind, isDescending: Bool) {
      self.kind = kind
      self.isDescending = isDescending
    }
  }

  package let parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  /// - Parameters:
  ///   - item: one item alone.
  ///   - pointers: from the item to the value of each part.
  package func key(of item: Document, at pointers: [Pointer]) -> SortKey {
    precondition(pointers.count == parts.count)
    var writer = SortKeyWriter()
    for (part, pointer) in zip(parts, pointers) {
      writer.append(part) { writer in
        guard let node = item.node(at: pointer) else { return false }
        let isString = item.kind(of: node) == .string
        return unsafe item.withText(of: node) { text in
          unsafe writer.append(text, isString: isString, as: part.kind)
        } ?? false
      }
    }
    return writer.key
  }
}

/// What a number that is a time counts since 1970.
package enum EpochUnit: Sendable, Hashable {
  case seconds
  case milliseconds
  /// Told by its size: below 10^11 seconds (the year 5138), below 10^14 milliseconds, below 10^17 microseconds, else
  /// nanoseconds. Times near 1970 need one of the others.
  case judged
}

/// Writes keys, part by part.
struct SortKeyWriter {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(24) }

  var key: SortKey { SortKey(bytes: bytes) }

  /// Appends a part; `write` appends its value, and tells whether there is one that can be read.
  mutating func append(_ part: SortOrder.Part, _ write: (inout SortKeyWriter) -> Bool) {
    let start = bytes.count
    bytes.append(0)
    guard write(&self) else {
      bytes.removeSubrange(start...)
      bytes.append(0xFF)
      return
    }
    if part.isDescending { for index in start + 1..<bytes.count { bytes[index] = ~bytes[index] } }
  }

  /// - Returns: whether `text` is a value of that kind.
  mutating func append(_ text: UnsafeRawBufferPointer, isString: Bool, as kind: SortOrder.Kind) -> Bool {
    switch kind {
    case .text:
      unsafe append(text: text)
      return true
    case .number:
      guard let number = unsafe ExactDecimal(text) else { return false }
      append(number)
      return true
    case .time(let zone, let unit):
      guard let instant = unsafe ExactInstant(text, isString: isString, zone: zone, epoch: unit) else {
        return false
      }
      append(instant)
      return true
    }
  }

  /// 0 within the text is 0 and 0xFF, its end 0 and 0: the shorter of two texts comes first, and what follows is kept apart.
  private mutating func append(text: UnsafeRawBufferPointer) {
    for index in 0..<text.count {
      let byte = unsafe text[index]
      bytes.append(byte)
      if byte == 0 { bytes.append(0xFF) }
    }
    bytes.append(0)
    bytes.append(0)
  }

  /// The sign; then the exponent, then the digits, each one more than it is, then 0; inverted for negative numbers.
  private mutating func append(_ number: ExactDecimal) {
    if number.digits.isEmpty { return bytes.append(1) }
    bytes.append(number.isNegative ? 0 : 2)
    let start = bytes.count
    append(ordered: Int64(number.exponent))
    append(digits: number.digits)
    if number.isNegative { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
  }

  private mutating func append(_ instant: ExactInstant) {
    append(ordered: instant.seconds)
    append(digits: instant.fraction)
  }

  private mutating func append(digits: [UInt8]) {
    for digit in digits { bytes.append(digit + 1) }
    bytes.append(0)
  }

  /// Eight bytes in the order of the numbers.
  private mutating func append(ordered number: Int64) {
    let bits = UInt64(bitPattern: number) ^ 1 << 63
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
    }
  }
}
