internal import Access
internal import HTTPSemantics
internal import JSON

extension Configuration.AccessRules {
  static let shape = Schema.either([.word(["none"]), .mapping(keys)])

  private static var keys: [Schema.Key] {
    [
      Schema.Key(
        "keys", .sequence(.mapping(APIKeys.keys), count: 0...10_000),
        "API keys, as listway key makes them; of each the name and the digest."),
      Schema.Key("jwt", .mapping(Configuration.Tokens.keys), "Tokens that an issuer signs."),
      Schema.Key(
        "require", .words(Requirement.Kind.self),
        "What is required where a list says nothing: any credential, a key, a token, or none. Default: any."),
    ]
  }

  static func decode(_ root: Section) -> Configuration.AccessRules {
    guard let node = root.node("access") else { return .defaults }
    guard case .mapping = node.content else {
      if let text = root.text("access", expected: "none, or a mapping"), text.text != "none" {
        root.fault("access", "\(text.shown); none is expected, or a mapping of keys, jwt and require")
      }
      return Configuration.AccessRules(
        isDeclared: true, keys: APIKeys([]), tokens: nil, requirement: .nobodyInParticular)
    }
    let section = Section(
      node, root.path("access"), keys: keys, in: root.decoding, at: node.mark)
    let keys = APIKeys.decode(section)
    let tokens = Configuration.Tokens.decode(section.section("jwt"))
    let kind = section.word("require", Requirement.Kind.self) ?? .any
    let rules = Configuration.AccessRules(
      isDeclared: true, keys: keys, tokens: tokens,
      requirement: Requirement(kind, keys: [], scopes: [], rules: []))
    if !section.has("keys"), !section.has("jwt") {
      section.decoding.fault(
        node.mark, section.path, "neither keys nor jwt is declared; for everybody, write access: none")
    } else if let problem = rules.problem(of: kind) {
      section.fault("require", problem)
    }
    section.end()
    return rules
  }

  /// Why nobody could ever fulfil a requirement, or nil.
  fileprivate func problem(of kind: Requirement.Kind) -> String? {
    switch kind {
    case .none, .any: nil
    case .key: keys.entries.isEmpty ? "a key is required, and access.keys declares none" : nil
    case .token: tokens == nil ? "a token is required, and access.jwt is not declared" : nil
    }
  }
}

extension APIKeys {
  fileprivate static var keys: [Schema.Key] {
    [
      Schema.Key(
        "name", .text(.prose), isRequired: true,
        "Whose it is: in the log, and for limits. Two keys may share it."),
      Schema.Key(
        "sha256", .text(.digest), isRequired: true, "The key's SHA-256 digest, 64 hexadecimal digits."),
    ]
  }

  fileprivate static func decode(_ access: Section) -> APIKeys {
    var entries: [Entry] = []
    for (node, path) in access.elements("keys") {
      let section = Section(node, path, keys: keys, in: access.decoding, at: node.mark)
      let name = section.prose("name")
      if let name, !Grammar.isName(name, .entity) {
        section.fault(
          "name", "\(Quoted(name)) cannot be a name here; a name is \(Schema.NameKind.entity.rawValue)")
      }
      let digest = digest(section)
      section.end()
      guard let name, let digest else { continue }
      if entries.contains(where: { $0.digest == digest }) {
        section.fault("sha256", "this key is in the list already")
      }
      entries.append(Entry(name: name, digest: digest))
    }
    return APIKeys(entries)
  }

  private static func digest(_ section: Section) -> Digest? {
    let expected = Schema.TextKind.digest.rawValue
    guard let text = section.text("sha256", expected: expected) else { return nil }
    let digits = Array(text.text.utf8)
    let values = digits.compactMap { Grammar.hexValue($0) }
    guard digits.count == 64, values.count == 64 else {
      // What stands here by mistake may be the key itself.
      section.fault("sha256", "\(digits.count) characters are given; \(expected) is expected")
      return nil
    }
    return Digest(stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
  }
}

extension Requirement {
  static let shape = Schema.either([.words(Kind.self), .mapping(keys)])

