internal import HTTPSemantics

extension Configuration.Store {
  /// `none`, a URL, or a mapping.
  static var shape: Schema { .either([.text(.secret), .mapping(keys)]) }

  private static var keys: [Schema.Key] {
    [
      Schema.Key(
        "sqlite", .text(.absolutePath), "The file where pages are kept; its folder must be writable."),
      Schema.Key(
        "size", .size(1_000_000...1_000_000_000_000),
        "What pages may take in the file; then the oldest go. Default: 256MB."),
      Schema.Key(
        "redis", .text(.secret),
        "A Redis or Valkey server: redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]. TLS is not spoken."),
      Schema.Key(
        "prefix", .text(.prose),
        "Before every key in it; replicas with the same one share. Default: listway:."
      ),
    ]
  }

  /// - Parameter root: the file's section.
  static func decode(_ root: Section) -> Configuration.Store {
    let node = root.node("store")
    if let node, case .scalar(let scalar) = node.content, !scalar.isNull {
      guard let text = root.decoding.resolve(node, root.path("store"), expected: "none, or a redis:// URL")
      else { return .none }
      if text.text == "none" { return .none }
      return redis(text.text, prefix: defaultPrefix) { root.fault("store", $0) }
    }
    let section = Section(node, root.path("store"), keys: keys, in: root.decoding, at: root.mark)
    let path = section.text("sqlite", expected: Schema.TextKind.absolutePath.rawValue)
    let size = section.size("size")
    let url = section.text("redis", expected: "a redis:// URL")
    let prefix = section.prose("prefix")
    section.end()
    if path != nil && url != nil {
      section.fault("redis", "there is one store: sqlite for one process, redis for replicas; remove one")
    }
    if let path {
      if !path.text.hasPrefix("/") || path.text.hasSuffix("/") || path.text.utf8.contains(0) {
        section.fault("sqlite", "\(path.shown); the absolute path of a file is expected")
      }
      if prefix != nil { section.fault("prefix", "a file has no prefix; remove it") }
      return .sqlite(path: path.text, size: size ?? defaultSize)
    }
    if size != nil { section.fault("size", "what a server keeps is its own configuration's; remove it") }
    guard let url else {
      if section.isPresent, !section.has("redis") {
        root.fault("store", "it says neither sqlite nor redis; write store: none to have none")
      }
      return .none
    }
    return redis(url.text, prefix: prefix ?? defaultPrefix) { section.fault("redis", $0) }
  }

  /// Never shows the URL, which may hold a password.
  private static func redis(_ text: String, prefix: String, fault: (String) -> Void) -> Configuration.Store {
    let form = "redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE] is expected"
    guard let reference = URIReference(parsing: text), let scheme = reference.scheme?.text.lowercased() else {
      fault("no URL; none, or \(form)")
      return .none
    }
    if scheme == "rediss" {
      fault("TLS is not spoken to Redis; write redis:// and put a TLS proxy (stunnel, a sidecar) in between")
      return .none
    }
    guard scheme == "redis", let host = reference.host?.text.lowercased(), BaseURL.isHost(host),
      reference.query == nil, reference.fragment == nil
    else {
      fault("a URL is given; \(form)")
      return .none
    }
    let path = reference.path.drop { $0 == UInt8(ascii: "/") }.text
    guard path.isEmpty || Grammar.isInteger(path.utf8), let database = path.isEmpty ? 0 : Int(path),
      (0...999_999).contains(database)
    else {
      fault("a URL is given whose database is no number; \(form)")
      return .none
    }
    var user: String?
    var password: Secret?
    if let info = reference.userinfo {
      let parts = info.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = decoded(parts[0]), let secret = decoded(parts[1]) else {
        fault("a URL is given; its user information is USER:PASSWORD, or :PASSWORD, percent-encoded")
        return .none
      }
      user = name.isEmpty ? nil : name.text
      password = Secret(Array(secret))
    }
    let isLiteral = host.first == "["
    return .redis(
      Configuration.Redis(
        host: isLiteral ? String(host.dropFirst().dropLast()) : host, port: UInt16(reference.port ?? 6379),
        user: user, password: password, database: database, prefix: prefix))
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Grammar.hexValue),
        let low = rest.popFirst().flatMap(Grammar.hexValue)
      else { return nil }
      result.append(high << 4 | low)
    }
    return result[...]
  }
}
