internal import JSON

/// A log line while it gets its fields: members of one JSON object, in the order they are given.
package struct LogLine: ~Copyable {
  /// The longest text of one field; what is longer is cut there.
  package static let longestText = 2_048

  private var writer: Writer

  /// - Parameter time: a JSON string.
  init(level: LogLevel, time: [UInt8], message: StaticString) {
    writer = Writer(reserving: 512)
    writer.beginObject()
    writer.key("time")
    writer.raw(time)
    writer.member("level", level.name)
    writer.member("message", message)
  }

  /// The line with its end.
  consuming func finish() -> [UInt8] {
    writer.endObject()
    var bytes = writer.finish()
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  package mutating func field(_ name: StaticString, _ value: StaticString) { writer.member(name, value) }

  package mutating func field(_ name: StaticString, _ value: String) {
    if value.utf8.count <= LogLine.longestText {
      writer.member(name, value)
    } else {
      writer.member(name, String(decoding: value.utf8.prefix(LogLine.longestText), as: UTF8.self))
    }
  }

  /// Text as bytes, such as a client sent; what is not UTF-8 becomes U+FFFD.
  package mutating func field(_ name: StaticString, text value: some Collection<UInt8>) {
    writer.member(name, String(decoding: value.prefix(LogLine.longestText), as: UTF8.self))
  }

  package mutating func field(_ name: StaticString, _ value: Int) { writer.member(name, value) }
  package mutating func field(_ name: StaticString, _ value: some FixedWidthInteger) {
    writer.member(name, value)
  }
  package mutating func field(_ name: StaticString, _ value: Double) { writer.member(name, value) }
  package mutating func field(_ name: StaticString, _ value: Bool) { writer.member(name, value) }

  /// In seconds, down to the microsecond.
  package mutating func field(_ name: StaticString, _ value: Duration) {
    let (seconds, attoseconds) = value.components
    writer.member(name, Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1e6)
  }

  /// Says whether there is a value, and never which.
  package mutating func field<Value: ~Copyable>(_ name: StaticString, secret value: borrowing Value?) {
    if value == nil { writer.member(name, orNull: String?.none) } else { writer.member(name, "(secret)") }
  }
}
