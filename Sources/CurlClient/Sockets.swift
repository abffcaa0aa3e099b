import CCurl
import EventLoop
import Glibc

// libcurl takes its wish for a descriptor back at the end of each request and repeats it at the start of the next, also
// on a connection that is kept. So wishes are written down as they come, and once a turn what has really changed goes to
// epoll. A kept connection is left in epoll while it is idle, too: the next request finds it there. Should its server
// close it meanwhile, the first event takes it out.
//
// That needs to know of every close: epoll forgets a closed descriptor by itself, and its number may come back at once
// as another connection. libcurl's sockets are opened and closed here. The pipe of its resolver is not, but libcurl takes
// that wish back right before closing it: for descriptors that were not opened here, that is obeyed at once.

/// The descriptors of one multi handle: what libcurl wishes to hear of them, and what epoll has been told.
@safe
final class Sockets {
  private struct Entry {
    // The bits of `Readiness`; 0 for nothing.
    var wished: UInt32 = 0
    var applied: UInt32 = 0
    var isOpenedHere = false
    /// Whether its protocol has its own things to say between requests, as HTTP/2 has.
    var isMultiplexed = false
    var isDirty = false
  }

  private let loop: EventLoop
  private var entries: [Entry] = []
  private var dirty: [Int32] = []
  /// Called with a descriptor that is ready for something that libcurl wished for.
  var whenReady: (Int32, Readiness) -> Void = { _, _ in }
  /// The connections that are open, idle ones included.
  private(set) var openCount = 0

  init(loop: EventLoop) { self.loop = loop }

  /// Tells epoll what has changed. Once a turn.
  func applyWishes() {
    if dirty.isEmpty { return }
    for descriptor in dirty {
      let slot = Int(descriptor)
      entries[slot].isDirty = false
      let (wished, applied) = (entries[slot].wished, entries[slot].applied)
      if wished == 0 || wished == applied { continue }
      entries[slot].applied = wished
      if applied == 0 {
        loop.watch(descriptor, for: Readiness(rawValue: wished)) { [weak self] in self?.ready(descriptor, $0)
        }
      } else {
        loop.rewatch(descriptor, for: Readiness(rawValue: wished))
      }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func ready(_ descriptor: Int32, _ readiness: Readiness) {
    guard entries[Int(descriptor)].wished == 0 else { return whenReady(descriptor, readiness) }
    // Nobody uses it. libcurl sees to what the server has done at the next use, but one thing: in HTTP/1.1 it would take
    // what is said now, such as a 408 on being idle for long, for the answer to the next request.
    forget(descriptor)
    if !entries[Int(descriptor)].isMultiplexed && discardInput(descriptor) {
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// - Returns: whether there was any.
  private func discardInput(_ descriptor: Int32) -> Bool {
    var hasAny = false
    unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      // At most 1 MB of it: what is left ends the connection anyway.
      for _ in 0..<256 {
        guard unsafe recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0
        else { return }
        hasAny = true
      }
    }
    return hasAny
  }

  /// Says that `descriptor`'s connection speaks HTTP/2.
  func markMultiplexed(_ descriptor: Int32) {
    if descriptor >= 0 && Int(descriptor) < entries.count { entries[Int(descriptor)].isMultiplexed = true }
  }

  private func wish(_ readiness: UInt32, for descriptor: Int32) {
    makeRoom(for: descriptor)
    let slot = Int(descriptor)
    entries[slot].wished = readiness
    if readiness == 0 {
      if !entries[slot].isOpenedHere { forget(descriptor) }
    } else if !entries[slot].isDirty {
      entries[slot].isDirty = true
      dirty.append(descriptor)
    }
  }

  private func forget(_ descriptor: Int32) {
    guard entries[Int(descriptor)].applied != 0 else { return }
    entries[Int(descriptor)].applied = 0
    loop.unwatch(descriptor)
  }

  private func open(_ address: curl_sockaddr) -> Int32 {
    let descriptor = socket(
      address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    if descriptor < 0 { return descriptor }
    makeRoom(for: descriptor)
    let isDirty = entries[Int(descriptor)].isDirty
    entries[Int(descriptor)] = Entry(isOpenedHere: true, isDirty: isDirty)
    openCount += 1
    return descriptor
  }

  private func close(_ descriptor: Int32) -> Int32 {
    forget(descriptor)
    entries[Int(descriptor)].wished = 0
    entries[Int(descriptor)].isOpenedHere = false
    openCount -= 1
    return Glibc.close(descriptor)
  }

  private func makeRoom(for descriptor: Int32) {
    let missing = Int(descriptor) + 1 - entries.count
    if missing > 0 { entries += Array(repeating: Entry(), count: max(missing, 64)) }
  }

  // MARK: Callbacks; the context is a `Sockets`

  /// CURLMOPT_SOCKETFUNCTION(3).
  static let wishCallback:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Int32 = { _, descriptor, action, context, _ in
      guard let context = unsafe context else { return -1 }
      let sockets = unsafe Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue()
      var wish: UInt32 = 0
      if action == CURL_POLL_IN || action == CURL_POLL_INOUT { wish |= Readiness.readable.rawValue }
      if action == CURL_POLL_OUT || action == CURL_POLL_INOUT { wish |= Readiness.writable.rawValue }
      sockets.wish(wish, for: descriptor)
      return 0
    }

  /// CURLOPT_OPENSOCKETFUNCTION(3).
  static let openCallback:
    @convention(c) (
      UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?
    ) -> curl_socket_t = { context, _, address in
      guard let context = unsafe context, let address = unsafe address else { return -1 }
      return unsafe Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue().open(address.pointee)
    }

  /// CURLOPT_CLOSESOCKETFUNCTION(3).
  static let closeCallback: @convention(c) (UnsafeMutableRawPointer?, curl_socket_t) -> Int32 = {
    context, descriptor in
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
  }
}
