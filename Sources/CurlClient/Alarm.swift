import CCurl
import EventLoop

/// When libcurl wants to be called without a descriptor being ready: its timers, as one timer of the loop.
///
/// libcurl names a new instant several times a request, almost always a later one than the timer that is armed already.
/// So a timer stays armed until it fires, and only then is armed again for what is wanted by then.
@safe
final class Alarm {
  private let loop: EventLoop
  private var wanted: ContinuousClock.Instant?
  private var timer: Timer?
  /// Whether libcurl wants to be called in this turn.
  private(set) var isDue = false

  init(loop: EventLoop) { self.loop = loop }

  /// Ends it for good.
  func cancel() {
    acknowledge()
    timer?.cancel()
  }

  /// To be called before libcurl is: it will say anew what it wants.
  func acknowledge() {
    isDue = false
    wanted = nil
  }

  private func set(milliseconds: Int) {
    isDue = milliseconds == 0
    guard milliseconds > 0 else {
      wanted = nil
      return
    }
    let deadline = loop.now + .milliseconds(milliseconds)
    wanted = deadline
    arm(for: deadline)
  }

  private func arm(for deadline: ContinuousClock.Instant) {
    if let timer, timer.isPending {
      if timer.deadline <= deadline { return }
      timer.cancel()
    }
    timer = loop.schedule(at: deadline) { [weak self] in self?.fire() }
  }

  private func fire() {
    guard let wanted else { return }
    if wanted <= loop.now { isDue = true } else { arm(for: wanted) }
  }

  /// CURLMOPT_TIMERFUNCTION(3); the last argument is an `Alarm`. -1 takes the wish back.
  static let callback: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Int32 = {
    _, milliseconds, context in
    guard let context = unsafe context else { return -1 }
    unsafe Unmanaged<Alarm>.fromOpaque(context).takeUnretainedValue().set(milliseconds: milliseconds)
    return 0
  }
}
