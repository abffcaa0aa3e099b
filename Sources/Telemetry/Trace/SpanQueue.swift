/// Spans on their way to a collector: bounded, so that one that is slow or gone costs spans, and never time or memory.
///
///     full or due ─► take() ─► (sent elsewhere) ─► sent() or failed()
package struct SpanQueue: Sendable {
  package typealias Instant = ContinuousClock.Instant

  /// Spans held at most; more are dropped.
  package static let capacity = 4_096
  /// Spans sent at once at most.
  package static let batch = 512
  /// How long a span waits at most, when its collector takes them.
  package static let longestWait = Duration.seconds(2)

  private var spans: [TraceSpan] = []
  private var isSending = false
  /// From when the next batch may go.
  private var notBefore: Instant?
  private var failures = 0
  /// Spans that there was no room for, and those of batches that the collector did not take.
  package private(set) var droppedCount = 0
  package private(set) var sentCount = 0

  package init() {}

  package var count: Int { spans.count }

  /// - Returns: when to look for a batch; nil where that is known already.
  package mutating func add(_ span: TraceSpan, at now: Instant) -> Instant? {
    guard spans.count < Self.capacity else {
      droppedCount += 1
      return nil
    }
    spans.append(span)
    if isSending { return nil }
    if spans.count == 1 { return max(now + Self.longestWait, notBefore ?? now) }
    return spans.count == Self.batch ? max(now, notBefore ?? now) : nil
  }

  /// The batch to send now; nil while another is on its way, and before the pause after a failure is over.
  package mutating func take(at now: Instant) -> [TraceSpan]? {
    if isSending || spans.isEmpty { return nil }
    if let notBefore, now < notBefore { return nil }
    isSending = true
    let batch = Array(spans.prefix(Self.batch))
    spans.removeFirst(batch.count)
    return batch
  }

  /// The batch has arrived.
  ///
  /// - Returns: when to look for the next; nil where nothing is left.
  package mutating func sent(_ count: Int, at now: Instant) -> Instant? {
    isSending = false
    failures = 0
    notBefore = nil
    sentCount += count
    return next(at: now)
  }

  /// The batch did not arrive, and is given up: what is newer is worth more. The pause doubles up to half a minute.
  package mutating func failed(_ count: Int, at now: Instant) -> Instant? {
    isSending = false
    droppedCount += count
    failures = min(failures + 1, 5)
    notBefore = now + .seconds(1 << (failures - 1)) * 2
    return next(at: now)
  }

  private func next(at now: Instant) -> Instant? {
    if spans.isEmpty { return nil }
    let due = spans.count >= Self.batch ? now : now + Self.longestWait
    return max(due, notBefore ?? due)
  }
}
