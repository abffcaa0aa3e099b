/// What of a gate is read and changed without its lock: one word, in an atomic at the rim.
///
/// The protocol, which makes the limit exact across all loops while an idle gate costs one compare-and-exchange:
///
/// - *Open*: nobody waits, nothing is suspended, paused or slowed. The number of requests under way lives in the word, and
///   any loop moves it: `entering` before a request, `leaving` after it. Each gives the word to exchange for the one that
///   was read, or nil: then the slow path is taken.
/// - *Closed*: the number lives in the ``Gate``, and the word says only that. Nobody moves a closed word without the lock.
/// - *The slow path*: take the lock; exchange the word for ``closed``; if it was open, hand its number to the gate
///   (``Gate/adopt(_:)``), for no other loop can move it now; let the gate decide; store ``Gate/word``; release the lock;
///   then act on what was decided.
///
/// So each request is counted in one place at any time, and whoever is refused by the word is decided on by the gate.
package struct GateWord: RawRepresentable, Sendable, Hashable {
  package var rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  private static let closedBit: UInt64 = 1 << 63

  package static let closed = GateWord(rawValue: closedBit)

  package static func open(underWay: Int) -> GateWord { GateWord(rawValue: UInt64(underWay)) }

  package var isOpen: Bool { rawValue & Self.closedBit == 0 }

  /// Requests under way; of an open word only.
  package var underWay: Int { Int(rawValue & ~Self.closedBit) }

  /// The word with one more request; nil when it is closed or full.
  package func entering(limit: Int) -> GateWord? {
    isOpen && underWay < limit ? GateWord(rawValue: rawValue + 1) : nil
  }

  /// The word with one request less; nil when it is closed.
  package func leaving() -> GateWord? { isOpen ? GateWord(rawValue: rawValue - 1) : nil }
}
