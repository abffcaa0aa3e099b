import CLinux

/// What a descriptor is ready for, or waited for: the bits of epoll (epoll_ctl(2)).
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer has closed its half or more: a hang-up, as far as a server that owes an answer can tell.
  package static let peerClosed = Readiness(rawValue: EPOLLRDHUP.rawValue)
  package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  package static let error = Readiness(rawValue: EPOLLERR.rawValue)
  /// Told once a change, not as long as it lasts.
  package static let edgeTriggered = Readiness(rawValue: 1 << 31)
}
