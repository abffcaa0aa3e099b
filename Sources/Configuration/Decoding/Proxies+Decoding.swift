internal import Access

extension Proxies {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "trusted", .sequence(.text(.prose), count: 0...1_000),
        "Whose word on a client's address is taken: networks such as 10.0.0.0/8, addresses, or unix for whoever comes by a "
          + "Unix socket. Default: nobody's."),
      Schema.Key(
        "field", .words(Field.self), "Where they say it; the other is not read. Default: X-Forwarded-For."),
    ]
  }

  static func decode(_ section: Section) -> Proxies {
    let expected = "a network such as 10.0.0.0/8, an address, or unix"
    var trusted: [IPNetwork] = []
    var trustsUnix = false
    for (node, path) in section.elements("trusted") {
      guard let text = section.decoding.resolve(node, path, expected: expected) else { continue }
      if text.text == "unix" {
        trustsUnix = true
      } else if let network = IPNetwork(text.text) {
        trusted.append(network)
      } else {
        section.decoding.fault(
          node.mark, path, "\(text.shown); \(expected) is expected, without bits beyond the network's length")
      }
    }
    let field = section.word("field", Field.self)
    if section.has("field"), !section.has("trusted") { section.fault("field", "nobody is trusted to say it") }
    section.end()
    return Proxies(trusted: trusted, trustsUnix: trustsUnix, field: field ?? .forwardedFor)
  }
}

extension ClientRate {
  static var keys: [Schema.Key] {
    [
      Schema.Key("requests", .integer(1...1_000_000), isRequired: true, "How many in a period."),
      Schema.Key("per", .duration(.milliseconds(1) ... .seconds(86_400)), "The period. Default: 1s."),
      Schema.Key(
        "burst", .integer(1...1_000_000), "At once, after a silence. Default: as many as in a period."),
    ]
  }

  static func decode(_ section: Section) -> ClientRate? {
    let requests = section.integer("requests")
    let period = section.duration("per") ?? .seconds(1)
    let burst = section.integer("burst")
    section.end()
    return requests.map { ClientRate(count: $0, period: period, burst: burst ?? $0) }
  }
}
