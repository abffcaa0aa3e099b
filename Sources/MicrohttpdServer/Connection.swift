import CMicrohttpd
import EventLoop
import Glibc

/// One client connection, from its start to its end as the library tells of them.
///
/// The library does not look at a connection whose request waits for its answer, and has one deadline, which any byte
/// puts off. So the hang-up, the slow sender and the slow reader are looked after here.
@safe
final class Connection {
  /// What the client is at.
  enum Phase {
    /// Nothing, or a request line of which not all has come. To: head.
    case idle
    /// A request line has come, its header section not yet all. To: content, busy.
    case head
    /// To: busy.
    case content
    /// A request waits for its answer. To: sending, idle.
    case busy
    /// An answer with content of so many bytes is on its way, or a block of it. To: busy, where more of it is waited for,
    /// idle.
    case sending(byteCount: Int)
  }

  private struct Progress {
    var phase: Phase
    /// The instant of the turn in which the phase began.
    let start: ContinuousClock.Instant
    /// When an idle connection is looked at next, once it has been looked at.
    var nextLook: ContinuousClock.Instant?
    var isPartOfALineKnown = false
  }

  /// Sound: a server ends its connections before it goes.
  private unowned(unsafe) let owner: Server
  var server: Server { unsafe owner }
  private let loop: EventLoop
  /// The library's; valid until its end.
  let handle: OpaquePointer
  let descriptor: Int32
  let peer: PeerAddress
  /// Where the server keeps it.
  var slot: Int
  private var progress: Progress
  /// The request under way.
  var exchange: ServerExchange?
  /// The client has closed its half, or more.
  private(set) var isPeerClosed = false
  /// Something has come since the request under way was handed over.
  private var hasUnread = false
  /// Counted by the limit on its client's address.
  let isCounted: Bool
  /// Closed while the client may still be sending: the answer must not be lost to that.
  var lingers = false
  private var isCut = false
  /// Whether the library has a deadline for it alone.
  var isHurried = false

  init(server: Server, handle: OpaquePointer, slot: Int) {
    unsafe owner = server
    loop = server.loop
    unsafe self.handle = handle
    self.slot = slot
    descriptor = unsafe listway_mhd_socket(handle)
    peer = unsafe PeerAddress(listway_mhd_peer(handle))
    progress = Progress(phase: .idle, start: loop.now)
    isCounted = server.limits.peers?.enter(peer) ?? false
  }

  func enter(_ phase: Phase) {
    progress = Progress(phase: phase, start: loop.now)
  }

  // MARK: Deadlines of the library

  /// A deadline of its own, as good as the one for all.
  func hurry() {
    isHurried = true
    unsafe listway_mhd_set_timeout(handle, server.limits.idleSeconds + 1)
  }

  /// Back to the deadline for all, if it is still there. The library looks at all that have another in each of its runs.
  func calm() {
    if !isHurried { return }
    isHurried = false
    unsafe listway_mhd_set_timeout(handle, server.limits.idleSeconds)
  }

  // MARK: What the system tells

  /// Two system calls a connection, none a request: the events are told once.
  func watch() {
    let closing = Readiness.peerClosed.rawValue | Readiness.hangUp.rawValue | Readiness.error.rawValue
    let interest = closing | Readiness.readable.rawValue | Readiness.edgeTriggered.rawValue
    loop.watch(descriptor, for: Readiness(rawValue: interest)) { [self] readiness in
      if readiness.rawValue & closing != 0 { peerClosed() } else { dataCame() }
    }
  }

  /// The library may not have it in its epoll.
  private func dataCame() {
    if exchange?.isInTheWay ?? false {
      hasUnread = true
    } else {
      server.wantRun()
    }
  }

  /// Has the library read what came while a request was answered.
  func readWhatCame() {
    if !hasUnread { return }
    hasUnread = false
    server.wantRun()
  }

  private func peerClosed() {
    if isPeerClosed { return }
    isPeerClosed = true
    if let exchange, exchange.isSuspended {
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

  // MARK: Slow senders and readers

  /// Which of its duties the client is late with.
  enum Delay {
    case sending
    case reading
  }

  /// - Returns: nil when the client still has time at `now`.
  func delay(at now: ContinuousClock.Instant) -> Delay? {
    if isCut { return nil }
    let limits = server.limits
    let time = now - progress.start
    switch progress.phase {
    case .busy: return nil
    case .sending(let byteCount): return time >= limits.sendTimeout(byteCount: byteCount) ? .reading : nil
    case .head: return time >= limits.headerTimeout ? .sending : nil
    case .content: return time >= limits.contentTimeout ? .sending : nil
    case .idle: return isStuckInALine(at: now, for: time) ? .sending : nil
    }
  }

  private func isStuckInALine(at now: ContinuousClock.Instant, for time: Duration) -> Bool {
    let limits = server.limits
    // A silent connection has until the library's timeout. One that has sent a part of a request line must send the
    // rest: the library does not tell of it, but the system knows when data came last.
    if now < progress.nextLook ?? progress.start + limits.headerTimeout { return false }
    let silence = listway_tcp_silence(descriptor)
    if silence < 0 { return time >= limits.idleTimeout + limits.headerTimeout }
    if progress.isPartOfALineKnown { return true }
    progress.isPartOfALineKnown = .milliseconds(silence + 50) < time
    progress.nextLook = now + limits.headerTimeout / (progress.isPartOfALineKnown ? 1 : 2)
    return false
  }
}
