import Configuration
import JSON
import Paging

extension PageRequest {
  /// Appends what tells it from the other page requests of its list: two make the same bytes only when they make the same
  /// request of the same arguments.
  func appendKey(to bytes: inout [UInt8]) {
    var flags: UInt8 = goesAlone ? 1 : 0
    if isPlainGet { flags |= 2 }
    if follows { flags |= 4 }
    if target != nil { flags |= 8 }
    bytes.append(flags)
    if let target { Self.append(target, to: &bytes) }
    for part in parts {
      switch part.placement {
      case .query(let name): Self.append(name, as: 1, to: &bytes)
      case .form(let name): Self.append(name, as: 2, to: &bytes)
      case .json(let pointer): Self.append(pointer.description, as: 3, to: &bytes)
      case .header(let name): Self.append(name, as: 4, to: &bytes)
      case .path(let pattern): Self.append(pattern, as: 5, to: &bytes)
      }
      switch part.value {
      case .number(let number):
        bytes.append(1)
        Self.append(number, to: &bytes)
      case .text(let text):
        bytes.append(2)
        Self.append(text, to: &bytes)
      case .json(let text):
        bytes.append(3)
        Self.append(text, to: &bytes)
      }
    }
  }

  private static func append(_ name: String, as kind: UInt8, to bytes: inout [UInt8]) {
    bytes.append(kind)
    append(name.utf8.count, to: &bytes)
    bytes.append(contentsOf: name.utf8)
  }

  private static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    append(text.count, to: &bytes)
    bytes.append(contentsOf: text)
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: Int64(number).littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

extension Arguments {
  /// Appends them so that no two sets of arguments make the same bytes: each is preceded by its length.
  func appendKey(to bytes: inout [UInt8]) {
    for value in values {
      guard let value else {
        bytes.append(0xFF)
        continue
      }
      bytes.append(0)
      unsafe withUnsafeBytes(of: UInt32(value.text.count).littleEndian) {
        unsafe bytes.append(contentsOf: $0)
      }
      bytes += value.text
    }
  }
}
