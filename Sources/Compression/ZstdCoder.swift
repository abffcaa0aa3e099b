internal import CZstd

/// Zstandard (RFC 8878).
///
/// One frame, which does not say how long its content is: between its header and its blocks, blocks that are not compressed
/// may stand. That does not change what follows: these count from themselves backwards, and not beyond their own first byte.
@safe
struct ZstdCoder: ~Copyable {
  private static let level: Int32 = 1
  /// The magic number, what the frame's header says (nothing), and the window.
  private static let headerCount = 6
  /// A block is no longer than the window, which is 1 KiB at least (RFC 8878 §3.1.1.1.2).
  private static let longestStored = 1_024

  private let context: OpaquePointer

  /// - Returns: nil when memory is short.
  static func make() -> ZstdCoder? {
    guard let context = unsafe ZSTD_createCCtx() else { return nil }
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0)
    return unsafe ZstdCoder(context: context)
  }

  private init(context: OpaquePointer) { unsafe self.context = context }

  deinit { unsafe _ = ZSTD_freeCCtx(context) }

  static func bound(_ count: Int) -> Int { ZSTD_compressBound(count) }

  /// - Returns: how many bytes of `output` are taken, the frame's header included; nil where it fails.
  func compress(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    let count = unsafe ZSTD_compress2(
      context, output.baseAddress, output.count, input.baseAddress, input.count)
    return ZSTD_isError(count) == 0 && count > Self.headerCount ? count : nil
  }

  /// What stands before the blocks of `compressed`: its header, and `start` in blocks that are not compressed.
  static func head(_ start: [UInt8], of compressed: UnsafeRawBufferPointer) -> [UInt8] {
    var head: [UInt8] = []
    head.reserveCapacity(headerCount + start.count + 8)
    unsafe head += compressed.prefix(headerCount)
    var position = 0
    while position < start.count {
      let count = min(longestStored, start.count - position)
      // RFC 8878 §3.1.1.2, from the lowest bit: not the last block (1 bit), raw (2), and the length (21).
      for shift in stride(from: 0, to: 24, by: 8) {
        head.append(UInt8(truncatingIfNeeded: (count << 3) >> shift))
      }
      head += start[position..<position + count]
      position += count
    }
    return head
  }

  /// Where the blocks of `count` compressed bytes are.
  static func blocks(_ count: Int) -> Range<Int> { headerCount..<count }
}
