package import Resilience

extension Configuration {
  /// What stands between the clients and an upstream, for the good of both.
  package struct Protection: Sendable, Equatable {
    /// The queue, with the rate.
    package let queue: Gate.Settings
    package let monitoring: Monitoring
    /// Nil for none.
    package let breaker: CircuitBreaker.Settings?
    package let retries: Retries

    package init(
      queue: Gate.Settings, monitoring: Monitoring, breaker: CircuitBreaker.Settings?, retries: Retries
    ) {
      self.queue = queue
      self.monitoring = monitoring
      self.breaker = breaker
      self.retries = retries
    }

    package static let defaults = Protection(
      queue: Gate.Settings(concurrent: 32, waiting: 1_024, wait: .seconds(2), rate: nil),
      monitoring: .defaults,
      breaker: CircuitBreaker.Settings(
        faults: 0.5, volume: 20, window: .seconds(10), pause: .seconds(5), trialTimeout: .seconds(10)),
      retries: .defaults)
  }

  /// How it is found out whether an upstream can be reached.
  package struct Monitoring: Sendable, Equatable {
    package enum Probe: String, Sendable, CaseIterable {
      /// A connection, with TLS where the upstream has it.
      case tcp
      /// A GET: any answer shows that the upstream can be reached.
      case http
      /// Real requests only.
      case none
    }

    package let probe: Probe
    /// What an HTTP probe asks for; nil for the path of the upstream's URL.
    package let path: String?
    package let settings: Reachability.Settings

    package init(probe: Probe, path: String?, settings: Reachability.Settings) {
      self.probe = probe
      self.path = path
      self.settings = settings
    }

    package static let defaults = Monitoring(
      probe: .tcp, path: nil,
      settings: Reachability.Settings(
        probes: true, every: .seconds(5), timeout: .seconds(1), fall: 2, rise: 1))
  }

  /// When a failed request is made again.
  package struct Retries: Sendable, Equatable {
    package let policy: RetryPolicy
    package let budget: RetryBudget.Settings

    package init(policy: RetryPolicy, budget: RetryBudget.Settings) {
      self.policy = policy
      self.budget = budget
    }

    package static let defaults = Retries(
      policy: RetryPolicy(
        attempts: 3, backoff: Backoff(base: .milliseconds(100), cap: .seconds(2)), longestWait: .seconds(10)),
      budget: RetryBudget.Settings(fraction: 0.2, floor: 10, window: .seconds(10)))
  }
}
