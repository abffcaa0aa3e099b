/// The admission to one upstream: how many at once, who waits in what order, and until when; how fast; and that nobody
/// passes while the upstream cannot be reached.
///
/// Every mutating method is told `now`, and appends what is to be done to `actions`. ``wake`` says by when ``tick(at:_:)``
/// is due. ``GateWord`` says how the gate is passed without its lock while there is nothing to decide.
///
/// Probes are not among the priorities: they do not pass the gate, for they would wait in the queue that they decide about.
package struct Gate: Sendable {
  package struct Settings: Sendable, Hashable {
    /// Requests under way at once; 1 or more.
    package var concurrent: Int
    /// Requests that may wait; 0 or more.
    package var waiting: Int
    /// How long a request waits for a suspended gate.
    package var wait: Duration
    /// The upstream's limit of the rate; nil for none.
    package var rate: TokenBucket?

    package init(concurrent: Int, waiting: Int, wait: Duration, rate: TokenBucket?) {
      precondition(concurrent >= 1 && waiting >= 0)
      self.concurrent = concurrent
      self.waiting = waiting
      self.wait = wait
      self.rate = rate
    }
  }

  /// Whose turn is first.
  package enum Priority: Int, Sendable, Hashable, CaseIterable {
    /// Somebody waits for it.
    case client
    /// Somebody was answered with something old.
    case revalidation
    /// Somebody may ask for it soon.
    case prefetch
  }

  /// A waiting request.
  package typealias Ticket = UInt64

  package enum Verdict: Sendable, Hashable {
    /// It is under way: ``leave(_:at:_:)`` follows, once.
    case admitted
    /// It waits: an action with its ticket follows, or ``cancel(_:at:_:)``.
    case queued(Ticket)
    case refused(Refusal)
  }

  package enum Refusal: Sendable, Hashable {
    /// As many wait as may.
    case full
    /// It waited for a suspended gate as long as it may; or nobody waits for it, and it need not.
    case suspended
    /// The upstream wants to be left alone until then, which is later than the request can wait.
    case paused(until: Instant)
    /// Its turn did not come before its deadline, for others were under way all the time.
    case deadline
  }

  package enum Action: Sendable, Hashable {
    case admit(Ticket)
    case refuse(Ticket, Refusal)
    /// Requests under way are to be ended: there is nobody to answer them. Each still leaves.
    case endAll
  }

  /// How a request that was admitted ended.
  package enum Ending: Sendable, Hashable {
    /// With an answer: there is room for more.
    case good
    /// With an answer that says there is not, or a faulty one.
    case poor
    /// Without an answer.
    case none
  }

  private enum State: Sendable {
    case steady  // to: suspended
    /// After a suspension: `width` at once, doubled after as many good answers. To: steady, suspended.
    case ramp(width: Int, answers: Int)
    /// `trial`: whether one request is to find out whether anybody answers. To: ramp.
    case suspended(trial: Bool)
  }

  package let settings: Settings
  private var state = State.steady
  private var underWay = 0
  private var line = WaitingLine()
  private var newest: Ticket = 0
  private var rate: TokenBucket?
  /// The rate that the upstream itself announced, for as long as that holds.
  private var pace: (bucket: TokenBucket, until: Instant)?
  private var pausedUntil: Instant?
  /// Not later than the first waiter's time is up.
  private var earliestEnd: Instant?

  package init(_ settings: Settings) {
    self.settings = settings
    rate = settings.rate
  }

  // MARK: What is known

  package var waitingCount: Int { line.count }
  package var underWayCount: Int { underWay }
  package var isSuspended: Bool {
    if case .suspended = state { true } else { false }
  }
  package var pauseEnd: Instant? { pausedUntil }

  /// How many may be under way now.
  package var width: Int {
    switch state {
    case .steady: settings.concurrent
    case .ramp(let width, _): width
    case .suspended(let trial): trial ? 1 : 0
    }
  }

  /// Takes over the number of requests under way from an open word.
  package mutating func adopt(_ word: GateWord) {
    if word.isOpen { underWay = word.underWay }
  }

  /// What the word is to be after a decision: open when the next request needs none.
  package var word: GateWord {
    guard case .steady = state, line.count == 0, rate == nil, pace == nil, pausedUntil == nil else {
      return .closed
    }
    return .open(underWay: underWay)
  }

  /// By when ``tick(at:_:)`` is due; nil when nothing changes with time, for nobody waits.
  package func wake(at now: Instant) -> Instant? {
    guard line.count > 0, var wake = earliestEnd else { return nil }
    if let pausedUntil {
      wake = min(wake, pausedUntil)
    } else if underWay < width {
      wake = min(wake, nextToken(at: now))
    }
    if let until = pace?.until { wake = min(wake, until) }
    return wake
  }

  // MARK: Requests

  /// A request comes.
  ///
  /// - Parameter deadline: the request's own.
  package mutating func enter(
    _ priority: Priority, deadline: Instant, at now: Instant, _ actions: inout [Action]
  ) -> Verdict {
    tick(at: now, &actions)
    if line.count == 0, underWay < width, pausedUntil == nil, takeToken(at: now) {
      admitted()
      return .admitted
    }
    if deadline <= now { return .refused(.deadline) }
    if let pausedUntil, pausedUntil >= deadline { return .refused(.paused(until: pausedUntil)) }
    if isSuspended && priority != .client { return .refused(.suspended) }
    if line.count >= settings.waiting {
      guard let shed = line.popLast(below: priority) else { return .refused(.full) }
      actions.append(.refuse(shed.ticket, .full))
    }
    newest += 1
    let waiter = WaitingLine.Waiter(ticket: newest, deadline: deadline, patience: now + settings.wait)
    line.append(waiter, priority)
    noteEnd(of: waiter)
    return .queued(newest)
  }

  /// A request that was admitted has ended.
  package mutating func leave(_ ending: Ending, at now: Instant, _ actions: inout [Action]) {
    precondition(underWay > 0, "nobody leaves who did not enter")
    underWay -= 1
    if case .ramp(let width, let answers) = state, ending == .good { grow(width, answers + 1) }
    tick(at: now, &actions)
  }

  private mutating func grow(_ width: Int, _ answers: Int) {
    guard answers >= width else { return state = .ramp(width: width, answers: answers) }
    state = width * 2 >= settings.concurrent ? .steady : .ramp(width: width * 2, answers: 0)
  }

  /// A waiting request is no longer wanted.
  ///
  /// - Returns: false when it waits no more; if it was admitted, it has to leave.
  package mutating func cancel(_ ticket: Ticket, at now: Instant, _ actions: inout [Action]) -> Bool {
    let wasThere = line.remove(ticket)
    tick(at: now, &actions)
    return wasThere
  }

  // MARK: The upstream

  /// The upstream cannot be reached.
  package mutating func suspend(at now: Instant, _ actions: inout [Action]) {
    if !isSuspended {
      state = .suspended(trial: false)
      if underWay > 0 { actions.append(.endAll) }
      line.setPatience(now + settings.wait)
      earliestEnd = now
      // Nobody waits for these.
      for waiter in line.removeAll(where: { $1 != .client }) {
        actions.append(.refuse(waiter.ticket, .suspended))
      }
    }
    tick(at: now, &actions)
  }

  /// While suspended: the next request, waiting or to come, finds out whether anybody answers. One at a time.
  package mutating func allowTrial(at now: Instant, _ actions: inout [Action]) {
    if isSuspended { state = .suspended(trial: true) }
    tick(at: now, &actions)
  }

  /// The upstream can be reached again.
  package mutating func resume(at now: Instant, _ actions: inout [Action]) {
    if isSuspended { state = settings.concurrent == 1 ? .steady : .ramp(width: 1, answers: 0) }
    tick(at: now, &actions)
  }

  /// The upstream wants to be left alone (`Retry-After`, or nothing remaining of its limit). The latest word counts, unless
  /// it is shorter.
  package mutating func pause(until: Instant, at now: Instant, _ actions: inout [Action]) {
    if until > pausedUntil ?? now {
      pausedUntil = until
      for waiter in line.removeAll(where: { waiter, _ in waiter.deadline <= until }) {
        actions.append(.refuse(waiter.ticket, .paused(until: until)))
      }
    }
    tick(at: now, &actions)
  }

  /// The upstream announced what is left of its limit.
  ///
  /// Nothing left pauses until there is. When it gets scarce, what is left is spread over the time that it must last, but
  /// no thinner than one request in ``thinnest``: beyond that, waiting is worse than running dry.
  /// - Parameters:
  ///   - limit: of the whole period, where that is told. Without it, scarce is what one turn of the gate could use up.
  ///   - longestPause: however far off the reset is.
  package mutating func heed(
    remaining: Int, limit: Int?, reset: Duration, longestPause: Duration, at now: Instant,
    _ actions: inout [Action]
  ) {
    if remaining <= 0 { return pause(until: now + min(reset, longestPause), at: now, &actions) }
    let isScarce = limit.map { remaining <= $0 / 4 } ?? (remaining <= settings.concurrent)
    if isScarce && reset > .zero {
      var bucket = TokenBucket(
        interval: max(min(reset / remaining, Self.thinnest), .nanoseconds(1)), burst: 1)
      // What was admitted a moment ago under the last word is not forgotten with it.
      if let pace, pace.bucket.available(at: now) > now { _ = bucket.take(at: now) }
      pace = (bucket, now + reset)
    } else {
      pace = nil
    }
    tick(at: now, &actions)
  }

  /// The longest time between two requests that an announcement brings about.
  package static let thinnest = Duration.seconds(1)

  // MARK: Time

  /// Does what is due: times that are up, and turns that have come.
  package mutating func tick(at now: Instant, _ actions: inout [Action]) {
    if let until = pausedUntil, until <= now { pausedUntil = nil }
    if let until = pace?.until, until <= now { pace = nil }
    if let earliestEnd, earliestEnd <= now { expire(at: now, &actions) }
    while line.count > 0, underWay < width, pausedUntil == nil, takeToken(at: now),
      let waiter = line.popFirst()
    {
      admitted()
      actions.append(.admit(waiter.ticket))
    }
    if line.count == 0 { earliestEnd = nil }
  }

  private mutating func admitted() {
    underWay += 1
    if case .suspended(true) = state { state = .suspended(trial: false) }
  }

  private mutating func expire(at now: Instant, _ actions: inout [Action]) {
    let isSuspended = isSuspended
    // With room to spare, it is the rate that keeps them waiting; if that does not, their turn came too late.
    let heldUntil = max(pausedUntil ?? now, nextToken(at: now))
    let refusal: Refusal =
      isSuspended
      ? .suspended : underWay < width && heldUntil > now ? .paused(until: heldUntil) : .deadline
    for waiter in line.removeAll(where: { waiter, _ in waiter.end(whileSuspended: isSuspended) <= now }) {
      actions.append(.refuse(waiter.ticket, refusal))
    }
    earliestEnd = line.earliest { $0.end(whileSuspended: isSuspended) }
  }

  private mutating func noteEnd(of waiter: WaitingLine.Waiter) {
    let end = waiter.end(whileSuspended: isSuspended)
    earliestEnd = min(earliestEnd ?? end, end)
  }

  /// A request needs a token of both, where there are both.
  private mutating func takeToken(at now: Instant) -> Bool {
    guard nextToken(at: now) <= now else { return false }
    _ = rate?.take(at: now)
    _ = pace?.bucket.take(at: now)
    return true
  }

  private func nextToken(at now: Instant) -> Instant {
    max(rate?.available(at: now) ?? now, pace?.bucket.available(at: now) ?? now)
  }
}
