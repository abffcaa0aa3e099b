internal import CZlib
internal import JSON

/// gzip (RFC 1952) of deflate (RFC 1951).
@safe
struct GzipCoder: ~Copyable {
  /// The fastest: what the next ones gain is less than what they cost.
  private static let level: Int32 = 1
  /// No name, no time, of an unknown system.
  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  /// A block that is not compressed: not the last one, and its kind. Behind it the bits up to the next byte are 0.
  private static let stored: UInt8 = 0
  private static let longestStored = 65_535

  private let stream: UnsafeMutablePointer<z_stream>

  /// - Returns: nil when memory is short.
  static func make() -> GzipCoder? {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe listway_deflate_init(stream, level) == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
    return unsafe GzipCoder(stream: stream)
  }

  private init(stream: UnsafeMutablePointer<z_stream>) { unsafe self.stream = stream }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  func bound(_ count: Int) -> Int { unsafe Int(deflateBound(stream, UInt(count))) }

  /// - Returns: how many bytes of `output` are taken; nil where it fails.
  func compress(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    guard unsafe deflateReset(stream) == Z_OK else { return nil }
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe stream.pointee.avail_in = UInt32(input.count)
    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = UInt32(output.count)
    guard unsafe deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
    return unsafe output.count - Int(stream.pointee.avail_out)
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe UInt32(crc32(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count)))
  }

  /// What stands before the compressed content: the header, and `start` in blocks that are not compressed.
  static func head(_ start: [UInt8]) -> [UInt8] {
    var head = header
    head.reserveCapacity(header.count + start.count + 5)
    var position = 0
    while position < start.count {
      let count = min(longestStored, start.count - position)
      head.append(stored)
      head.append(littleEndian: UInt16(count))
      head.append(littleEndian: ~UInt16(count))
      head += start[position..<position + count]
      position += count
    }
    return head
  }

  /// What stands behind it: the checksum and the length of it all.
  static func tail(_ start: [UInt8], checksum: UInt32, count: Int) -> [UInt8] {
    let first = unsafe start.withUnsafeBytes { unsafe Self.checksum($0) }
    let whole = start.isEmpty ? checksum : UInt32(crc32_combine(UInt(first), UInt(checksum), count))
    var tail: [UInt8] = []
    tail.append(littleEndian: whole)
    tail.append(littleEndian: UInt32(truncatingIfNeeded: start.count + count))
    return tail
  }
}

extension [UInt8] {
  mutating func append(littleEndian number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
