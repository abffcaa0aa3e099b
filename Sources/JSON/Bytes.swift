/// An immutable run of bytes, such as a body, with readable zeros behind it for the parser.
///
/// - Note: `@unchecked Sendable` is sound since nothing writes to the memory after it has been handed to the initialiser.
@safe
package final class Bytes: @unchecked Sendable {
  /// How many bytes behind the end may be read (simdjson's `SIMDJSON_PADDING`).
  package static let padding = 64

  package let count: Int
  private let start: UnsafeMutableRawPointer

  package init(copying bytes: [UInt8]) {
    count = bytes.count
    unsafe start = .allocate(byteCount: bytes.count + Bytes.padding, alignment: 16)
    unsafe bytes.withUnsafeBytes { source in
      if let source = source.baseAddress { unsafe start.copyMemory(from: source, byteCount: bytes.count) }
    }
    unsafe (start + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: Bytes.padding)
  }

  package init(copying bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    unsafe start = .allocate(byteCount: bytes.count + Bytes.padding, alignment: 16)
    if let source = bytes.baseAddress { unsafe start.copyMemory(from: source, byteCount: bytes.count) }
    unsafe (start + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: Bytes.padding)
  }

  /// Takes over `start`, which was allocated with at least `count + padding` bytes, and frees it.
  init(adopting start: UnsafeMutableRawPointer, count: Int) {
    self.count = count
    unsafe self.start = start
    unsafe (start + count).initializeMemory(as: UInt8.self, repeating: 0, count: Bytes.padding)
  }

  deinit { unsafe start.deallocate() }

  package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }

  package subscript(range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe Array(UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
  }
}

/// A body while it arrives: grows up to a ceiling, then becomes ``Bytes`` without a copy.
@safe
package struct BytesBuilder: ~Copyable {
  package private(set) var count = 0
  package let ceiling: Int
  private var start: UnsafeMutableRawPointer
  private var capacity: Int

  /// - Parameter reserving: the bytes expected; not binding in either direction.
  package init(ceiling: Int, reserving: Int) {
    self.ceiling = ceiling
    capacity = max(64, min(reserving, ceiling))
    unsafe start = .allocate(byteCount: capacity + Bytes.padding, alignment: 16)
  }

  deinit { unsafe start.deallocate() }

  /// - Returns: false, with nothing taken, when `bytes` would pass the ceiling.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= ceiling - count else { return false }
    guard let source = bytes.baseAddress else { return true }
    if count + bytes.count > capacity { grow(to: count + bytes.count) }
    unsafe (start + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
    return true
  }

  package consuming func finish() -> Bytes {
    let bytes = unsafe Bytes(adopting: start, count: count)
    discard self
    return bytes
  }

  private mutating func grow(to needed: Int) {
    let newCapacity = max(needed, min(ceiling, capacity * 2))
    let larger = UnsafeMutableRawPointer.allocate(byteCount: newCapacity + Bytes.padding, alignment: 16)
    unsafe larger.copyMemory(from: start, byteCount: count)
    unsafe start.deallocate()
    unsafe start = larger
    capacity = newCapacity
  }
}
