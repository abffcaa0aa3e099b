import CMicrohttpd
import Gateway

/// The content of one answer, written by the handler and taken by the library a block at a time.
///
/// While there is nothing to take, the connection is suspended: the library looks away until there is, and the client's
/// hang-up is noticed by ``Connection``. While there is, each block has the time that an answer of its length would have.
@safe
final class StreamedContent: ContentWriter {
  private var pieces = ResponsePieces([])
  private var takenAction: (() -> Void)?
  /// Nil once nothing can be sent any more. It holds the exchange, which holds this.
  private var connection: Connection?
  /// Whether nobody asks for the bytes.
  let isHead: Bool
  private(set) var isFinished = false
  /// Whether the library waits for more.
  private(set) var isSuspended = false
  /// What the library has taken.
  private(set) var byteCount = 0

  init(connection: Connection?, isHead: Bool) {
    self.connection = connection
    self.isHead = isHead
  }

  // MARK: From the handler

  func write(_ content: [Response.Segment]) {
    precondition(!isFinished, "nothing is written to content that was finished")
    guard connection != nil, !isHead, content.contains(where: { $0.count > 0 }) else { return }
    pieces.append(content)
    resume()
  }

  func whenTaken(_ action: @escaping () -> Void) {
    precondition(takenAction == nil, "one waits for content to be taken")
    if connection == nil || pieces.isEmpty { return action() }
    takenAction = action
  }

  func finish() {
    precondition(!isFinished, "content is finished once")
    isFinished = true
    resume()
  }

  // MARK: From the exchange

  /// Nothing can be sent any more: what is left is let go, and the library told when it asks.
  func leave() {
    guard connection != nil else { return }
    resume()
    connection = nil
    pieces.removeAll()
    let action = takenAction
    takenAction = nil
    action?()
  }

  private func resume() {
    guard isSuspended, let connection else { return }
    isSuspended = false
    connection.enter(.sending(byteCount: 0))
    connection.server.resume(connection, isAnswered: true)
  }

  // MARK: From the library

  /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, which are macros.
  private static let ended = -1
  private static let failed = -2

  private func read(into block: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = unsafe pieces.read(into: block)
      if pieces.isEmpty, let action = takenAction {
        takenAction = nil
        // It may write, and it may finish.
        action()
      }
      byteCount += count
      connection?.server.noteProgress()
      if count > 0 {
        connection?.enter(.sending(byteCount: count))
        return count
      }
      guard let connection else { return Self.failed }
      if !pieces.isEmpty { continue }
      if isFinished { return Self.ended }
      // Half-closed counts as gone where there is something to wait for: nothing would tell of the other half.
      if connection.isPeerClosed { return Self.failed }
      isSuspended = true
      connection.enter(.busy)
      unsafe MHD_suspend_connection(connection.handle)
      return 0
    }
  }

  static let next: MHD_ContentReaderCallback = { owner, _, block, byteCount in
    guard let owner = unsafe owner, let block = unsafe block else { return failed }
    let content = unsafe Unmanaged<StreamedContent>.fromOpaque(owner).takeUnretainedValue()
    return unsafe content.read(into: UnsafeMutableRawBufferPointer(start: block, count: byteCount))
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { owner in
    guard let owner = unsafe owner else { return }
    unsafe Unmanaged<StreamedContent>.fromOpaque(owner).release()
  }
}
