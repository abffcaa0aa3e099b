package import EventLoop
package import Gateway
import CMicrohttpd
import HTTPSemantics
import Glibc

/// An HTTP server on one loop: one libmicrohttpd daemon, whose epoll the loop waits for.
///
/// Everything happens on the loop's thread. A turn of the loop runs the daemon at its end, and only when there is
/// something to do: when its epoll was ready, when an answer was given to a request that waited, or when it left work.
///
/// Two things spare three system calls a request. A connection whose request waited would be read in vain before its
/// answer is sent, since the library believes of it what it believed before it waited; connections with a deadline of
/// their own it judges anew first, so it gets one for that run. And a connection would be read in vain as soon as its
/// request is answered, then added to the daemon's epoll and, when the next request waits, taken out of there. That is put
/// off to the next run, a millisecond later at most; should the request come before that, the loop, which watches the
/// connection too, tells of it.
///
/// The handler sees every request that can be read, those that are at fault included. A few the library answers itself,
/// with a page of its own, and closes their connection: a request line without a version or with another one than
/// 1.x, a line without a colon, a length that is not a number, broken chunks, and a head that is far longer than the
/// limits, or of so many fields that it does not fit into the connection's memory.
@safe
package final class Server {
  package let listener: Listener
  /// Where it listens.
  package let address: Address
  package internal(set) var figures = ServerFigures()

  let loop: EventLoop
  let limits: ServerLimits
  let handler: any RequestHandler

  private var daemon: OpaquePointer?
  private var daemonEpoll: Int32 = -1
  private var isListening = true
  private var file: SocketFile?
  private var needsRun = true
  private var isRunning = false
  /// Whether there is content to be read or sent that the library tells nothing of.
  private var hasProgressed = false
  /// Whether answers were given that the library may need another run to be done with.
  private var hasAnswered = false
  /// Connections with a deadline of their own for the next run.
  private var hurried: [Connection] = []
  /// Has the daemon look at the connections whose requests were answered.
  private var settling: Timer?
  /// The turn in which the daemon's part was last.
  private var lastTurn: ContinuousClock.Instant?
  private var maker = ResponseMaker()
  private var connections: [Connection] = []
  private var halfClosed: [Connection] = []
  private var closing: LingeringSockets

  /// Starts to serve on a loop, and does until ``stop()``. On the loop's thread, or before it runs.
  ///
  /// - Parameter socket: serves once; one of several that were opened on one address, when there are several loops.
  package static func make(
    listening socket: ListeningSocket, limits: ServerLimits, handler: any RequestHandler, loop: EventLoop,
    listener: Listener
  ) throws(ServerFailure) -> Server {
    let server = Server(socket: socket, limits: limits, handler: handler, loop: loop, listener: listener)
    try server.start(socket)
    return server
  }

  private init(
    socket: ListeningSocket, limits: ServerLimits, handler: any RequestHandler, loop: EventLoop,
    listener: Listener
  ) {
    self.listener = listener
    self.address = socket.address
    self.loop = loop
    self.limits = limits
    self.handler = handler
    file = socket.file
    closing = LingeringSockets(loop: loop)
  }

  private func start(_ socket: ListeningSocket) throws(ServerFailure) {
    let descriptor = socket.take()
    let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
    let started = unsafe listway_mhd_start(
      descriptor, UInt32(clamping: limits.connections), limits.idleSeconds, limits.memory, owner,
      ServerCallbacks.target, ServerCallbacks.access, ServerCallbacks.completed, ServerCallbacks.connection)
    guard let started = unsafe started else {
      close(descriptor)
      throw ServerFailure(kind: .library, address: address, code: 0)
    }
    unsafe daemon = unsafe started
    daemonEpoll = unsafe listway_mhd_epoll(started)
    loop.watch(daemonEpoll, for: .readable) { [unowned self] _ in needsRun = true }
    loop.everyTurn { [weak self] in self?.turn() }
    tick()
  }

  deinit { stop() }

  // MARK: Turns

  private func turn() {
    lastTurn = loop.now
    guard needsRun, let daemon = unsafe daemon else { return }
    var runs = 0
    var mustRunAgain: Bool
    isRunning = true
    repeat {
      let hadAnswered = hasAnswered
      hasAnswered = false
      hasProgressed = false
      needsRun = false
      unsafe _ = MHD_run(daemon)
      for connection in hurried { connection.calm() }
      hurried.removeAll(keepingCapacity: true)
      let isOver = figures.underWay == figures.unanswered
      mustRunAgain = needsRun || hasProgressed || (hadAnswered || hasAnswered) && !isOver
      runs += 1
    } while mustRunAgain && runs < Self.runCeiling
    isRunning = false
    needsRun = mustRunAgain
    if !halfClosed.isEmpty {
      for connection in halfClosed { connection.nudge() }
      halfClosed.removeAll(keepingCapacity: true)
      needsRun = true
    }
    if needsRun { return loop.turnAgain() }
    var milliseconds: UInt64 = 0
    if unsafe MHD_get_timeout(daemon, &milliseconds) == .YES && milliseconds == 0 { settle() }
  }

  private func settle() {
    if settling?.isPending ?? false { return }
    settling = loop.schedule(at: loop.now + Self.settlingTime) { [weak self] in self?.needsRun = true }
  }

  /// Runs in one turn, at most: others have things to do as well.
  private static let runCeiling = 4
  private static let settlingTime = Duration.milliseconds(1)

  /// Has the daemon run in this turn, or at once in the next where its part of this turn is over.
  func wantRun() {
    needsRun = true
    if !isRunning && lastTurn == loop.now { loop.turnAgain() }
  }

  /// Ends what is overdue, and lets the library end what is idle for too long.
  private func tick() {
    guard unsafe daemon != nil else { return }
    for connection in connections {
      switch connection.delay(at: loop.now) {
      case nil: continue
      case .sending: figures.slowSenders += 1
      case .reading: figures.slowReaders += 1
      }
      connection.cut()
    }
    if !connections.isEmpty { wantRun() }
    loop.schedule(at: loop.now + limits.tick) { [weak self] in self?.tick() }
  }

  // MARK: Connections and exchanges

  func begin(_ handle: OpaquePointer) -> Connection {
    let connection = unsafe Connection(server: self, handle: handle, slot: connections.count)
    connections.append(connection)
    figures.accepted += 1
    figures.open += 1
    connection.watch()
    if limits.peers != nil && !connection.isCounted {
      figures.turnedAway += 1
      connection.cut()
    }
    return connection
  }

  func end(_ connection: Connection) {
    loop.unwatch(connection.descriptor)
    // Should the library have dropped it without a word about its request.
    connection.exchange?.complete(isSent: false)
    connection.isHurried = false
    if connection.isCounted { limits.peers?.leave(connection.peer) }
    if unsafe daemon != nil, connection.mustLinger { closing.add(copyOf: connection.descriptor) }
    let last = connections.removeLast()
    if last !== connection {
      connections[connection.slot] = last
      last.slot = connection.slot
    }
    if connection.isPeerClosed { halfClosed.removeAll { $0 === connection } }
    figures.open -= 1
  }

  /// A part of a content was taken or is about to be sent: there may be more.
  func noteProgress() { hasProgressed = true }

  /// The end of a connection's stream may have to be pointed out to the library, after its next run.
  func notice(halfClosed connection: Connection) {
    halfClosed.append(connection)
    wantRun()
  }

  /// - Parameter isLast: whether the connection closes after it.
  func queue(_ response: Response, to method: Method, isLast: Bool, on connection: OpaquePointer) -> Bool {
    guard let made = unsafe maker.make(response, to: method, isLast: isLast, server: self) else {
      return false
    }
    hasAnswered = true
    defer { unsafe MHD_destroy_response(made) }
    return unsafe MHD_queue_response(connection, UInt32(response.status), made) == .YES
  }

  /// The same for an answer of which the content is written while it is sent.
  func queue(
    _ head: Response, streaming content: StreamedContent, isLast: Bool, on connection: OpaquePointer
  ) -> Bool {
    guard let made = unsafe maker.make(head, streaming: content, isLast: isLast) else { return false }
    hasAnswered = true
    defer { unsafe MHD_destroy_response(made) }
    return unsafe MHD_queue_response(connection, UInt32(head.status), made) == .YES
  }

  /// - Parameter isAnswered: whether there is an answer, or more of it, to be sent.
  func resume(_ connection: Connection, isAnswered: Bool) {
    if isAnswered {
      connection.hurry()
      hurried.append(connection)
      hasAnswered = true
    }
    unsafe MHD_resume_connection(connection.handle)
    wantRun()
  }

  // MARK: The end

  /// Takes no more connections. Those that the system has taken already are served.
  ///
  /// - Precondition: not called while a request is being handed over.
  package func stopAccepting() {
    guard isListening, let daemon = unsafe daemon else { return }
    precondition(!isRunning, "not from within the handler")
    let descriptor = unsafe listway_mhd_listening(daemon)
    // What waits in the queue would be reset with it. The bound is for clients that never stop to connect.
    for _ in 0..<1_000 where isReadable(descriptor) && figures.open < limits.connections {
      isRunning = true
      unsafe _ = MHD_run(daemon)
      isRunning = false
    }
    unsafe stopListening(daemon)
    wantRun()
  }

  private func stopListening(_ daemon: OpaquePointer) {
    guard isListening else { return }
    isListening = false
    close(unsafe MHD_quiesce_daemon(daemon))
    file = nil
  }

  /// Closes every connection; requests without an answer are abandoned. After this nothing happens any more.
  ///
  /// - Precondition: not called while a request is being handed over.
  package func stop() {
    guard let daemon = unsafe daemon else { return }
    precondition(!isRunning, "not from within the handler")
    unsafe stopListening(daemon)
    loop.unwatch(daemonEpoll)
    // The library wants nothing suspended when it ends.
    for connection in connections { connection.exchange?.abandon() }
    unsafe self.daemon = nil
    unsafe MHD_stop_daemon(daemon)
    closing.closeAll()
    halfClosed = []
    hurried = []
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) > 0
  }
}
