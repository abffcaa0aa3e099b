import CMicrohttpd
import EventLoop
import Glibc

/// One client connection, from its start to its end as the library tells of them.
///
/// The library does not look at a connection whose request waits for its answer, and has one deadline, which any byte
/// puts off. So the hang-up and the slow sender are looked after here.
@safe
final class Connection {
  /// What the client is at. A phase is entered with the instant of its turn.
  enum Phase {
    /// Nothing, or a request line of which not all has come. To: head.
    case idle
    /// A request line has come, its header section not yet all. To: content, busy.
    case head
    /// To: busy.
    case content
    /// A request is being answered; the client may be slow as it likes, up to the idle timeout. To: idle.
    case busy
  }

  unowned let server: Server
  /// The library's; valid until its end.
  let handle: OpaquePointer
  let descriptor: Int32
  let peer: PeerAddress
  /// Where the server keeps it.
  var slot: Int
  private(set) var phase = Phase.idle
  private var phaseStart: ContinuousClock.Instant
  /// When an idle connection is looked at next.
  private var nextLook: ContinuousClock.Instant
  private var isPartOfALineKnown = false
  /// The request under way.
  var exchange: ServerExchange?
  /// The client has closed its half, or more.
  private(set) var isPeerClosed = false
  /// Counted by the limit on its client's address.
  let isCounted: Bool
  /// Closed while the client may still be sending: the answer must not be lost to that.
  var lingers = false
  private var isCut = false

  init(server: Server, handle: OpaquePointer, slot: Int) {
    self.server = server
    unsafe self.handle = handle
    self.slot = slot
    descriptor = unsafe listway_mhd_socket(handle)
    peer = unsafe PeerAddress(listway_mhd_peer(handle))
    phaseStart = server.loop.now
    nextLook = server.loop.now + server.limits.headerTimeout
    isCounted = server.limits.peers?.enter(peer) ?? false
  }

  func enter(_ phase: Phase) {
    self.phase = phase
    phaseStart = server.loop.now
    if phase == .idle {
      nextLook = phaseStart + server.limits.headerTimeout
      isPartOfALineKnown = false
    }
  }

  // MARK: Hang-up

  /// Two system calls a connection, none a request: the events are told once.
  func watch() {
    server.loop.watch(descriptor, for: [.peerClosed, .hangUp, .error, .edgeTriggered]) { [self] _ in
      peerClosed()
    }
  }

  private func peerClosed() {
    if isPeerClosed { return }
    isPeerClosed = true
    if let exchange, exchange.isWaiting {
      exchange.abandon()
    } else {
      server.notice(halfClosed: self)
    }
  }

  /// Has the library read the end of the stream once more. It reads when it is told of something, and stops where a
  /// read brings less than it could: so an end that came together with the last request goes unseen.
  func nudge() {
    shutdown(descriptor, Int32(SHUT_RD))
  }

  /// Whether closing it now could cost the client an answer.
  var mustLinger: Bool {
    !isPeerClosed && !isCut && (lingers || listway_unread(descriptor) > 0)
  }

  /// Ends the connection; the library learns of it in its next run.
  func cut() {
    isCut = true
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  // MARK: Slow senders

  /// Whether the client has had its time at `now`.
  func isOverdue(at now: ContinuousClock.Instant) -> Bool {
    let limits = server.limits
    switch phase {
    case .busy: return false
    case .head: return now - phaseStart >= limits.headerTimeout
    case .content: return now - phaseStart >= limits.contentTimeout
    case .idle: break
    }
    // A silent connection has until the library's timeout. One that has sent a part of a request line must send the
    // rest: the library does not tell of it, but the system knows when data came last.
    if now < nextLook { return false }
    let silence = listway_tcp_silence(descriptor)
    if silence < 0 { return now - phaseStart >= limits.idleTimeout + limits.headerTimeout }
    if isPartOfALineKnown { return true }
    let lastData = now - .milliseconds(silence)
    isPartOfALineKnown = lastData > phaseStart + .milliseconds(50)
    nextLook = now + limits.headerTimeout / (isPartOfALineKnown ? 1 : 2)
    return false
  }
}
