/// Two counts over the last while, in steps: events, and those that are marked.
///
/// Time is cut into steps of equal length; the window is the current step and the `steps - 1` before it, so that it spans
/// between `steps - 1` and `steps` of them. Memory is fixed; a step that comes up is emptied.
struct RollingWindow: Sendable {
  private struct Step: Sendable {
    var events = 0
    var marked = 0
  }

  let stepLength: Int64
  private var ring: [Step]
  /// The first instant heard of: where step 0 starts.
  private var origin: Instant?
  private var current: Int64 = 0
  private(set) var events = 0
  private(set) var marked = 0

  init(length: Duration, steps: Int) {
    precondition(steps >= 1, "a window has a step")
    stepLength = max(1, (length / steps).nanoseconds)
    ring = [Step](repeating: Step(), count: steps)
  }

  /// Drops what has left the window. An instant before the last one counts as that one.
  mutating func advance(to now: Instant) {
    guard let origin else { return origin = now }
    let number = origin.duration(to: now).nanoseconds / stepLength
    guard number > current else { return }
    let count = Int64(ring.count)
    // What comes up is one place for every step gone by, at most all.
    for step in max(current + 1, number - count + 1)...number {
      let place = Int(step % count)
      events -= ring[place].events
      marked -= ring[place].marked
      ring[place] = Step()
    }
    current = number
  }

  mutating func record(events newEvents: Int, marked newMarked: Int, at now: Instant) {
    advance(to: now)
    let place = Int(current % Int64(ring.count))
    ring[place].events += newEvents
    ring[place].marked += newMarked
    events += newEvents
    marked += newMarked
  }

  mutating func clear() {
    for place in ring.indices { ring[place] = Step() }
    events = 0
    marked = 0
  }
}
