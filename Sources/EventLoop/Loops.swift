import CLinux
import Glibc

/// The loops of a process, each turning on a thread of its own.
@safe
package final class Loops {
  package let all: [EventLoop]
  private var threads: [pthread_t] = []

  /// - Parameter count: at least 1.
  package init(count: Int) throws(SystemFailure) {
    precondition(count >= 1)
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop(index: index)) }
    all = loops
  }

  /// The number of cores that this process may run on (sched_getaffinity(2)).
  package static var availableCores: Int {
    max(1, Int(listway_available_cores()))
  }

  /// Starts a thread for each loop; returns at once.
  ///
  /// - Throws: ``SystemFailure`` when a thread cannot be had.
  package func start() throws(SystemFailure) {
    for loop in all {
      var thread = pthread_t()
      let context = unsafe Unmanaged.passRetained(loop).toOpaque()
      let code = unsafe pthread_create(&thread, nil, Self.body, context)
      if code != 0 {
        unsafe Unmanaged<EventLoop>.fromOpaque(context).release()
        throw SystemFailure(call: "pthread_create", code: code)
      }
      threads.append(thread)
    }
  }

  /// Asks every loop to stop, and waits until all have.
  package func stopAndWait() {
    for loop in all { loop.stop() }
    wait()
  }

  /// Waits until every loop has stopped.
  package func wait() {
    for thread in threads { pthread_join(thread, nil) }
    threads.removeAll()
  }

  private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    context in
    guard let context = unsafe context else { return nil }
    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
}
