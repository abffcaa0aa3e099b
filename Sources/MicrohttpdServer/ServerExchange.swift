import CMicrohttpd
import EventLoop
import Gateway
import HTTPSemantics

/// One request, made when its request line has come and released when its answer has been sent or cannot be.
@safe
final class ServerExchange: Exchange {
  private enum State {
    /// The request is not all there. To: asking, ended.
    case receiving
    /// The handler is being asked. To: answered, streaming, waiting, ended.
    case asking
    /// The handler answers later; the library looks away. To: answered, streaming, ended.
    case waiting
    /// To: ended.
    case answered
    /// The handler has answered, and writes the content while it is sent. To: ended.
    case streaming(StreamedContent)
    /// The answer was sent, or the client is gone.
    case ended
  }

  let listener: Listener
  private(set) var method = Method.get
  let target: [UInt8]
  private(set) var content: [UInt8] = []
  private(set) var fault: RequestFault?

  private var state = State.receiving
  private(set) var hasHead = false
  private var hasResponded = false
  private var abandonAction: (() -> Void)?
  private var isAbandoned = false
  /// Nil once the exchange has ended.
  private var connection: Connection?
  private let peer: PeerAddress
  /// Where the target lies in the connection's memory; compared, never read.
  private let targetAddress: UnsafeRawPointer
  private var contentByteCount = 0
  private var sentByteCount = 0
  /// Whether it has been handed over.
  private var isAsked: Bool {
    if case .receiving = state { false } else { true }
  }
  /// Whether an answer can still be given.
  private var isUnanswered: Bool {
    switch state {
    case .asking, .waiting: true
    case .receiving, .answered, .streaming, .ended: false
    }
  }

  init(connection: Connection, target: UnsafeRawBufferPointer) {
    listener = connection.server.listener
    self.connection = connection
    self.target = unsafe Array(target)
    unsafe targetAddress = target.baseAddress!
    peer = connection.peer
  }

  var peerAddress: String { peer.description }

