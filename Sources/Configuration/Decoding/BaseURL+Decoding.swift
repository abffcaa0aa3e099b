internal import HTTPSemantics

extension BaseURL {
  /// Reads the URL of an upstream.
  static func decode(_ name: String, of section: Section) -> BaseURL? {
    guard let text = section.text(name, expected: Schema.TextKind.url.rawValue) else { return nil }
    switch parse(text.text) {
    case .success(let url): return url
    case .failure(let problem):
      let meant = text.isOutside ? nil : problem.meant
      let shown = problem.isTelling ? "a URL is given" : text.shown
      section.fault(name, "\(shown); \(problem.message)\(suggestion(meant))")
      return nil
    }
  }

  struct Problem: Error, Equatable {
    let message: String
    let meant: String?
    /// The URL may hold a password or a key, and is not to be shown.
    let isTelling: Bool
  }

  /// - SeeAlso: RFC 3986 §3; RFC 9110 §4.2
  static func parse(_ text: String) -> Result<BaseURL, Problem> {
    func problem(_ message: String, meant: String? = nil, isTelling: Bool = false) -> Result<BaseURL, Problem>
    {
      .failure(Problem(message: message, meant: meant, isTelling: isTelling))
    }
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      let reference = URIReference(parsing: text)
    else { return problem("a URL is ASCII without spaces, 2048 characters at most") }
    guard let scheme = reference.scheme.map({ $0.text.lowercased() }), let scheme = Scheme(rawValue: scheme),
      let authority = reference.authority
    else {
      let isBare = !text.contains("//") && parse("https://\(text)").isSuccess
      return problem("an http or https URL is expected", meant: isBare ? "https://\(text)" : nil)
    }
    if reference.userinfo != nil {
      return problem(
        "a user name or password cannot be in it; send them in headers.Authorization", isTelling: true)
    }
    if reference.query != nil || reference.fragment != nil {
      return problem(
        "a query or fragment cannot be in it; a query goes into each list's request.query", isTelling: true)
    }
    guard let host = reference.host?.text.lowercased(), isHost(host) else {
      return problem("it names no valid host")
    }
    let hasPort = authority.count > host.utf8.count
    if hasPort, reference.port ?? 0 == 0 { return problem("its port is not a number from 1 to 65535") }
    var path = reference.path
    while path.last == UInt8(ascii: "/") { path = path.dropLast() }
    for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      if segment.isEmpty || segment.equals(".") || segment.equals("..") {
        return problem("its path has an empty segment, . or ..")
      }
    }
    let url = BaseURL(
      scheme: scheme, host: host, port: UInt16(reference.port ?? (scheme == .https ? 443 : 80)),
      path: PathCompiler.encoded(path.text))
    return .success(url)
  }

  /// A registered name of letters, digits, `-`, `_` and `.`, or an IP address (RFC 3986 §3.2.2).
  static func isHost(_ text: String) -> Bool {
    if text.first == "[" {
      guard text.last == "]", case .ipv6? = Configuration.Address(String(text.dropFirst().dropLast())) else {
        return false
      }
      return true
    }
    return (1...253).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
      && text.utf8.allSatisfy { Grammar.isLetter($0) || Grammar.isDigit($0) || "-_.".utf8.contains($0) }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
