internal import Access

extension Configuration.Log {
  static var keys: [Schema.Key] {
    [
      Schema.Key("level", .words(Level.self), "The least serious entries that are written. Default: info.")
    ]
  }

  static func decode(_ section: Section) -> Configuration.Log {
    let level = section.word("level", Level.self)
    section.end()
    return Configuration.Log(level: level ?? defaults.level)
  }
}

extension Configuration.Shutdown {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "delay", .duration(.zero ... .seconds(600)),
        "How long to serve on after SIGTERM, while /readyz fails, before connections are closed. Default: 0s."
      ),
      Schema.Key(
        "grace", .duration(.zero ... .seconds(600)),
        "How long requests under way may take after SIGTERM and the delay. Default: 10s."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Shutdown {
    let delay = section.duration("delay")
    let grace = section.duration("grace")
    section.end()
    return Configuration.Shutdown(delay: delay ?? defaults.delay, grace: grace ?? defaults.grace)
  }
}

extension Configuration.Limits {
  static var keys: [Schema.Key] {
    [
      Schema.Key("requestLine", .size(256...1_048_576), "The size of a request line. Default: 8KiB."),
      Schema.Key(
        "headers", .size(1024...1_048_576),
        "The size of a request's header section, request line included. Default: 10KiB."),
      Schema.Key("body", .size(0...1_000_000_000), "The size of a request's content. Default: 64KiB."),
      Schema.Key("connections", .integer(1...1_000_000), "Open client connections. Default: 10000."),
      Schema.Key(
        "connectionsPerAddress", .integer(0...1_000_000),
        "Open connections from one client address; 0 sets no limit. Default: 0."),
      Schema.Key(
        "idleTimeout", .duration(.seconds(1) ... .seconds(86400)),
        "How long a connection may be silent between requests. Default: 60s."),
      Schema.Key(
        "headerTimeout", .duration(.milliseconds(100) ... .seconds(600)),
        "How long a request's header section may take to arrive. Default: 10s."),
      Schema.Key(
        "sendTimeout", .duration(.milliseconds(100) ... .seconds(3600)),
        "How long a client may take to read an answer, and a second more for each KiB of it. Default: 30s."),
      Schema.Key(
        "rate", .mapping(ClientRate.keys),
        "How often one client may ask: one key, token's subject or address."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Limits {
    let requestLine = section.size("requestLine") ?? defaults.requestLine
    let headers = section.size("headers") ?? defaults.headers
    if section.hasRead("requestLine"), section.hasRead("headers"), requestLine > headers {
      section.fault(
        section.has("requestLine") ? "requestLine" : "headers",
        "a request line of \(Units.text(bytes: requestLine)) does not fit into headers of \(Units.text(bytes: headers))"
      )
    }
    let perAddress = section.integer("connectionsPerAddress") ?? 0
    var limits = Configuration.Limits(
      requestLine: requestLine, headers: headers, body: section.size("body") ?? defaults.body,
      connections: section.integer("connections") ?? defaults.connections,
      connectionsPerAddress: perAddress == 0 ? nil : perAddress,
      idleTimeout: section.duration("idleTimeout") ?? defaults.idleTimeout,
      headerTimeout: section.duration("headerTimeout") ?? defaults.headerTimeout,
      sendTimeout: section.duration("sendTimeout") ?? defaults.sendTimeout)
    let rate = section.section("rate")
    let clientRate = ClientRate.decode(rate)
    limits.rate = rate.isPresent ? clientRate : nil
    section.end()
    return limits
  }
}
