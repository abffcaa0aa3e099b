internal import Resilience

extension Configuration.Protection {
  /// The keys of an upstream that belong to its protection.
  static var keys: [Schema.Key] {
    [
      Schema.Key("queue", .mapping(queueKeys), "How many requests it gets at once, and how the others wait."),
      Schema.Key(
        "rate", .mapping(rateKeys),
        "How often it may be asked. Default: as often as it says itself, if it does."),
      Schema.Key(
        "reachability", .mapping(Configuration.Monitoring.keys), "How it is found out that it is gone."),
      Schema.Key("breaker", .mapping(breakerKeys), "When it is left alone for it answers badly."),
      Schema.Key("retries", .mapping(Configuration.Retries.keys), "When a failed request is made again."),
    ]
  }

  private static var queueKeys: [Schema.Key] {
    [
      Schema.Key("concurrent", .integer(1...100_000), "Requests to it at once. Default: 32."),
      Schema.Key(
        "waiting", .integer(0...1_000_000),
        "Requests that wait for their turn; one more is answered with overloaded. Default: 1024."),
      Schema.Key(
        "wait", .duration(.zero ... .seconds(600)),
        "How long a request waits for an upstream that cannot be reached. Default: 2s."),
    ]
  }

  private static var rateKeys: [Schema.Key] {
    [
      Schema.Key(
        "requests", .integer(1...1_000_000), isRequired: true, "Requests in the time that per says."),
      Schema.Key("per", .duration(.milliseconds(1) ... .seconds(86400)), "Default: 1s."),
      Schema.Key(
        "burst", .integer(1...1_000_000), "Requests that may come at once after a silence. Default: 1."),
    ]
  }

  private static var breakerKeys: [Schema.Key] {
    [
      Schema.Key(
        "faults", .number(0...1),
        "The part of faulty answers from which on it is left alone; 0 for never. Default: 0.5."),
      Schema.Key("volume", .integer(1...1_000_000), "Fewer answers than these mean nothing. Default: 20."),
      Schema.Key(
        "window", .duration(.milliseconds(100) ... .seconds(3600)),
        "The time that is looked at. Default: 10s."),
      Schema.Key(
        "pause", .duration(.milliseconds(10) ... .seconds(3600)),
        "How long, until one request is tried. Default: 5s."
      ),
    ]
  }

  static func decode(of section: Section, timeout: Configuration.Timeout)
    -> Configuration.Protection
  {
    let usual = defaults
    let queue = section.section("queue")
    let concurrent = queue.integer("concurrent")
    let waiting = queue.integer("waiting")
    let wait = queue.duration("wait")
    queue.end()
    return Configuration.Protection(
      queue: Gate.Settings(
        concurrent: concurrent ?? usual.queue.concurrent, waiting: waiting ?? usual.queue.waiting,
        wait: wait ?? usual.queue.wait, rate: rate(section.section("rate"))),
      monitoring: Configuration.Monitoring.decode(section.section("reachability")),
      breaker: breaker(section.section("breaker"), timeout: timeout),
      retries: Configuration.Retries.decode(section.section("retries")))
  }

  private static func rate(_ section: Section) -> TokenBucket? {
    let requests = section.integer("requests")
    let per = section.duration("per")
    let burst = section.integer("burst")
    section.end()
    return requests.map { TokenBucket(count: $0, per: per ?? .seconds(1), burst: burst ?? 1) }
  }

  private static func breaker(_ section: Section, timeout: Configuration.Timeout) -> CircuitBreaker.Settings?
  {
    let faults = section.number("faults")
    let volume = section.integer("volume")
    let window = section.duration("window")
    let pause = section.duration("pause")
    section.end()
    guard let usual = defaults.breaker, faults != 0 else { return nil }
    // A trial takes as long as a request may.
    return CircuitBreaker.Settings(
      faults: faults ?? usual.faults, volume: volume ?? usual.volume, window: window ?? usual.window,
      pause: pause ?? usual.pause, trialTimeout: timeout.total)
  }
}

extension Configuration.Monitoring {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "probe", .words(Probe.self),
        "tcp: a connection, with TLS where the upstream has it; http: a GET, and any answer will do; none: real requests only. Default: tcp."
      ),
      Schema.Key(
        "path", .text(.prose), "What an HTTP probe asks for. Default: the path of url, or /."),
      Schema.Key(
        "every", .duration(.milliseconds(10) ... .seconds(3600)), "Between two probes. Default: 5s."),
      Schema.Key("timeout", .duration(.milliseconds(1) ... .seconds(60)), "For one probe. Default: 1s."),
      Schema.Key(
        "fall", .integer(1...100),
        "Probes or requests in a row that fail before it counts as gone. Default: 2."),
      Schema.Key(
        "rise", .integer(1...100), "Probes in a row that succeed before it counts as back. Default: 1."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Monitoring {
    let usual = defaults
    let probe = section.word("probe", Probe.self) ?? usual.probe
    let expected = "a path such as /healthz"
    let path = section.text("path", expected: expected)
    if let path {
      let isPath =
        path.text.utf8.first == UInt8(ascii: "/") && path.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      if !isPath {
        section.fault("path", "\(path.shown); \(expected) is expected")
      } else if probe != .http {
        section.fault("path", "only an http probe asks for something; write probe: http, or remove this")
      }
    }
    let every = section.duration("every")
    let timeout = section.duration("timeout")
    let fall = section.integer("fall")
    let rise = section.integer("rise")
    section.end()
    return Configuration.Monitoring(
      probe: probe, path: path?.text,
      settings: Reachability.Settings(
        probes: probe != .none, every: every ?? usual.settings.every,
        timeout: timeout ?? usual.settings.timeout,
        fall: fall ?? usual.settings.fall, rise: rise ?? usual.settings.rise))
  }
}

extension Configuration.Retries {
  static var keys: [Schema.Key] {
    [
      Schema.Key("attempts", .integer(1...10), "Attempts altogether; 1 for no retry. Default: 3."),
      Schema.Key(
        "base", .duration(.milliseconds(1) ... .seconds(60)),
        "The longest wait before the second attempt; it doubles with each. Default: 100ms."),
      Schema.Key(
        "cap", .duration(.milliseconds(1) ... .seconds(600)),
        "The longest wait of our own choice. Default: 2s."),
      Schema.Key(
        "retryAfter", .duration(.zero ... .seconds(600)),
        "The longest wait that the upstream may ask for (Retry-After); when it asks for more, the client is told. Default: 10s."
      ),
      Schema.Key(
        "budget", .number(0...1), "The part of all requests that may be made again. Default: 0.2."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Retries {
    let usual = defaults
    let attempts = section.integer("attempts") ?? usual.policy.attempts
    let base = section.duration("base") ?? min(usual.policy.backoff.base, usual.policy.backoff.cap)
    let cap = section.duration("cap") ?? max(usual.policy.backoff.cap, base)
    if cap < base {
      section.fault("cap", "\(Units.text(cap)) is less than the \(Units.text(base)) of base")
    }
    let longestWait = section.duration("retryAfter") ?? usual.policy.longestWait
    let fraction = section.number("budget") ?? usual.budget.fraction
    section.end()
    return Configuration.Retries(
      policy: RetryPolicy(
        attempts: attempts, backoff: Backoff(base: base, cap: max(base, cap)), longestWait: longestWait),
      budget: RetryBudget.Settings(fraction: fraction, floor: usual.budget.floor, window: usual.budget.window)
    )
  }
}
