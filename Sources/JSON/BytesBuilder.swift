internal import CSimdJSON
internal import func Glibc.free
internal import func Glibc.memcpy
internal import func Glibc.memset
internal import func Glibc.realloc

/// A body as it arrives: grows in amortised constant time up to a ceiling, then becomes ``Bytes`` without a copy.
@safe package struct BytesBuilder: ~Copyable {
  /// The most bytes that are taken.
  package let ceiling: Int
  /// How many bytes have been taken.
  package private(set) var count = 0
  /// How many bytes fit before the next allocation, the padding not counted.
  private var capacity: Int
  private var base: UnsafeMutablePointer<UInt8>

  /// - Parameter reserving: how many bytes are expected; more than `ceiling` is taken as `ceiling`.
  package init(ceiling: Int, reserving: Int) {
    precondition(ceiling >= 0 && reserving >= 0, "a body has no negative size")
    self.ceiling = ceiling
    capacity = min(ceiling, reserving)
    unsafe base = Self.allocated(nil, capacity: capacity)
  }

  deinit { unsafe free(base) }

  /// Takes `bytes` whole, or nothing of them and returns false when they would pass the ceiling.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= ceiling - count else { return false }
    guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
    if bytes.count > capacity - count {
      capacity = min(ceiling, max(count + bytes.count, 2 * capacity, 4096))
      unsafe base = Self.allocated(base, capacity: capacity)
    }
    unsafe memcpy(base + count, source, bytes.count)
    count += bytes.count
    return true
  }

  package consuming func finish() -> Bytes {
    let count = count
    return unsafe Bytes(adopting: release(), count: count)
  }

  /// The bytes and their padding, no longer owned.
  consuming func release() -> UnsafeMutablePointer<UInt8> {
    // What was reserved in vain goes back when it is worth the call: a cached body keeps its memory for hours.
    if capacity - count > max(4096, count / 8) { unsafe base = Self.allocated(base, capacity: count) }
    unsafe memset(base + count, 0, Bytes.padding)
    let base = unsafe base
    discard self
    return unsafe base
  }

  private static func allocated(_ base: UnsafeMutablePointer<UInt8>?, capacity: Int) -> UnsafeMutablePointer<
    UInt8
  > {
    guard let memory = unsafe realloc(base, capacity + Bytes.padding) else {
      fatalError("out of memory for a body")
    }
    return unsafe memory.assumingMemoryBound(to: UInt8.self)
  }
}