  private static var keys: [Schema.Key] {
    [
      Schema.Key(
        "require", .words(Kind.self), "A key, a token, any of both, or none. Default: access.require."),
      Schema.Key(
        "keys", .sequence(.text(.prose), count: 1...1_000),
        "The names of the keys that will do. Default: all."),
      Schema.Key(
        "scopes", .sequence(.text(.prose), count: 1...100),
        "All of these must be in the token's scope or scp."),
      Schema.Key(
        "claims", .named(.claim, .either([.scalar, .sequence(.scalar, count: 1...100)])),
        "What claims of the token must be, or hold where they are lists; one value, or several of which one will do."
      ),
    ]
  }

  /// What a list requires.
  static func decode(_ list: Section) -> Requirement {
    let rules = list.decoding.access
    guard let node = list.node("access") else { return rules.requirement }
    guard case .mapping = node.content else {
      guard let text = list.text("access", expected: "none, key, token or any, or a mapping") else {
        return rules.requirement
      }
      guard let kind = Kind(rawValue: text.text) else {
        let words = Kind.allCases.map(\.rawValue)
        let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: words)
        list.fault("access", "\(text.shown); allowed: \(words.joined(separator: ", "))\(suggestion(nearest))")
        return rules.requirement
      }
      if let problem = problem(of: kind, rules) { list.fault("access", problem) }
      return Requirement(kind, keys: [], scopes: [], rules: [])
    }
    return decode(Section(node, list.path("access"), keys: keys, in: list.decoding, at: node.mark), rules)
  }

  private static func decode(_ section: Section, _ rules: Configuration.AccessRules) -> Requirement {
    let kind = section.word("require", Kind.self) ?? rules.requirement.kind
    let names = texts("keys", section)
    let scopes = texts("scopes", section)
    let claims = section.named("claims").compactMap { claim($0, section) }
    for name in names where !rules.keys.entries.contains(where: { $0.name == name }) {
      section.fault("keys", "\(Quoted(name)) is no key of access.keys")
    }
    if let problem = problem(of: kind, rules) {
      section.decoding.fault(section.mark("require"), section.path, problem)
    }
    if section.has("keys"), kind != .key {
      section.fault("keys", "names of keys need require: key")
    }
    for key in ["scopes", "claims"] where section.has(key) && kind != .token {
      section.fault(key, "only tokens have \(key); it needs require: token")
    }
    section.end()
    return Requirement(kind, keys: names, scopes: scopes, rules: claims)
  }

  private static func problem(of kind: Kind, _ rules: Configuration.AccessRules) -> String? {
    if kind == .any, !rules.knowsCredentials {
      return "a credential is required, and access declares neither keys nor jwt"
    }
    return rules.problem(of: kind)
  }

  private static func texts(_ name: String, _ section: Section) -> [String] {
    section.elements(name).compactMap { node, path in
      section.decoding.resolve(node, path, expected: "a text", files: false)?.text
    }
  }

  private static func claim(
    _ entry: (name: String, mark: Mark, node: ConfigurationNode, path: String), _ section: Section
  ) -> Rule? {
    let pointer = Pointer(claim: entry.name)
    var allowed: [String] = []
    let nodes: [ConfigurationNode] =
      if case .sequence(let nodes) = entry.node.content { nodes } else { [entry.node] }
    for node in nodes {
      guard let text = section.decoding.resolve(node, entry.path, expected: "a text, a number, true or false")
      else { continue }
      allowed.append(text.text)
    }
    if allowed.isEmpty, nodes.isEmpty {
      section.decoding.fault(entry.mark, entry.path, "no value is given; one at least is expected")
    }
    guard let pointer else {
      section.decoding.fault(entry.mark, entry.path, "this is neither a claim's name nor a JSON Pointer")
      return nil
    }
    return Rule(claim: pointer, allowed: allowed)
  }
}

extension Pointer {
  /// To a claim: a JSON Pointer where it begins with a slash, else the name of a member of the token.
  init?(claim text: String) {
    let pointer =
      text.hasPrefix("/")
      ? text
      : "/" + text.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    guard !text.isEmpty, let found = try? Pointer(pointer) else { return nil }
    self = found
  }
}
