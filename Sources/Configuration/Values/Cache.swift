extension Configuration {
  /// What all lists together may keep.
  package struct Cache: Sendable, Equatable {
    /// Bytes that known pages take, all loops together.
    package let memory: Int

    package init(memory: Int) { self.memory = memory }

    package static let defaults = Cache(memory: 64_000_000)
  }

  /// How long a list's pages are what.
  package struct Keeping: Sendable, Equatable {
    /// Whether the upstream says how long its answers are fresh and stale (RFC 9111); the list's own `fresh` and `stale`
    /// do not count then.
    package let obeysUpstream: Bool
    /// From its arrival a page is served without asking, this long.
    package let fresh: Duration
    /// After that it is served while one request renews it, this long.
    package let stale: Duration
    /// From its arrival it is held this long in all, for the time that the upstream cannot be reached or is faulty.
    package let keep: Duration
    /// A failure is shared with those who ask within this time.
    package let failure: Duration

    package init(obeysUpstream: Bool, fresh: Duration, stale: Duration, keep: Duration, failure: Duration) {
      self.obeysUpstream = obeysUpstream
      self.fresh = fresh
      self.stale = stale
      self.keep = keep
      self.failure = failure
    }

    package static let defaults = Keeping(
      obeysUpstream: false, fresh: .zero, stale: .zero, keep: .seconds(86_400), failure: .zero)
  }
}
