/// What clients may take of one server, that is of one loop.
package struct ServerLimits: Sendable {
  /// Bytes of a request line, from the method to the version.
  package var requestLine: Int
  /// Bytes of a header section, the request line included.
  package var headers: Int
  /// Bytes of a request's content.
  package var content: Int
  /// Open connections of this server. More wait in the system's queue until one closes.
  package var connections: Int
  /// Connections of one client address, counted by all servers that share the object; nil sets no limit.
  package var peers: PeerLimit?
  /// How long a connection may be silent between requests, and how long a client may take no byte of an answer at all.
  /// Rounded up to whole seconds.
  package var idleTimeout: Duration
  /// How long a header section may take to arrive. Where only a part of a request line has come on a connection that
  /// was idle, it may take up to twice as long to notice.
  package var headerTimeout: Duration
  /// How long a request's content may take to arrive.
  package var contentTimeout: Duration
  /// How long a client may take to read an answer, with a second more for each ``sendRate`` bytes of it.
  package var sendTimeout: Duration
  /// Bytes a second.
  package var sendRate: Int

  package init(
    requestLine: Int, headers: Int, content: Int, connections: Int, peers: PeerLimit?, idleTimeout: Duration,
    headerTimeout: Duration, contentTimeout: Duration, sendTimeout: Duration, sendRate: Int
  ) {
    self.requestLine = requestLine
    self.headers = headers
    self.content = content
    self.connections = connections
    self.peers = peers
    self.idleTimeout = idleTimeout
    self.headerTimeout = headerTimeout
    self.contentTimeout = contentTimeout
    self.sendTimeout = sendTimeout
    self.sendRate = sendRate
  }

  /// The memory of a connection: the header section and, for both together, ``besides`` it, a record of each field in it
  /// (64 bytes), and the answer's header section. The library's copy of a cookie has to fit in as well.
  ///
  /// The library clears all of it after each request, so it costs what it is even on an idle connection.
  var memory: Int { (headers + Self.besides + 15) / 16 * 16 }

  /// Forty fields, and 2,000 bytes of an answer's.
  private static let besides = 4_608

  /// The library counts in seconds.
  var idleSeconds: UInt32 {
    let (seconds, rest) = idleTimeout.components
    return UInt32(clamping: max(1, seconds + (rest > 0 ? 1 : 0)))
  }

  /// How long an answer with this content may take, from when it was given.
  func sendTimeout(byteCount: Int) -> Duration { sendTimeout + .seconds(byteCount / sendRate) }

  /// How often deadlines are looked at.
  var tick: Duration {
    min(.seconds(1), max(.milliseconds(10), min(headerTimeout, contentTimeout, sendTimeout) / 4))
  }
}
