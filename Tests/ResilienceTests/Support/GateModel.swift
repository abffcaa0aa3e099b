import Resilience

/// A gate as simple as can be: one list of waiters, looked through from the start at every event.
struct GateModel {
  struct Waiter {
    let ticket: Gate.Ticket
    let priority: Gate.Priority
    let deadline: Instant
    var patience: Instant
  }

  let settings: Gate.Settings
  var waiters: [Waiter] = []
  var underWay = 0
  var tickets: Gate.Ticket = 0
  /// How many at once after the last resumption; nil when the limit is the only one.
  var ramp: (width: Int, good: Int)?
  var isSuspended = false
  var hasTrial = false
  var pausedUntil: Instant?
  var rate: TokenBucket?

  init(_ settings: Gate.Settings) {
    self.settings = settings
    rate = settings.rate
  }

  var width: Int { isSuspended ? (hasTrial ? 1 : 0) : ramp?.width ?? settings.concurrent }

  private func hasRoom(at now: Instant) -> Bool {
    underWay < width && pausedUntil == nil && (rate?.available(at: now) ?? now) == now
  }

  private mutating func admit(at now: Instant) {
    underWay += 1
    if isSuspended { hasTrial = false }
    _ = rate?.take(at: now)
  }

  mutating func settle(at now: Instant) -> [Gate.Action] {
    var actions: [Gate.Action] = []
    if let until = pausedUntil, until <= now { pausedUntil = nil }
    let late = waiters.filter { $0.deadline <= now || isSuspended && $0.patience <= now }
    let heldUntil = max(pausedUntil ?? now, rate?.available(at: now) ?? now)
    let refusal: Gate.Refusal =
      isSuspended
      ? .suspended
      : underWay < width && heldUntil > now ? .paused(until: heldUntil) : .deadline
    waiters.removeAll { waiter in late.contains { $0.ticket == waiter.ticket } }
    actions += inTurn(late).map { .refuse($0.ticket, refusal) }
    while hasRoom(at: now), let first = inTurn(waiters).first {
      waiters.removeAll { $0.ticket == first.ticket }
      admit(at: now)
      actions.append(.admit(first.ticket))
    }
    return actions
  }

  private func inTurn(_ waiters: [Waiter]) -> [Waiter] {
    waiters.sorted { ($0.priority.rawValue, $0.ticket) < ($1.priority.rawValue, $1.ticket) }
  }

  mutating func enter(
    _ priority: Gate.Priority, deadline: Instant, at now: Instant, _ actions: inout [Gate.Action]
  ) -> Gate.Verdict {
    actions += settle(at: now)
    if waiters.isEmpty, hasRoom(at: now) {
      admit(at: now)
      return .admitted
    }
    if deadline <= now { return .refused(.deadline) }
    if let until = pausedUntil, until >= deadline { return .refused(.paused(until: until)) }
    if isSuspended && priority != .client { return .refused(.suspended) }
    if waiters.count >= settings.waiting {
      guard let last = inTurn(waiters).last, last.priority.rawValue > priority.rawValue else {
        return .refused(.full)
      }
      waiters.removeAll { $0.ticket == last.ticket }
      actions.append(.refuse(last.ticket, .full))
    }
    tickets += 1
    waiters.append(
      Waiter(ticket: tickets, priority: priority, deadline: deadline, patience: now + settings.wait))
    return .queued(tickets)
  }

  mutating func leave(_ ending: Gate.Ending) {
    underWay -= 1
    guard ending == .good, !isSuspended, let (width, good) = ramp else { return }
    ramp = good + 1 < width ? (width, good + 1) : width * 2 < settings.concurrent ? (width * 2, 0) : nil
  }

  mutating func suspend(at now: Instant) -> [Gate.Action] {
    guard !isSuspended else { return settle(at: now) }
    (isSuspended, hasTrial) = (true, false)
    for index in waiters.indices { waiters[index].patience = now + settings.wait }
    let idle = inTurn(waiters.filter { $0.priority != .client })
    waiters.removeAll { $0.priority != .client }
    return (underWay > 0 ? [.endAll] : []) + idle.map { .refuse($0.ticket, .suspended) } + settle(at: now)
  }

  mutating func resume() {
    guard isSuspended else { return }
    isSuspended = false
    ramp = settings.concurrent > 1 ? (1, 0) : nil
  }

  mutating func pause(until: Instant, at now: Instant) -> [Gate.Action] {
    guard until > pausedUntil ?? now else { return settle(at: now) }
    pausedUntil = until
    let hopeless = inTurn(waiters.filter { $0.deadline <= until })
    waiters.removeAll { $0.deadline <= until }
    return hopeless.map { .refuse($0.ticket, .paused(until: until)) } + settle(at: now)
  }
}
