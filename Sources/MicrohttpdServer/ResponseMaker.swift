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
  private let blocks = BlockPool()

  init() {
    unsafe scratch = .allocate(byteCount: 512, alignment: 1)
  }

  deinit { unsafe scratch.deallocate() }

  /// - Returns: the library's response, to be destroyed by the caller; nil when memory is short.
  mutating func make(
    _ response: Response, to method: Method, isLast: Bool, server: Server
  ) -> OpaquePointer? {
    // Neither has content; both announce the length that it would have (RFC 9110 §8.6).
    let isHead = method == .head || response.status == 304
    guard let made = unsafe makeContent(response.content, isHead: isHead, server) else { return nil }
    unsafe addFields(of: response, isLast: isLast, to: made)
    return unsafe made
  }

  /// The same for content that is written while it is sent, of which the library does not know the length.
  mutating func make(_ head: Response, streaming content: StreamedContent, isLast: Bool) -> OpaquePointer? {
    let owner = unsafe Unmanaged.passRetained(content).toOpaque()
    let made = unsafe MHD_create_response_from_callback(
      UInt64.max, Self.copyLimit, StreamedContent.next, owner, StreamedContent.release)
    guard let made = unsafe made else {
      unsafe StreamedContent.release(owner)
      return nil
    }
    // In chunks, 0.9.75 ends the content that it does not send to HEAD with a last chunk, which is then taken for the
    // next answer.
    if content.isHead { unsafe listway_mhd_end_by_closing(made) }
    unsafe addFields(of: head, isLast: isLast, to: made)
    return unsafe made
  }

  private mutating func addFields(of response: Response, isLast: Bool, to made: OpaquePointer) {
    for index in 0..<response.fields.count {
      let field = response.fields[index]
      unsafe add(field.name, field.value, to: made)
    }
    if isLast { unsafe _ = MHD_add_response_header(made, "Connection", "close") }
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

  private func makeContent(
    _ segments: [Response.Segment], isHead: Bool, _ server: Server
  ) -> OpaquePointer? {
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
      ? unsafe makeCopy(segments, byteCount) : unsafe makePieces(segments, byteCount, server)
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
    let isSmall = byteCount <= BlockPool.blockByteCount
    guard let copy = unsafe isSmall ? blocks.take() : malloc(byteCount) else { return nil }
    var position = unsafe copy
    for segment in segments {
      unsafe segment.withUnsafeBytes { piece in
        guard let start = piece.baseAddress else { return }
        unsafe position.copyMemory(from: start, byteCount: piece.count)
      }
      unsafe position += segment.count
    }
    guard isSmall else {
      let made = unsafe MHD_create_response_from_buffer(byteCount, copy, .RESPMEM_MUST_FREE)
      if unsafe made == nil { unsafe free(copy) }
      return unsafe made
    }
    let made = unsafe MHD_create_response_from_buffer_with_free_callback_cls(
      byteCount, copy, BlockPool.giveBack, copy)
    if unsafe made == nil { unsafe BlockPool.giveBack(copy) }
    return unsafe made
  }

  private func makePieces(
    _ segments: [Response.Segment], _ byteCount: Int, _ server: Server
  ) -> OpaquePointer? {
    let owner = unsafe Unmanaged.passRetained(PiecesReader(segments, server: server)).toOpaque()
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
    let reader = unsafe Unmanaged<PiecesReader>.fromOpaque(owner).takeUnretainedValue()
    let count = unsafe reader.read(into: UnsafeMutableRawBufferPointer(start: block, count: byteCount))
    return count > 0 ? count : -2
  }

  private static let releaseBytes: @convention(c) (UnsafeMutableRawPointer?) -> Void = { owner in
    guard let owner = unsafe owner else { return }
    unsafe Unmanaged<Bytes>.fromOpaque(owner).release()
  }

  private static let releasePieces: @convention(c) (UnsafeMutableRawPointer?) -> Void = { owner in
    guard let owner = unsafe owner else { return }
    unsafe Unmanaged<PiecesReader>.fromOpaque(owner).release()
  }
}

/// What the library holds of content in pieces.
private final class PiecesReader {
  var pieces: ResponsePieces
  private unowned let server: Server

  init(_ segments: [Response.Segment], server: Server) {
    pieces = ResponsePieces(segments)
    self.server = server
  }

  func read(into block: UnsafeMutableRawBufferPointer) -> Int {
    server.noteProgress()
    return unsafe pieces.read(into: block)
  }
}
