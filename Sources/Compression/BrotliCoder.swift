internal import CBrotli

/// Brotli (RFC 7932).
///
/// What is compressed begins with a block of metadata, empty: it carries the stream's header, and ends at a whole byte. In its
/// place another header may stand, and bytes that are not compressed. That does not change what follows, as long as nothing in
/// there counts from the stream's beginning: references to the dictionary would, which this quality does not make.
enum BrotliCoder {
  /// The fast ones are 0 and 1. None up to 3 but 2 looks words up in the dictionary.
  private static let quality: UInt32 = 1
  /// log2 of the window.
  private static let window: UInt32 = 18
  /// The window in the stream's header: 4 bits, (`window` - 17) and a 1.
  private static let windowBits: UInt64 = 0b0011
  /// The header and an empty block of metadata.
  private static let header: [UInt8] = [0x63, 0x00]
  private static let longestStored = 65_536

  static func bound(_ count: Int) -> Int { BrotliEncoderMaxCompressedSize(count) + header.count }

  /// - Returns: where in `output` the compressed content is, its header left out; nil where it fails.
  static func compress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Range<Int>? {
    guard let state = unsafe BrotliEncoderCreateInstance(nil, nil, nil) else { return nil }
    defer { unsafe BrotliEncoderDestroyInstance(state) }
    unsafe BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, quality)
    unsafe BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, window)
    var next = unsafe output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var room = output.count
    var (nothing, left) = (0, input.count)
    var position = unsafe input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var start: UnsafePointer<UInt8>?
    guard
      unsafe BrotliEncoderCompressStream(
        state, BROTLI_OPERATION_EMIT_METADATA, &nothing, &start, &room, &next, nil) != 0,
      output.count - room == header.count, unsafe output.prefix(header.count).elementsEqual(header),
      unsafe BrotliEncoderCompressStream(
        state, BROTLI_OPERATION_FINISH, &left, &position, &room, &next, nil) != 0,
      unsafe BrotliEncoderIsFinished(state) != 0
    else { return nil }
    return header.count..<output.count - room
  }

  /// What stands before the compressed content: the header, and `start` in blocks that are not compressed.
  static func head(_ start: [UInt8]) -> [UInt8] {
    if start.isEmpty { return header }
    var head: [UInt8] = []
    head.reserveCapacity(start.count + 8)
    var position = 0
    while position < start.count {
      let count = min(longestStored, start.count - position)
      // RFC 7932 §9.2, from the lowest bit: not the last block (1 bit), 4 nibbles (2), the length less 1 (16), and that
      // it is not compressed (1).
      let block = UInt64(count - 1) << 3 | 1 << 19
      let (bits, bitCount) = position == 0 ? (block << 4 | windowBits, 24) : (block, 20)
      for shift in stride(from: 0, to: bitCount, by: 8) {
        head.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
      head += start[position..<position + count]
      position += count
    }
    return head
  }
}
