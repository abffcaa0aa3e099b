internal import Glibc

/// A POSIX semaphore (sem_overview(7)).
///
/// - Note: `@unchecked Sendable` is sound since the calls are made for any thread, and the pointer never changes.
@safe
package final class Semaphore: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  package init() {
    unsafe semaphore = .allocate(capacity: 1)
    let result = unsafe sem_init(semaphore, 0, 0)
    precondition(result == 0, "sem_init refused")
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  package func signal() { unsafe sem_post(semaphore) }

  package func wait() {
    while unsafe sem_wait(semaphore) != 0 {}  // interrupted
  }

  /// - Returns: false when there was no signal within `limit`.
  package func wait(atMost limit: Duration) -> Bool {
    var until = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &until)
    let nanoseconds = Int64(until.tv_nsec) + limit.components.attoseconds / 1_000_000_000
    until.tv_sec += Int(limit.components.seconds + nanoseconds / 1_000_000_000)
    until.tv_nsec = Int(nanoseconds % 1_000_000_000)
    while unsafe sem_timedwait(semaphore, &until) != 0 {
      if errno != EINTR { return false }
    }
    return true
  }
}
