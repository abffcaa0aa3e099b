package import Access

extension Configuration {
  /// How much the process writes to its log.
  package struct Log: Sendable, Equatable {
    /// The least serious entries that are written.
    package let level: Level

    package init(level: Level) { self.level = level }

    package enum Level: String, Sendable, CaseIterable { case debug, info, warn, error }

    package static let defaults = Log(level: .info)
  }

  /// How the process ends.
  package struct Shutdown: Sendable, Equatable {
    /// How long the process serves on after the signal to stop, while it is not ready any more, 0 to 10 minutes: until
    /// every balancer has noticed.
    package let delay: Duration
    /// How long requests under way may take after that, 0 to 10 minutes.
    package let grace: Duration

    package init(delay: Duration, grace: Duration) {
      self.delay = delay
      self.grace = grace
    }

    package static let defaults = Shutdown(delay: .zero, grace: .seconds(10))
  }

  /// What one client may take.
  package struct Limits: Sendable, Equatable {
    /// Bytes of a request line.
    package let requestLine: Int
    /// Bytes of a request's whole header section, request line included.
    package let headers: Int
    /// Bytes of a request's content.
    package let body: Int
    /// Open client connections, all loops together.
    package let connections: Int
    /// Open connections from one client address, all loops together; nil sets no limit.
    package let connectionsPerAddress: Int?
    /// How long a connection may be silent between two requests.
    package let idleTimeout: Duration
    /// How long a request's header section may take to arrive, from its first byte.
    package let headerTimeout: Duration
    /// How long a client may take to read an answer, with a second more for each KiB of it.
    package let sendTimeout: Duration
    /// How often one client may ask; nil sets no limit.
    package var rate: ClientRate?

    package init(
      requestLine: Int, headers: Int, body: Int, connections: Int, connectionsPerAddress: Int?,
      idleTimeout: Duration, headerTimeout: Duration, sendTimeout: Duration
    ) {
      self.requestLine = requestLine
      self.headers = headers
      self.body = body
      self.connections = connections
      self.connectionsPerAddress = connectionsPerAddress
      self.idleTimeout = idleTimeout
      self.headerTimeout = headerTimeout
      self.sendTimeout = sendTimeout
    }

    package static let defaults = Limits(
      requestLine: 8192, headers: 10240, body: 65536, connections: 10_000, connectionsPerAddress: nil,
      idleTimeout: .seconds(60), headerTimeout: .seconds(10), sendTimeout: .seconds(30))
  }
}
