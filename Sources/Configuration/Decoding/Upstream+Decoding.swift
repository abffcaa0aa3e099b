internal import HTTPSemantics
internal import Paging

extension Configuration.Upstream {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "url", .text(.url), isRequired: true,
        "Where it is: http or https, host, port, and the path that every list's path is appended to."),
      Schema.Key("timeout", .mapping(Configuration.Timeout.keys), "How long one request may take."),
      Schema.Key(
        "bodyLimit", .size(1024...1_000_000_000),
        "The size of an answer's content, decompressed. Default: 8MB."
      ),
      Schema.Key(
        "charset", .text(.charset),
        "The character set of its answers, where they do not say, or say it wrongly. Default: what Content-Type says, "
          + "else UTF-8."),
      Schema.Key("headers", .named(.header, .text(.template)), "Header fields of every request."),
      Schema.Key("tls", .mapping(Configuration.TLS.keys), "How an https upstream is verified."),
      Schema.Key(
        "http", .words(Configuration.HTTPVersion.self),
        "The HTTP version: auto takes what TLS negotiates, and 1.1 without TLS; 2 without TLS needs an upstream that expects it. Default: auto."
      ),
      Schema.Key("dns", .mapping(Configuration.Upstream.dnsKeys), "How its name is resolved."),
      Schema.Key("connections", .integer(1...100_000), "Open connections to it at most. Default: 256."),
    ] + Configuration.Protection.keys + [
      Schema.Key(
        "session", .mapping(Configuration.Session.keys), "How Listway logs in to it, where it has to."),
      Schema.Key(
        "refused", .mapping(Refusal.keys),
        "How it says no inside a successful answer. A list's own refused replaces it."),
    ]
  }

  private static var dnsKeys: [Schema.Key] {
    [
      Schema.Key("age", .duration(.zero ... .seconds(86400)), "How long an address is used. Default: 60s.")
    ]
  }

  /// An upstream as the lists need it; nil in parts where it is faulty.
  struct Declared {
    let name: String
    let upstream: Configuration.Upstream?
    let refusal: Refusal?
  }

  static func decode(all root: Section) -> [Declared] {
    let entries = root.sections("upstreams")
    if let node = root.node("upstreams"), entries.isEmpty, node.isEmpty {
      root.fault("upstreams", "there is no upstream; a gateway needs one at least")
    }
    return entries.map { decode($0.section, name: $0.name) }
  }

  private static func decode(_ section: Section, name: String) -> Declared {
    let url = BaseURL.decode("url", of: section)
    let timeout = Configuration.Timeout.decode(section.section("timeout"))
    let tls = Configuration.TLS.decode(section.section("tls"))
    let http = section.word("http", Configuration.HTTPVersion.self)
    if url?.scheme == .http {
      if section.has("tls") {
        section.fault("tls", "the url is http, which has no TLS; write https, or remove this")
      }
    }
    let dns = section.section("dns")
    let dnsAge = dns.duration("age")
    dns.end()
    let protection = Configuration.Protection.decode(of: section, timeout: timeout)
    let refused = section.section("refused")
    let refusal = Refusal.decode(refused)
    let headers = HeaderFields.decode(section, table: ParameterTable([]))
    let session = Configuration.Session.decode(
      section.section("session"), upstreamURL: url, headers: headers, timeout: timeout)
    let bodyLimit = section.size("bodyLimit")
    let charset = section.charset("charset")
    let connections = section.integer("connections")
    section.end()
    guard let url else { return Declared(name: name, upstream: nil, refusal: refusal) }
    let usual = defaults(name: name, url: url)
    var upstream = Configuration.Upstream(
      name: name, url: url, timeout: timeout, bodyLimit: bodyLimit ?? usual.bodyLimit, charset: charset,
      headers: headers,
      tls: tls,
      http: http ?? usual.http, dnsAge: dnsAge ?? usual.dnsAge, connections: connections ?? usual.connections,
      protection: protection)
    upstream.session = session
    upstream.refusal = refusal
    return Declared(name: name, upstream: upstream, refusal: refusal)
  }
}

extension Configuration.Timeout {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "connect", .duration(.milliseconds(1) ... .seconds(600)),
        "Until the connection stands, name resolution and TLS included. Default: 1s, or total where that is less."
      ),
      Schema.Key(
        "total", .duration(.milliseconds(1) ... .seconds(600)), "From start to last byte. Default: 10s."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Timeout {
    let total = section.duration("total") ?? defaults.total
    let connect = section.duration("connect") ?? min(defaults.connect, total)
    if section.hasRead("total"), connect > total {
      section.fault(
        "connect", "\(Units.text(connect)) to connect is longer than the total of \(Units.text(total))")
    }
    section.end()
    return Configuration.Timeout(connect: connect, total: total)
  }
}

extension Configuration.TLS {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "ca", .text(.absolutePath), "A PEM file of the authorities to trust. Default: those of the system."),
      Schema.Key(
        "certificate", .text(.absolutePath), "A PEM file of the certificate to show; given together with key."
      ),
      Schema.Key("key", .text(.absolutePath), "A PEM file of that certificate's private key."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.TLS {
    let authorities = pemFile("ca", section)
    let certificate = pemFile("certificate", section)
    let key = pemFile("key", section)
    if section.has("certificate") != section.has("key") {
      let (given, missing) = section.has("key") ? ("key", "certificate") : ("certificate", "key")
      section.fault(given, "\(given) without \(missing); they go together")
    }
    section.end()
    return Configuration.TLS(authorities: authorities, certificate: certificate, key: key)
  }

  /// The path of a file that can be read and holds something in PEM (RFC 7468).
  static func pemFile(_ name: String, _ section: Section) -> String? {
    guard let node = section.node(name),
      let text = section.decoding.resolve(
        node, section.path(name), expected: "an absolute path", files: false)
    else { return nil }
    let path = text.text
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      section.fault(name, "\(text.shown); an absolute path is expected, such as /etc/ssl/certs/ca.pem")
      return nil
    }
    switch section.decoding.sources.file(path) {
    case .content(let bytes):
      if String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ") { return path }
      section.fault(name, "the file \(text.isOutside ? Quoted(text.source).description : path) holds no PEM")
    case .unreadable(let reason):
      section.fault(
        name, "the file \(text.isOutside ? Quoted(text.source).description : path) cannot be read: \(reason)")
    }
    return nil
  }
}

extension ConfigurationNode {
  /// Whether nothing is in it.
  var isEmpty: Bool {
    switch content {
    case .scalar(let scalar): scalar.isNull
    case .sequence(let elements): elements.isEmpty
    case .mapping(let members): members.isEmpty
    }
  }
}
