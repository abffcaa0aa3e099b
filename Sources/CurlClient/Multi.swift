import CCurl
import EventLoop

/// The owner of a `CURLM`: the transfers under way, and the connections and addresses kept between them.
@safe
final class Multi {
  private let handle: UnsafeMutableRawPointer
  // What the callbacks point at.
  private let sockets: Sockets
  private let alarm: Alarm

  init(sockets: Sockets, alarm: Alarm) throws(CurlFailure) {
    guard let handle = unsafe curl_multi_init() else { throw CurlFailure("curl_multi_init: out of memory") }
    unsafe self.handle = handle
    self.sockets = sockets
    self.alarm = alarm
    unsafe curl_multi_setopt_pointer(
      handle, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
    unsafe curl_multi_setopt_socket(handle, CURLMOPT_SOCKETFUNCTION, Sockets.wishCallback)
    unsafe curl_multi_setopt_pointer(handle, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(alarm).toOpaque())
    unsafe curl_multi_setopt_timer(handle, CURLMOPT_TIMERFUNCTION, Alarm.callback)
  }

  /// Closes the kept connections.
  deinit {
    alarm.cancel()
    unsafe curl_multi_cleanup(handle)
  }

  /// How many connections are kept, those in use included; beyond that the one that was idle longest is closed.
  func keep(connections count: Int) {
    unsafe curl_multi_setopt_long(handle, CURLMOPT_MAXCONNECTS, max(1, count))
  }

  /// Whether ``runTimers()`` is to be called in this turn.
  var isDue: Bool { alarm.isDue }

  /// Takes a transfer in, to be started by the next ``runTimers()``.
  func add(_ easy: EasyHandle) -> Bool {
    unsafe curl_multi_add_handle(handle, easy.handle) == CURLM_OK
  }

  /// Takes a transfer out; one that is under way ends, and its connection is closed unless others share it.
  func remove(_ easy: EasyHandle) {
    let code = unsafe curl_multi_remove_handle(handle, easy.handle)
    precondition(code == CURLM_OK, "called from within a callback of libcurl")
  }

  /// Does what `descriptor` is ready for.
  func act(on descriptor: Int32, _ readiness: Readiness) {
    // An error is found out by reading or writing: then it is known which one it is. Bits, since a set's operations are
    // generic, and not specialised across modules.
    let broken = Readiness.error.rawValue | Readiness.hangUp.rawValue
    var flags: Int32 = 0
    if readiness.rawValue & (broken | Readiness.readable.rawValue) != 0 { flags |= CURL_CSELECT_IN }
    if readiness.rawValue & (broken | Readiness.writable.rawValue) != 0 { flags |= CURL_CSELECT_OUT }
    var running: Int32 = 0
    unsafe curl_multi_socket_action(handle, descriptor, flags, &running)
  }

  /// Starts the transfers that were added, and does what libcurl's timers are due for.
  func runTimers() {
    alarm.acknowledge()
    var running: Int32 = 0
    // CURL_SOCKET_TIMEOUT
    unsafe curl_multi_socket_action(handle, -1, 0, &running)
  }

  /// A transfer that has ended since it was asked last, and how. It stays in until ``remove(_:)``.
  func nextEnded() -> (EasyHandle, CURLcode)? {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(handle, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE,
        let easy = unsafe EasyHandle.owner(of: message.pointee.easy_handle)
      else { continue }
      return (easy, unsafe message.pointee.data.result)
    }
    return nil
  }
}
