package import Gateway
package import HTTPSemantics
internal import JSON

/// Compresses in gzip, Brotli and Zstandard, at the levels that cost little. Belongs to one loop: it keeps what the libraries
/// work with.
@safe
package final class Compressor: ContentCompressor {
  /// What one answer takes is kept for the next, unless it is more.
  private static let keptByteCount = 1_048_576
  /// The libraries count some things in 32 bits.
  private static let longest = 1 << 30

  private var gzip: GzipCoder?
  private var zstd: ZstdCoder?
  private var input: [UInt8] = []
  private var output: [UInt8] = []

  package init() {}

  package func compress(
    _ content: ArraySlice<Response.Segment>, in coding: ContentCoding
  ) -> CompressedContent? {
    let count = content.reduce(0) { $0 + $1.count }
    if count == 0 || count > Self.longest { return nil }
    input.removeAll(keepingCapacity: true)
    input.reserveCapacity(count)
    for segment in content {
      switch segment {
      case .bytes(let bytes): input += bytes
      case .slice(let bytes, let range):
        unsafe bytes.withUnsafeBytes { unsafe input += UnsafeRawBufferPointer(rebasing: $0[range]) }
      }
    }
    defer {
      if input.capacity > Self.keptByteCount { input = [] }
      if output.count > Self.keptByteCount { output = [] }
    }
    return switch coding {
    case .gzip: compressByGzip()
    case .br: compressByBrotli()
    case .zstd: compressByZstd()
    case .identity, .deflate: nil
    }
  }

  package func join(_ start: [UInt8], _ rest: CompressedContent) -> [Response.Segment] {
    let bytes = rest.bytes
    switch rest.coding {
    case .gzip:
      let tail = GzipCoder.tail(start, checksum: rest.checksum, count: rest.originalCount)
      return [.bytes(GzipCoder.head(start)), .slice(bytes, 0..<bytes.count), .bytes(tail)]
    case .br: return [.bytes(BrotliCoder.head(start)), .slice(bytes, 0..<bytes.count)]
    case .zstd:
      let head = unsafe bytes.withUnsafeBytes { unsafe ZstdCoder.head(start, of: $0) }
      return [.bytes(head), .slice(bytes, ZstdCoder.blocks(bytes.count))]
    case .identity, .deflate: preconditionFailure("\(rest.coding) is not made here")
    }
  }

  private func compressByGzip() -> CompressedContent? {
    if gzip == nil { gzip = GzipCoder.make() }
    guard let bound = gzip?.bound(input.count) else { return nil }
    let checksum = unsafe input.withUnsafeBytes { unsafe GzipCoder.checksum($0) }
    return unsafe compressed(.gzip, bound, checksum: checksum) { input, output in
      unsafe gzip?.compress(input, into: output).map { 0..<$0 }
    }
  }

  private func compressByBrotli() -> CompressedContent? {
    unsafe compressed(.br, BrotliCoder.bound(input.count)) { unsafe BrotliCoder.compress($0, into: $1) }
  }

  private func compressByZstd() -> CompressedContent? {
    if zstd == nil { zstd = ZstdCoder.make() }
    return unsafe compressed(.zstd, ZstdCoder.bound(input.count)) { input, output in
      unsafe zstd?.compress(input, into: output).map { 0..<$0 }
    }
  }

  private func compressed(
    _ coding: ContentCoding, _ bound: Int, checksum: UInt32 = 0,
    by work: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Range<Int>?
  ) -> CompressedContent? {
    if output.count < bound { output = [UInt8](repeating: 0, count: bound) }
    let bytes: Bytes? = unsafe input.withUnsafeBytes { input in
      unsafe output.withUnsafeMutableBytes { output in
        guard let range = unsafe work(input, output) else { return nil }
        return unsafe Bytes(copying: UnsafeRawBufferPointer(rebasing: output[range]))
      }
    }
    return bytes.map {
      CompressedContent(coding: coding, bytes: $0, originalCount: input.count, checksum: checksum)
    }
  }
}
