internal import CSimdJSON
internal import func Glibc.free

/// An immutable body, shared and never copied: pages, items and responses point into it.
///
/// Behind its last byte lie ``padding`` readable zero bytes, which the parser's SIMD loads may touch.
@safe package final class Bytes: Sendable {
  /// How many bytes are readable behind the last one.
  package static let padding = Int(LISTWAY_JSON_PADDING)

  package let count: Int
  // Sound: written before the object is anybody's, and only read from then on.
  @usableFromInline nonisolated(unsafe) let base: UnsafeMutablePointer<UInt8>

  /// Takes over `base`, which malloc gave and which has `padding` zero bytes behind `count` bytes.
  init(adopting base: UnsafeMutablePointer<UInt8>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    var builder = BytesBuilder(ceiling: bytes.count, reserving: bytes.count)
    _ = unsafe builder.append(bytes)
    unsafe self.init(adopting: builder.release(), count: bytes.count)
  }

  package convenience init(copying bytes: [UInt8]) {
    var builder = BytesBuilder(ceiling: bytes.count, reserving: bytes.count)
    _ = unsafe bytes.withUnsafeBytes { unsafe builder.append($0) }
    unsafe self.init(adopting: builder.release(), count: bytes.count)
  }

  deinit { unsafe free(base) }

  /// The bytes, without the padding. The pointer stays valid, at the same address, as long as this object lives.
  @inlinable
  package func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// A copy of a part.
  ///
  /// - Precondition: `range` lies within the body.
  package subscript(range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "the range leaves the body")
    return unsafe Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
  }
}
