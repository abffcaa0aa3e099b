internal import Access
internal import HTTPSemantics

extension Configuration.Tokens {
  static var keys: [Schema.Key] {
    [
      Schema.Key("issuer", .text(.prose), isRequired: true, "What iss must be."),
      Schema.Key(
        "audience", .either([.text(.prose), .sequence(.text(.prose), count: 1...32)]), isRequired: true,
        "What aud must name; of several, one will do."),
      Schema.Key(
        "jwks", .text(.url),
        "The URL of the issuer's JSON Web Key Set: https, or http on the machine itself."),
      Schema.Key(
        "ca", .text(.absolutePath),
        "For jwks: a PEM file of the authorities to trust. Default: those of the system."),
      Schema.Key(
        "refresh", .duration(.seconds(30) ... .seconds(86_400)),
        "For jwks: the age at which keys are fetched again. Default: 10m."),
      Schema.Key(
        "keys", .text(.absolutePath),
        "In place of jwks: a file of public keys, PEM or a JSON Web Key Set."),
      Schema.Key("secret", .text(.secret), "In place of both, for HS256: a secret of 32 bytes or more."),
      Schema.Key(
        "algorithms", .sequence(Schema.words(SignatureAlgorithm.self), count: 1...4),
        "Those that are taken. Default: HS256 with a secret, else RS256, ES256 and EdDSA."),
      Schema.Key(
        "leeway", .duration(.zero ... .seconds(300)),
        "By how much the issuer's clock may differ. Default: 30s."),
    ]
  }

  static func decode(_ section: Section) -> Configuration.Tokens? {
    let issuer = section.prose("issuer")
    let audiences = audiences(section)
    let given = ["jwks", "keys", "secret"].filter(section.has)
    let keys = source(section, given)
    for name in ["ca", "refresh"] where section.has(name) && !section.has("jwks") {
      section.fault(name, "it is for jwks, which is not given")
    }
    let authorities = Configuration.TLS.pemFile("ca", section)
    let refresh = section.duration("refresh")
    let leeway = section.duration("leeway") ?? defaultLeeway
    let algorithms = algorithms(section, isSecret: given == ["secret"])
    section.end()
    guard section.isPresent else { return nil }
    if given.count != 1 {
      section.decoding.fault(
        section.mark, section.path,
        given.isEmpty
          ? "one of jwks, keys and secret is missing"
          : "\(given.joined(separator: " and ")) are given; one will do")
    }
    guard let issuer, let keys else { return nil }
    let rules = TokenRules(
      issuer: issuer, audiences: audiences, algorithms: algorithms, leeway: leeway.components.seconds)
    return Configuration.Tokens(
      rules: rules, keys: keys.with(authorities: authorities), refresh: refresh ?? defaultRefresh)
  }

  private static func audiences(_ section: Section) -> [String] {
    guard let node = section.node("audience") else { return [] }
    let nodes: [ConfigurationNode] = if case .sequence(let nodes) = node.content { nodes } else { [node] }
    if nodes.isEmpty { section.fault("audience", "no audience is given; one at least is expected") }
    return nodes.compactMap {
      section.decoding.resolve($0, section.path("audience"), expected: "a text", files: false)?.text
    }
  }

  private static func algorithms(_ section: Section, isSecret: Bool) -> [SignatureAlgorithm] {
    var algorithms: [SignatureAlgorithm] = []
    for (algorithm, node, path) in section.words("algorithms", SignatureAlgorithm.self) {
      // One kind of key, one kind of algorithm: what is public is never taken for a secret.
      if (algorithm.keyKind == .secret) != isSecret {
        section.decoding.fault(
          node.mark, path,
          isSecret
            ? "\(algorithm.rawValue) is not for a secret" : "\(algorithm.rawValue) is for a secret only")
      }
      algorithms.append(algorithm)
    }
    if section.has("algorithms") { return algorithms }
    return isSecret ? [.hs256] : [.rs256, .es256, .eddsa]
  }

  // MARK: Keys

  private static func source(_ section: Section, _ given: [String]) -> Keys? {
    let url = url(section)
    let published = published(section)
    let secret = secret(section)
    return url.map { .url($0, authorities: nil) } ?? published.map { .published($0) }
      ?? secret.map { .secret($0) }
  }

  private static func secret(_ section: Section) -> Secret? {
    guard let text = section.text("secret", expected: "a secret") else { return nil }
    let bytes = Array(text.text.utf8)
    if bytes.count >= 32 { return Secret(bytes) }
    section.fault(
      "secret", "it has \(bytes.count) bytes; 32 are the least (RFC 7518 §3.2): openssl rand -hex 32")
    return nil
  }

  private static func url(_ section: Section) -> String? {
    guard let text = section.text("jwks", expected: Schema.TextKind.url.rawValue) else { return nil }
    guard text.text.utf8.count <= 2_048, text.text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let reference = URIReference(parsing: text.text), let scheme = reference.scheme?.text.lowercased(),
      let host = reference.host?.text.lowercased(), !host.isEmpty, reference.userinfo == nil,
      reference.query == nil, reference.fragment == nil, scheme == "https" || scheme == "http"
    else {
      section.fault("jwks", "\(text.shown); an https URL is expected")
      return nil
    }
    if scheme == "http", host != "localhost", host != "[::1]", !host.hasPrefix("127.") {
      section.fault(
        "jwks", "keys that come by http could be anybody's; https is expected, or http on the machine itself")
      return nil
    }
    return text.text
  }

  private static func published(_ section: Section) -> [PublicKey]? {
    guard let text = section.text("keys", expected: "an absolute path") else { return nil }
    let path = text.text
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      section.fault("keys", "\(text.shown); an absolute path is expected, such as /etc/listway/keys.pem")
      return nil
    }
    let shown = text.isOutside ? Quoted(text.source).description : path
    switch section.decoding.sources.file(path) {
    case .unreadable(let reason): section.fault("keys", "the file \(shown) cannot be read: \(reason)")
    case .content(let bytes):
      let isSet = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
      do {
        return isSet ? try PublicKey.keys(ofSet: bytes) : try PublicKey.keys(ofPEM: bytes)
      } catch let failure as PublicKey.SetFailure {
        section.fault("keys", "the file \(shown) is of no use: \(failure.rawValue)")
      } catch let failure as PublicKey.PEMFailure {
        section.fault("keys", "the file \(shown) is of no use: \(failure.rawValue)")
      } catch {
        section.fault("keys", "the file \(shown) is of no use")
      }
    }
    return nil
  }
}

extension Configuration.Tokens.Keys {
  fileprivate func with(authorities: String?) -> Self {
    guard case .url(let url, _) = self else { return self }
    return .url(url, authorities: authorities)
  }
}
