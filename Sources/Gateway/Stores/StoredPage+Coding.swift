import HTTPSemantics
import JSON

// A stored page is two byte strings, numbers in them little-endian: the head, which is written anew when the page is found
// unchanged, and the content.
//
//   head     version 1, flags 1 (1: mustRevalidate), edition 4, born 8, freshUntil 8, staleUntil 8, keepUntil 8
//   content  version 1, status 2, digest of the body 8, count of the target 4 (or FF FF FF FF), target,
//            number of fields 2, each: count of the name 2, name, count of the value 4, value;
//            and from here to the end the body
//
// What does not read as exactly this is no page: a store is written by other versions, other programs and broken disks.

extension StoredPage {
  /// Of another version nothing is read.
  private static let version: UInt8 = 1

  package var encodedHead: [UInt8] { Self.encodeHead(edition: edition, lifetime) }

  package static func encodeHead(edition: UInt32, _ lifetime: StoredLifetime) -> [UInt8] {
    var bytes: [UInt8] = [version, lifetime.mustRevalidate ? 1 : 0]
    bytes.reserveCapacity(38)
    append(edition, to: &bytes)
    append(lifetime.born, to: &bytes)
    append(lifetime.freshUntil, to: &bytes)
    append(lifetime.staleUntil, to: &bytes)
    append(lifetime.keepUntil, to: &bytes)
    return bytes
  }

  /// What a head alone says; nil for one of another version.
  package static func born(ofHead head: [UInt8]) -> Int64? {
    unsafe head.withUnsafeBytes { bytes in
      var reader = unsafe StoredReader(bytes)
      guard reader.number(UInt8.self) == version, reader.number(UInt8.self) != nil,
        reader.number(UInt32.self) != nil
      else { return nil }
      return reader.number(Int64.self)
    }
  }

  package func encodedContent() -> [UInt8] {
    var bytes: [UInt8] = [Self.version]
    bytes.reserveCapacity(byteCount)
    Self.append(UInt16(clamping: status), to: &bytes)
    Self.append(Self.digest(of: body), to: &bytes)
    if let redirectedTarget {
      Self.append(UInt32(redirectedTarget.count), to: &bytes)
      bytes += redirectedTarget
    } else {
      Self.append(UInt32.max, to: &bytes)
    }
    let fieldCount = min(fields.count, Int(UInt16.max))
    Self.append(UInt16(fieldCount), to: &bytes)
    for index in 0..<fieldCount {
      let field = fields[index]
      Self.append(UInt16(clamping: field.name.count), to: &bytes)
      bytes += field.name.prefix(Int(UInt16.max))
      Self.append(UInt32(field.value.count), to: &bytes)
      bytes += field.value
    }
    unsafe body.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    return bytes
  }

  /// - Returns: nil for what is no page of this version.
  package init?(head: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) {
    var head = unsafe StoredReader(head)
    guard head.number(UInt8.self) == Self.version, let flags = head.number(UInt8.self), flags <= 1,
      let edition = head.number(UInt32.self), let born = head.number(Int64.self),
      let freshUntil = head.number(Int64.self), let staleUntil = head.number(Int64.self),
      let keepUntil = head.number(Int64.self), head.isAtEnd,
      born >= 0, born <= keepUntil, freshUntil <= keepUntil, staleUntil <= keepUntil,
      keepUntil < Self.endOfTime
    else { return nil }
    var reader = unsafe StoredReader(content)
    guard reader.number(UInt8.self) == Self.version, let status = reader.number(UInt16.self),
      (100...599).contains(status), let digest = reader.number(UInt64.self),
      let targetCount = reader.number(UInt32.self)
    else { return nil }
    var target: [UInt8]?
    if targetCount != UInt32.max {
      guard let bytes = unsafe reader.bytes(Int(targetCount)) else { return nil }
      target = unsafe Array(bytes)
    }
    guard let fields = Self.fields(&reader) else { return nil }
    let body = unsafe Bytes(copying: reader.rest)
    guard Self.digest(of: body) == digest else { return nil }
    self.init(
      status: Int(status), fields: fields, body: body, redirectedTarget: target, edition: edition,
      StoredLifetime(
        born: born, freshUntil: freshUntil, staleUntil: staleUntil, keepUntil: keepUntil,
        mustRevalidate: flags == 1))
  }

  private static func fields(_ reader: inout StoredReader) -> Fields? {
    guard let count = reader.number(UInt16.self) else { return nil }
    var fields = Fields()
    for _ in 0..<count {
      guard let nameCount = reader.number(UInt16.self), let name = unsafe reader.bytes(Int(nameCount)),
        let valueCount = reader.number(UInt32.self), let value = unsafe reader.bytes(Int(valueCount))
      else { return nil }
      unsafe fields.append(name.bindMemory(to: UInt8.self).span, value.bindMemory(to: UInt8.self).span)
    }
    return fields
  }

  private static func digest(of body: Bytes) -> UInt64 {
    var digest = ContentDigest()
    unsafe body.withUnsafeBytes { unsafe digest.combine($0) }
    return digest.value
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// The year 5000: beyond it a clock cannot be right.
  private static let endOfTime: Int64 = 95_617_584_000_000
}

/// Reads numbers and byte strings in their order, and never past the end.
@safe
private struct StoredReader {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { unsafe rest = bytes }

  var isAtEnd: Bool { unsafe rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    guard let bytes = unsafe bytes(MemoryLayout<Number>.size) else { return nil }
    return unsafe Number(littleEndian: bytes.loadUnaligned(as: Number.self))
  }

  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard unsafe count <= rest.count else { return nil }
    defer { unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return unsafe UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}
