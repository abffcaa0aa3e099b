/// Writes compact JSON: what Listway itself says. Commas and colons are its business; what it wrote is valid UTF-8 JSON
/// (RFC 8259), as long as what is given as raw bytes is.
///
///     var writer = Writer(reserving: 64)
///     writer.beginObject()
///     writer.member("status", 0)
///     writer.key("body")
///     writer.beginArray()
///     writer.endArray()
///     writer.endObject()
///     let bytes = writer.finish()
///
/// - Precondition: calls follow the grammar, and at most 64 brackets are open at once. Misuse is our own fault and traps.
package struct Writer {
  private enum State {
    /// At the start, or behind an opening bracket or a key: the next thing needs no comma.
    case fresh
    /// Behind a value.
    case behindValue
  }

  private var bytes: [UInt8] = []
  private var state = State.fresh
  private var isBehindKey = false
  private var depth = 0
  /// A bit for each open bracket, the innermost lowest: whether it is an object's.
  private var objects: UInt64 = 0

  package init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

  package var count: Int { bytes.count }

  /// The document.
  ///
  /// - Precondition: it is whole.
  package consuming func finish() -> [UInt8] {
    precondition(depth == 0 && state == .behindValue, "the document is not whole")
    return bytes
  }

  /// What is written so far of a document that others go on with.
  package consuming func written() -> [UInt8] { bytes }

  // MARK: Brackets and keys

  package mutating func beginObject() { open(UInt8(ascii: "{"), isObject: true) }
  package mutating func endObject() { close(UInt8(ascii: "}"), isObject: true) }
  package mutating func beginArray() { open(UInt8(ascii: "["), isObject: false) }
  package mutating func endArray() { close(UInt8(ascii: "]"), isObject: false) }

  package mutating func key(_ name: StaticString) {
    beginKey()
    name.withUTF8Buffer { unsafe appendQuoted($0) }
    endKey()
  }

  package mutating func key(_ name: String) {
    beginKey()
    appendQuoted(name)
    endKey()
  }

  // MARK: Values

  package mutating func string(_ value: StaticString) {
    beginValue()
    value.withUTF8Buffer { unsafe appendQuoted($0) }
  }

  package mutating func string(_ value: String) {
    beginValue()
    appendQuoted(value)
  }

  /// A string from bytes that may not be UTF-8: what is not becomes U+FFFD.
  package mutating func string(repairing value: some Collection<UInt8>) {
    string(String(decoding: value, as: UTF8.self))
  }

  /// The integer that nearly all are: not generic, so that it costs other modules no generic call.
  package mutating func integer(_ value: Int) {
    beginValue()
    appendDigits(of: value)
  }

  package mutating func integer(_ value: some FixedWidthInteger) {
    beginValue()
    appendDigits(of: value)
  }

  /// The shortest digits that give the same value; null for what JSON has no number for: infinities and NaN.
  package mutating func number(_ value: Double) {
    beginValue()
    bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
  }

  package mutating func bool(_ value: Bool) {
    beginValue()
    append(value ? "true" : "false")
  }

  package mutating func null() {
    beginValue()
    append("null")
  }

  /// A value that is already JSON, as it is.
  package mutating func raw(_ json: UnsafeRawBufferPointer) {
    beginValue()
    unsafe bytes.append(contentsOf: json)
  }

  /// A value that is already JSON, as it is.
  package mutating func raw(_ json: [UInt8]) {
    beginValue()
    bytes.append(contentsOf: json)
  }

  /// A value of a validated body, as it is.
  package mutating func raw(_ node: Node, of document: Document) {
    beginValue()
    let range = document.range(of: node)
    unsafe document.bytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0[range]) }
  }

  // MARK: Bytes

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func beginValue() {
    if isBehindKey {
      isBehindKey = false
    } else {
      precondition(
        depth == 0 ? state == .fresh : objects & 1 == 0, "a value without a key, or behind the document")
      if state == .behindValue { bytes.append(UInt8(ascii: ",")) }
    }
    state = .behindValue
  }

  private mutating func beginKey() {
    precondition(depth > 0 && objects & 1 == 1 && !isBehindKey, "a key outside of an object, or behind a key")
    if state == .behindValue { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func endKey() {
    bytes.append(UInt8(ascii: ":"))
    isBehindKey = true
  }

  private mutating func open(_ bracket: UInt8, isObject: Bool) {
    beginValue()
    precondition(depth < 64, "too many open brackets")
    bytes.append(bracket)
    depth += 1
    objects = objects << 1 | (isObject ? 1 : 0)
    state = .fresh
  }

  private mutating func close(_ bracket: UInt8, isObject: Bool) {
    precondition(
      depth > 0 && (objects & 1 == 1) == isObject && !isBehindKey, "no such bracket is open, or a key waits")
    bytes.append(bracket)
    depth -= 1
    objects >>= 1
    state = .behindValue
  }

  private mutating func appendQuoted(_ value: String) {
    var value = value
    value.withUTF8 { unsafe appendQuoted($0) }
  }

  /// Appends a string with what must be escaped (RFC 8259 §7) escaped: quote, backslash and control characters.
  private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    for position in 0..<text.count {
      let byte = unsafe text[position]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<position]))
      appendEscape(of: byte)
      start = position + 1
    }
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(of byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      append(byte < 0x10 ? "u000" : "u001")
      let digit = byte & 0x0F
      bytes.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
    default: bytes.append(byte)
    }
  }

  private mutating func appendDigits<T: FixedWidthInteger>(of value: T) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    // From the first digit on: to turn digits around in place copies the whole buffer.
    var unit: T.Magnitude = 1
    while magnitude / unit >= 10 { unit *= 10 }
    while unit > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude / unit % 10))
      unit /= 10
    }
  }
}
