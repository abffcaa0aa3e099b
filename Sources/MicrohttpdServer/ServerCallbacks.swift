import CMicrohttpd
import Glibc

/// What the library calls, always within a run of the daemon or its stop. Each recovers its owner and calls one method.
enum ServerCallbacks {
  /// A connection has started, or is about to be closed. Its context holds one reference to its ``Connection``.
  static let connection: MHD_NotifyConnectionCallback = { owner, handle, context, code in
    guard let owner = unsafe owner, let handle = unsafe handle, let context = unsafe context else { return }
    let server = unsafe Unmanaged<Server>.fromOpaque(owner).takeUnretainedValue()
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
      unsafe context.pointee = Unmanaged.passRetained(server.begin(handle)).toOpaque()
    default:
      guard let held = unsafe context.pointee else { return }
      unsafe context.pointee = nil
      server.end(unsafe Unmanaged<Connection>.fromOpaque(held).takeRetainedValue())
    }
  }

  /// A request line has come. What this returns is the request's context: one reference to its ``ServerExchange``.
  static let target:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
      UnsafeMutableRawPointer? = {
        _, target, handle in
        guard let target = unsafe target, let handle = unsafe handle,
          let held = unsafe listway_mhd_context(handle)
        else { return nil }
        let connection = unsafe Unmanaged<Connection>.fromOpaque(held).takeUnretainedValue()
        let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
        let exchange = unsafe ServerExchange(connection: connection, target: bytes)
        connection.exchange = exchange
        connection.enter(.head)
        // The library would now split the query, at 64 bytes of the connection's memory for each parameter, which
        // nobody reads. It looks for the query's end, a NUL, in its own buffer: so the query ends here.
        if let question = unsafe memchr(target, Int32(UInt8(ascii: "?")), bytes.count),
          unsafe question + 1 < target + bytes.count
        {
          unsafe (question + 1).storeBytes(of: 0, as: UInt8.self)
        }
        return unsafe Unmanaged.passRetained(exchange).toOpaque()
      }

  /// Called when the header section is there, for each piece of content, and at the end.
  static let access: MHD_AccessHandlerCallback = { _, _, _, method, version, piece, pieceByteCount, context in
    guard let method = unsafe method, let version = unsafe version,
      let pieceByteCount = unsafe pieceByteCount,
      let context = unsafe context, let held = unsafe context.pointee
    else { return .NO }
    let exchange = unsafe Unmanaged<ServerExchange>.fromOpaque(held).takeUnretainedValue()
    let verdict: ServerExchange.Verdict
    if !exchange.hasHead {
      verdict = unsafe exchange.receiveHead(method: method, version: version)
    } else if unsafe pieceByteCount.pointee > 0 {
      verdict = unsafe exchange.receive(UnsafeRawBufferPointer(start: piece, count: pieceByteCount.pointee))
      unsafe pieceByteCount.pointee = 0
    } else {
      verdict = exchange.receiveEnd()
    }
    return verdict == .proceed ? MHD_Result.YES : MHD_Result.NO
  }

  /// A request is over.
  static let completed: MHD_RequestCompletedCallback = { _, _, context, code in
    guard let context = unsafe context, let held = unsafe context.pointee else { return }
    unsafe context.pointee = nil
    unsafe Unmanaged<ServerExchange>.fromOpaque(held).takeRetainedValue().complete(
      isSent: code == .REQUEST_TERMINATED_COMPLETED_OK)
  }
}