  /// The fields are read where they lie, which is until the answer is given: after that this is nil.
  func field(_ name: FieldName) -> String? {
    guard isUnanswered, let connection else { return nil }
    var search = FieldSearch(name: name.lowercased)
    unsafe withUnsafeMutablePointer(to: &search) { search in
      unsafe _ = MHD_get_connection_values_n(connection.handle, .HEADER_KIND, FieldSearch.each, search)
    }
    return search.found.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: From the library

  /// What the library is to do after a call of its handler: go on, or close the connection.
  enum Verdict {
    case proceed
    case close
  }

  /// The header section is there.
  func receiveHead(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> Verdict {
    guard let connection, !isAsked else { return .close }
    let head = unsafe RequestHead(
      connection: connection.handle, method: method, target: targetAddress, targetBytes: target,
      version: version, headerByteCount: listway_mhd_header_byte_count(connection.handle),
      limits: connection.server.limits)
    hasHead = true
    self.method = head.method
    fault = head.fault
    if fault != nil {
      // What follows is not read: the answer goes out at once, and the connection closes after it.
      connection.lingers = true
      return ask()
    }
    // Not more than a connection costs anyway: it has only been announced.
    if let expected = head.contentLength, expected > 0 { content.reserveCapacity(min(expected, 16_384)) }
    if head.isChunked || head.contentLength ?? 0 > 0 { connection.enter(.content) }
    return .proceed
  }

  /// A piece of the content is there.
  func receive(_ piece: UnsafeRawBufferPointer) -> Verdict {
    guard let connection, !isAsked else { return .close }
    connection.server.noteProgress()
    let limit = connection.server.limits.content
    contentByteCount += piece.count
    if contentByteCount <= limit {
      unsafe content.append(contentsOf: piece)
      return .proceed
    }
    // Chunks: only now is it too much, and the library takes no answer before their end. As much again is thrown
    // away for the sake of the answer, and not more.
    fault = .contentTooLarge
    content = []
    return contentByteCount <= 2 * limit + 65_536 ? .proceed : .close
  }

  /// The request is all there.
  func receiveEnd() -> Verdict { ask() }

  private func ask() -> Verdict {
    // Called once more when it was resumed without an answer: its client has gone.
    guard let connection, !isAsked else { return .close }
    let server = connection.server
    connection.enter(.busy)
    server.figures.begin()
    state = .asking
    server.handler.handle(self)
    switch state {
    case .answered, .streaming: return .proceed
    case .receiving, .waiting, .ended: return .close
    case .asking: break
    }
    if connection.isPeerClosed {
      // Half-closed counts as gone where the answer has to be waited for.
      giveUp(server)
      return .close
    }
    state = .waiting
    unsafe MHD_suspend_connection(connection.handle)
    return .proceed
  }

  /// Whether the library looks away, until there is an answer or more of it.
  var isSuspended: Bool {
    switch state {
    case .waiting: true
    case .streaming(let content): content.isSuspended
    case .receiving, .asking, .answered, .ended: false
    }
  }

  /// Whether the library reads nothing more of the client before this is over.
  var isInTheWay: Bool {
    switch state {
    case .waiting, .answered, .streaming: true
    case .receiving, .asking, .ended: false
    }
  }

  /// The client has gone, or the server ends, while the answer or more of it was waited for.
  func abandon() {
    guard isSuspended, let connection else { return }
    if case .streaming(let content) = state { return leave(content) }
    connection.server.resume(connection, isAnswered: false)
    giveUp(connection.server)
  }

  private func giveUp(_ server: Server) {
    state = .ended
    server.figures.abandon()
    tellAbandoned()
  }

  /// Nothing more of an answer's content can be sent.
  private func leave(_ content: StreamedContent) {
    if !content.isFinished { tellAbandoned() }
    content.leave()
  }

  private func tellAbandoned() {
    isAbandoned = true
    let action = abandonAction
    abandonAction = nil
    action?()
  }

  /// The library is done with the request.
  ///
  /// - Parameter isSent: whether the whole answer has gone to the system.
  func complete(isSent: Bool) {
    guard let connection else { return }
    let server = connection.server
    let wasAsked = isAsked
    if connection.exchange === self { connection.exchange = nil }
    switch state {
    case .answered: server.figures.send(byteCount: sentByteCount, isWhole: isSent)
    case .streaming(let content):
      server.figures.send(byteCount: content.byteCount, isWhole: isSent)
      leave(content)
    case .asking, .waiting: giveUp(server)
    case .receiving, .ended: break
    }
    if wasAsked { server.figures.end() }
    state = .ended
    self.connection = nil
    connection.enter(.idle)
    connection.readWhatCame()
  }

  // MARK: From the handler

  func respond(_ response: Response) {
    beginToRespond()
    abandonAction = nil
    guard let connection, isUnanswered else { return }
    let server = connection.server
    let wasWaiting = isSuspended
    let isLast = response.closesConnection || fault != nil
    let isQueued = unsafe server.queue(response, to: method, isLast: isLast, on: connection.handle)
    if isQueued {
      server.figures.answer()
      state = .answered
      let isWithout = method == .head || response.status == 204 || response.status == 304
      if !isWithout { sentByteCount = response.contentByteCount }
      connection.enter(.sending(byteCount: sentByteCount))
    } else {
      giveUp(server)
    }
    // Without an answer the library asks again, and is told to close.
    if wasWaiting { server.resume(connection, isAnswered: isQueued) }
  }

  func respond(streaming head: Response) -> any ContentWriter {
    beginToRespond()
    guard let connection, isUnanswered else { return StreamedContent(connection: nil, isHead: false) }
    let server = connection.server
    let wasWaiting = isSuspended
    let content = StreamedContent(connection: connection, isHead: method == .head)
    content.write(head.content)
    let isLast = head.closesConnection || fault != nil
    if unsafe server.queue(head, streaming: content, isLast: isLast, on: connection.handle) {
      server.figures.answer()
      state = .streaming(content)
      connection.enter(.sending(byteCount: 0))
    } else {
      giveUp(server)
      content.leave()
    }
    if wasWaiting { server.resume(connection, isAnswered: true) }
    return content
  }

  private func beginToRespond() {
    precondition(!hasResponded, "an exchange is answered once")
    precondition(isAsked, "an exchange is answered after it was handed over")
    hasResponded = true
  }

  /// A client that has gone already is told of at once.
  func whenAbandoned(_ action: @escaping () -> Void) {
    switch state {
    case .receiving, .asking, .waiting: abandonAction = action
    case .streaming(let content): if !content.isFinished { abandonAction = action }
    case .answered: break
    case .ended: if isAbandoned { action() }
    }
  }
}

/// One look-up among the fields of a request.
private struct FieldSearch {
  let name: [UInt8]
  var found: [UInt8]?

  init(name: [UInt8]) { self.name = name }

  static let each: MHD_KeyValueIteratorN = { search, _, name, nameByteCount, value, valueByteCount in
    guard let search = unsafe search, let name = unsafe name, let value = unsafe value else { return .YES }
    unsafe search.assumingMemoryBound(to: FieldSearch.self).pointee.read(
      UnsafeRawBufferPointer(start: name, count: nameByteCount),
      UnsafeRawBufferPointer(start: value, count: valueByteCount))
    return .YES
  }

  private mutating func read(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    guard name.count == self.name.count else { return }
    for index in 0..<name.count {
      let byte = unsafe name[index]
      if (byte &- 0x41 < 26 ? byte | 0x20 : byte) != self.name[index] { return }
    }
    var end = value.count
    while end > 0, unsafe value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
    if found == nil {
      found = unsafe Array(value[0..<end])
    } else {
      found?.append(contentsOf: [UInt8(ascii: ","), UInt8(ascii: " ")])
      unsafe found?.append(contentsOf: value[0..<end])
    }
  }
}
