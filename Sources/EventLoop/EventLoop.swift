import CLinux
import Glibc
import Synchronization

/// One thread with one epoll, timers and a job queue, which is also a task executor.
///
/// Everything a request needs happens on its loop's thread: the sockets of its HTTP server and client, its timers, and
/// its tasks (``start(_:)``). So objects that belong to a loop need no lock, and are not Sendable.
///
/// A turn: wait for events, hand them to their watchers, fire the timers that are due, then a round: run the jobs, and do
/// what is done at the end of a turn (``everyTurn(_:)``). Where a round leaves more to do, another follows before the next
/// wait. Jobs that are added from the loop's own thread cost no lock and no wake-up.
///
/// - Note: `@unchecked Sendable` is sound since the constants from `inbox` to `wakeup` may be used from any thread, and all other
///   state is touched only on the loop's thread, as `preconditionOnLoop` holds it.
@safe
package final class EventLoop: TaskExecutor, @unchecked Sendable {
  package let index: Int

  private enum Job {
    case task(UnownedJob)
    case work(@Sendable () -> Void)
  }

  private struct Inbox {
    var jobs: [Job] = []
    var isSignalled = false
    var isStopping = false
  }

  private let inbox = Mutex(Inbox())
  private let beat = Atomic<Int64>(0)
  private let busyNanoseconds = Atomic<UInt64>(0)
  private let turnCount = Atomic<UInt64>(0)
  /// The `pthread_t` of the thread that turns the loop; 0 while none does.
  private let thread = Atomic<UInt>(0)
  private let epoll: Int32
  private let wakeup: Int32

  // From here on: on the loop's thread only.
  private var jobs: [Job] = []
  private var timers = TimerQueue()
  private var watchers: [Watcher?] = []
  private var turnActions: [() -> Void] = []
  private var needsRound = false
  private let events: UnsafeMutableBufferPointer<epoll_event>
  private var isStopping = false

  /// The instant at which this turn's events came in. One reading a turn is enough for deadlines.
  package private(set) var now: ContinuousClock.Instant

  /// - Throws: ``SystemFailure`` when the process is out of descriptors.
  package init(index: Int) throws(SystemFailure) {
    self.index = index
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    if epoll < 0 { throw SystemFailure(call: "epoll_create1", code: errno) }
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if wakeup < 0 {
      let code = errno
      close(epoll)
      throw SystemFailure(call: "eventfd", code: code)
    }
    unsafe events = .allocate(capacity: 512)
    unsafe events.initialize(repeating: unsafe epoll_event())
    now = ContinuousClock.now
    watch(wakeup, for: .readable) { [wakeup] _ in
      var count: UInt64 = 0
      _ = unsafe read(wakeup, &count, 8)
    }
  }

  deinit {
    unsafe events.deallocate()
    close(wakeup)
    close(epoll)
  }

  // MARK: Running

  /// Turns the loop on the calling thread until ``stop()``.
  package func run() {
    thread.store(pthread_self(), ordering: .relaxed)
    beat.store(Self.nanoseconds(.now), ordering: .relaxed)
    while !isStopping { turn() }
    thread.store(0, ordering: .relaxed)
  }

  /// Ends ``run()`` after the turn under way. From any thread, any number of times.
  package func stop() {
    let mustSignal = inbox.withLock { inbox in
      inbox.isStopping = true
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal { signal() }
  }

  /// Whether the calling thread is this loop's.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  /// How long ago the loop last turned: under two seconds, unless something blocks it.
  package func sinceLastTurn(at now: ContinuousClock.Instant) -> Duration {
    .nanoseconds(Self.nanoseconds(now) - beat.load(ordering: .relaxed))
  }

  /// The turns so far and the time they took, waiting left out.
  package var figures: (turns: UInt64, busy: Duration) {
    (turnCount.load(ordering: .relaxed), .nanoseconds(Int64(busyNanoseconds.load(ordering: .relaxed))))
  }

  private func turn() {
    let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(events.count), waitMilliseconds())
    now = .now
    let start = Self.nanoseconds(now)
    beat.store(start, ordering: .relaxed)
    if count > 0 {
      for position in 0..<Int(count) {
        let event = unsafe events[position]
        let token = unsafe event.data.u64
        let descriptor = Int(token & 0xFFFF_FFFF)
        // A watcher that went away earlier in this turn, or whose descriptor is another's by now, is not called.
        guard descriptor < watchers.count, let watcher = watchers[descriptor],
          watcher.generation == UInt32(token >> 32)
        else { continue }
        watcher.action(Readiness(rawValue: unsafe event.events))
      }
    }
    while let timer = timers.popDue(at: now) { timer.fire() }
    takeArrivedJobs()
    var rounds = 0
    repeat {
      runJobs()
      needsRound = false
      for action in turnActions { action() }
      rounds += 1
    } while (needsRound || !jobs.isEmpty) && rounds < Self.roundCeiling
    let end = Self.nanoseconds(.now)
    busyNanoseconds.store(
      busyNanoseconds.load(ordering: .relaxed) &+ UInt64(max(0, end - start)), ordering: .relaxed)
    turnCount.store(turnCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// At most a second, so that ``sinceLastTurn(at:)`` shows that the loop is alive.
  private func waitMilliseconds() -> Int32 {
    if needsRound || !jobs.isEmpty { return 0 }
    guard let deadline = timers.nextDeadline() else { return 1_000 }
    let wait = ContinuousClock.now.duration(to: deadline)
    if wait <= .zero { return 0 }
    if wait >= .seconds(1) { return 1_000 }
    return Int32(clamping: (Self.nanoseconds(wait) + 999_999) / 1_000_000)
  }

  private func takeArrivedJobs() {
    let arrived = inbox.withLock { inbox in
      if inbox.isSignalled {
        inbox.isSignalled = false
        isStopping = inbox.isStopping
      }
      if inbox.jobs.isEmpty { return [Job]() }
      defer { inbox.jobs.removeAll(keepingCapacity: true) }
      return inbox.jobs
    }
    if !arrived.isEmpty { jobs += arrived }
  }

  private func runJobs() {
    if jobs.isEmpty { return }
    // What a job adds is run in this turn too, but not for ever: sockets must be heard.
    var position = 0
    let most = jobs.count + 4_096
    while position < jobs.count && position < most {
      switch jobs[position] {
      case .task(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      case .work(let work): work()
      }
      position += 1
    }
    if position == jobs.count {
      jobs.removeAll(keepingCapacity: true)
    } else {
      jobs.removeFirst(position)
    }
  }

  // MARK: Jobs and tasks

  package func enqueue(_ job: consuming ExecutorJob) {
    add(.task(UnownedJob(job)))
  }

  /// Runs `work` on the loop's thread, in this turn or the next. From any thread.
  package func execute(_ work: @escaping @Sendable () -> Void) {
    add(.work(work))
  }

  /// Starts a task that stays on this loop, and runs it up to its first suspension before this returns.
  ///
  /// - Precondition: called on the loop's thread.
  package func start(_ work: @escaping () async -> Void) {
    preconditionOnLoop()
    // Sound: the task never leaves this loop's thread (its executor preference), and what it captures belongs to it.
    nonisolated(unsafe) let work = work
    Task.immediate(executorPreference: self) { unsafe await work() }
  }

  private func add(_ job: Job) {
    if isCurrent {
      jobs.append(job)
      return
    }
    let mustSignal = inbox.withLock { inbox in
      inbox.jobs.append(job)
      defer { inbox.isSignalled = true }
      return !inbox.isSignalled
    }
    if mustSignal { signal() }
  }

  private func signal() {
    var one: UInt64 = 1
    _ = unsafe write(wakeup, &one, 8)
  }

  // MARK: Timers and turns

  /// Runs `action` once, at `deadline` or soon after. On the loop's thread only.
  @discardableResult
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> Timer {
    let timer = Timer(deadline: deadline, action: action)
    timers.insert(timer)
    return timer
  }

  /// Runs `action` at the end of each turn, after those that were added before, and once more for each round after that.
  /// On the loop's thread, or before it runs.
  package func everyTurn(_ action: @escaping () -> Void) {
    turnActions.append(action)
  }

  /// Has another round done before the next wait, or that wait end at once: there is more to do that no descriptor tells
  /// of.
  package func turnAgain() {
    needsRound = true
  }

  // MARK: Descriptors

  /// Calls `action` whenever `descriptor` is ready. On the loop's thread, or before it runs.
  ///
  /// The loop does not own the descriptor: end with ``unwatch(_:)`` before it is closed.
  package func watch(
    _ descriptor: Int32, for interest: Readiness, _ action: @escaping (Readiness) -> Void
  ) {
    let slot = Int(descriptor)
    if slot >= watchers.count {
      watchers += Array(repeating: nil, count: max(slot + 1, watchers.count * 2) - watchers.count)
    }
    generation &+= 1
    watchers[slot] = Watcher(generation: generation, action: action)
    control(EPOLL_CTL_ADD, descriptor, interest)
  }

  /// Changes what ``watch(_:for:_:)`` waits for.
  package func rewatch(_ descriptor: Int32, for interest: Readiness) {
    control(EPOLL_CTL_MOD, descriptor, interest)
  }

  /// Ends ``watch(_:for:_:)``. The action is not called again, not even for events of this turn.
  package func unwatch(_ descriptor: Int32) {
    guard Int(descriptor) < watchers.count, watchers[Int(descriptor)] != nil else { return }
    watchers[Int(descriptor)] = nil
    var event = unsafe epoll_event()
    _ = unsafe epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
  }

  private func control(_ operation: Int32, _ descriptor: Int32, _ interest: Readiness) {
    guard let watcher = watchers[Int(descriptor)] else { return }
    var event = unsafe epoll_event()
    unsafe event.events = interest.rawValue
    unsafe event.data.u64 = UInt64(watcher.generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
    if unsafe epoll_ctl(epoll, operation, descriptor, &event) < 0 && errno == EEXIST {
      _ = unsafe epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    }
  }

  private var generation: UInt32 = 0

  /// Rounds in one turn, at most: sockets must be heard.
  private static let roundCeiling = 4

  /// Traps, in debug builds, what would be a data race: a loop's object used off its loop while the loop runs.
  package func preconditionOnLoop() {
    assert(isCurrent || thread.load(ordering: .relaxed) == 0, "used off its loop's thread")
  }

  private static func nanoseconds(_ instant: ContinuousClock.Instant) -> Int64 {
    nanoseconds(epoch.duration(to: instant))
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  private static let epoch = ContinuousClock.now
}

private struct Watcher {
  let generation: UInt32
  let action: (Readiness) -> Void
}
