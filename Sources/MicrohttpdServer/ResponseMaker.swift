import CMicrohttpd
import Gateway
import Glibc
import HTTPSemantics
import JSON

/// Turns answers into the library's. One a server: it keeps its scratch space.
@safe
struct ResponseMaker: ~Copyable {
  /// Content in pieces is copied together up to this many bytes, which the library sends with the header section in
  /// one system call and one packet. More is copied a block of this size at a time, as it goes out.
  ///
  /// It could send pieces from where they are (MHD_create_response_from_iovec). But that takes 16 bytes a piece of the
  /// connection's memory, and when a client has left too little of it, 0.9.75 releases a lock that it does not hold
  /// and ends the process; and it takes two system calls and two packets, which cost more than this copy does.
  private static let copyLimit = 65_536

  /// A field's name and value as C strings.
  private var scratch: UnsafeMutableRawBufferPointer

  init() {
    unsafe scratch = .allocate(byteCount: 512, alignment: 1)
  }

  deinit { unsafe scratch.deallocate() }

  /// - Returns: the library's response, to be destroyed by the caller; nil when memory is short.
  mutating func make(_ response: Response, to method: Method, isLast: Bool) -> OpaquePointer? {
    // Neither has content; both announce the length that it would have (RFC 9110 §8.6).
    let isHead = method == .head || response.status == 304
    guard let made = unsafe makeContent(response.content, isHead: isHead) else { return nil }
    for index in 0..<response.fields.count {
      let field = response.fields[index]
      unsafe add(field.name, field.value, to: made)
    }
    if isLast { unsafe MHD_add_response_header(made, "Connection", "close") }
    return unsafe made
  }

  private mutating func add(
    _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, to response: OpaquePointer
  ) {
    let needed = name.count + value.count + 2
    if unsafe scratch.count < needed {
      unsafe scratch.deallocate()
      unsafe scratch = .allocate(byteCount: needed * 2, alignment: 1)
    }
    guard let start = unsafe scratch.baseAddress else { return }
    let valueStart = unsafe Self.write(name, to: start)
    unsafe _ = Self.write(value, to: valueStart)
    // Refused are an empty value, which says nothing, and the fields that are the library's own to set.
    unsafe _ = MHD_add_response_header(
      response, start.assumingMemoryBound(to: CChar.self), valueStart.assumingMemoryBound(to: CChar.self))
  }

  /// - Returns: where to go on, behind the NUL.
  private static func write(_ text: ArraySlice<UInt8>, to place: UnsafeMutableRawPointer)
    -> UnsafeMutableRawPointer
  {
    unsafe text.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { unsafe place.copyMemory(from: start, byteCount: bytes.count) }
    }
    unsafe place.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
    return unsafe place + text.count + 1
  }

  private func makeContent(_ segments: [Response.Segment], isHead: Bool) -> OpaquePointer? {
    let byteCount = segments.reduce(0) { $0 + $1.count }
    if byteCount == 0 { return unsafe MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
    // Nobody asks for the bytes.
    if isHead {
      return unsafe MHD_create_response_from_callback(UInt64(byteCount), 1, Self.noContent, nil, nil)
    }
    if segments.count == 1, case .slice(let bytes, let range) = segments[0] {
      return unsafe makeShared(bytes, range)
    }
    return byteCount <= Self.copyLimit
      ? unsafe makeCopy(segments, byteCount) : unsafe makePieces(segments, byteCount)
  }

  /// One piece that stays where it is.
  private func makeShared(_ bytes: Bytes, _ range: Range<Int>) -> OpaquePointer? {
    let owner = unsafe Unmanaged.passRetained(bytes).toOpaque()
    let made = unsafe bytes.withUnsafeBytes { whole in
      let piece = unsafe UnsafeRawBufferPointer(rebasing: whole[range])
      return unsafe MHD_create_response_from_buffer_with_free_callback_cls(
        piece.count, UnsafeMutableRawPointer(mutating: piece.baseAddress), Self.releaseBytes, owner)
    }
    if unsafe made == nil { unsafe Self.releaseBytes(owner) }
    return unsafe made
  }

  private func makeCopy(_ segments: [Response.Segment], _ byteCount: Int) -> OpaquePointer? {
    guard let copy = unsafe malloc(byteCount) else { return nil }
    var position = unsafe copy
    for segment in segments {
      unsafe segment.withUnsafeBytes { piece in
        guard let start = piece.baseAddress else { return }
        unsafe position.copyMemory(from: start, byteCount: piece.count)
      }
      unsafe position += segment.count
    }
    let made = unsafe MHD_create_response_from_buffer(byteCount, copy, .RESPMEM_MUST_FREE)
    if unsafe made == nil { unsafe free(copy) }
    return unsafe made
  }

  private func makePieces(_ segments: [Response.Segment], _ byteCount: Int) -> OpaquePointer? {
    let owner = unsafe Unmanaged.passRetained(ResponsePieces(segments)).toOpaque()
    let made = unsafe MHD_create_response_from_callback(
      UInt64(byteCount), Self.copyLimit, Self.nextPieces, owner, Self.releasePieces)
    if unsafe made == nil { unsafe Self.releasePieces(owner) }
    return unsafe made
  }

  // MARK: Callbacks

  /// -2 is MHD_CONTENT_READER_END_WITH_ERROR, a macro.
  private static let noContent: MHD_ContentReaderCallback = { _, _, _, _ in -2 }

  private static let nextPieces: MHD_ContentReaderCallback = { owner, _, block, byteCount in
    guard let owner = unsafe owner, let block = unsafe block else { return -2 }
    let pieces = unsafe Unmanaged<ResponsePieces>.fromOpaque(owner).takeUnretainedValue()
    let count = unsafe pieces.read(into: UnsafeMutableRawBufferPointer(start: block, count: byteCount))
    return count > 0 ? count : -2
  }

  private static let releaseBytes: @convention(c) (UnsafeMutableRawPointer?) -> Void = { owner in
    guard let owner = unsafe owner else { return }
    unsafe Unmanaged<Bytes>.fromOpaque(owner).release()
  }

  private static let releasePieces: @convention(c) (UnsafeMutableRawPointer?) -> Void = { owner in
    guard let owner = unsafe owner else { return }
    unsafe Unmanaged<ResponsePieces>.fromOpaque(owner).release()
  }
}

/// Content in pieces, read a block at a time.
private final class ResponsePieces {
  private let segments: [Response.Segment]
  private var index = 0
  /// Within the segment at `index`.
  private var offset = 0

  init(_ segments: [Response.Segment]) { self.segments = segments }

  /// Fills `block` as far as there is content, and goes on from there the next time.
  func read(into block: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while index < segments.count && count < block.count {
      let segment = segments[index]
      unsafe segment.withUnsafeBytes { whole in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: whole[offset...].prefix(block.count - count))
        unsafe UnsafeMutableRawBufferPointer(rebasing: block[count...]).copyMemory(from: rest)
        count += rest.count
        offset += rest.count
      }
      if offset == segment.count {
        index += 1
        offset = 0
      }
    }
    return count
  }
}

extension Response.Segment {
  fileprivate func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    switch self {
    case .bytes(let bytes): unsafe bytes.withUnsafeBytes(body)
    case .slice(let bytes, let range):
      unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }
}
