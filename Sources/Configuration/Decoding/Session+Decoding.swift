internal import HTTPSemantics
internal import JSON
internal import Paging
internal import Resilience

extension Configuration.Session {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "oauth2", .mapping(oauth2Keys),
        "A token by OAuth 2.0: client credentials (RFC 6749 §4.4), or a refresh token (§6)."),
      Schema.Key(
        "url", .text(.url),
        "Where the login request goes, where that is another server. Default: the upstream's url."),
      Schema.Key(
        "request", .mapping(RequestTemplate.keys),
        "The login request. {credential} in it stands for the client's, where each has its own session."),
      Schema.Key(
        "each", .mapping(eachKeys),
        "What of a client's request is its own credential: every credential has a session of its own. Without request, it "
          + "is itself what requests have. Default: one session for all clients."),
      Schema.Key("most", .integer(1...1_000_000), "Sessions of clients kept at once. Default: 10000."),
      Schema.Key(
        "idle", .duration(.seconds(1) ... .seconds(86400 * 365)),
        "How long a client's session is kept that is not used. Default: 30m."),
      Schema.Key("token", .text(.locator), "Where its answer has the token."),
      Schema.Key("cookie", .text(.field), "The cookie of its answer that is the token, instead."),
      Schema.Key("lifetime", .text(.locator), "Where its answer says how many seconds the session lasts."),
      Schema.Key("send", .mapping(sendKeys), "Where requests have the token."),
      Schema.Key("expired", .mapping(expiredKeys), "How the upstream says that the session has expired."),
      Schema.Key(
        "age", .duration(.seconds(1) ... .seconds(86400 * 365)),
        "The age at which it is renewed. Default: when the upstream says that it has expired."),
    ]
  }

  private static var eachKeys: [Schema.Key] {
    [
      Schema.Key("header", .text(.field), "The name of a header field."),
      Schema.Key("parameter", .text(.field), "The name of a parameter, which the upstream's lists require."),
    ]
  }

  private static var oauth2Keys: [Schema.Key] {
    [
      Schema.Key("url", .text(.url), isRequired: true, "The token endpoint."),
      Schema.Key("id", .text(.secret), isRequired: true, "The client's id."),
      Schema.Key("secret", .text(.secret), "The client's secret. Needed but with refresh."),
      Schema.Key(
        "refresh", .text(.secret),
        "A refresh token to get tokens with. One that an answer brings along takes its place."),
      Schema.Key("scope", .text(.secret), "The scope to ask for. Default: none."),
    ]
  }

  private static var sendKeys: [Schema.Key] {
    [
      Schema.Key("query", .text(.field), "The name of a query parameter."),
      Schema.Key("form", .text(.field), "The name of a form field, in requests that have a form."),
      Schema.Key("json", .text(.pointer), "The place in the JSON content, in requests that have it."),
      Schema.Key("header", .text(.field), "The name of a header field."),
      Schema.Key("cookie", .text(.field), "The name of a cookie."),
      Schema.Key("prefix", .text(.secret), "What stands before it, such as \"Bearer \". Default: nothing."),
    ]
  }

  private static var expiredKeys: [Schema.Key] {
    [
      Schema.Key(
        "status", .sequence(.integer(400...599), count: 0...10), "Statuses that say so. Default: 401."),
      Schema.Key("or", .mapping(expiryKeys), "What says so in the body or a header field."),
    ]
  }

  private static var expiryKeys: [Schema.Key] {
    [
      Schema.Key("at", .text(.locator), isRequired: true, "Where it is said."),
      Schema.Key("is", .scalar, "The value that says it; 0 and \"0\" are the same."),
      Schema.Key("in", .sequence(.scalar, count: 1...100), "The values that say it."),
    ]
  }

  /// - Parameters:
  ///   - upstreamURL: nil where that is faulty.
  ///   - headers: of every request to the upstream; a login there has them too.
  static func decode(
    _ section: Section, upstreamURL: BaseURL?, headers: [RequestTemplate.HeaderField],
    timeout: Configuration.Timeout
  ) -> Configuration.Session? {
    let before = section.decoding.faults.count
    let preset = oauth2(section)
    let url = BaseURL.decode("url", of: section) ?? upstreamURL
    let request = section.section("request")
    let hasRequest = request.isPresent
    let isElsewhere = section.has("url") || section.has("oauth2")
    let each = each(section.section("each"))
    let (most, idle) = (section.integer("most"), section.duration("idle"))
    // The one parameter of a login is the client's credential.
    let credential: (String, Mark, Parameter?) = ("credential", section.mark, nil)
    let login = RequestTemplate.decode(
      request, upstream: nil, table: ParameterTable(section.has("each") ? [credential] : []), placements: [],
      basePath: url?.path ?? ""
    )?.inheriting(isElsewhere ? [] : headers)
    let forwards = section.has("each") && !hasRequest
    let token = token(section)
    let lifetime = section.locator("lifetime")
    let send = send(section.section("send"))
    let (statuses, expiry) = expired(section.section("expired"))
    let age = section.duration("age")
    if section.isPresent {
      agree(
        section, hasOAuth2: section.has("oauth2"), hasRequest: hasRequest, forwards: forwards,
        hasSend: send != nil)
    }
    section.end()
    guard section.isPresent, section.decoding.faults.count == before, let url = preset?.url ?? url,
      let login = preset?.request ?? login, let token = preset?.token ?? (forwards ? .forwarded : token),
      let send = send ?? preset.map({ _ in (.header(.authorization), "Bearer ") })
    else { return nil }
    var session = Configuration.Session(
      url: url, request: login, token: token, lifetime: lifetime ?? preset?.lifetime, place: send.0,
      prefix: send.1,
      expiredStatuses: statuses ?? [401], expiry: expiry,
      settings: SessionMachine.Settings(
        age: age, backoff: Backoff(base: .seconds(1), cap: .seconds(60)), loginTimeout: timeout.total))
    session.renewal = preset?.renewal
    session.each = each
    session.forwards = forwards
    if let most { session.most = most }
    if let idle { session.idle = idle }
    return session
  }

  private static func each(_ section: Section) -> Each? {
    let header = section.text("header", expected: "a name")
    let parameter = section.text("parameter", expected: "a name")
    section.end()
    if section.isPresent, section.has("header") == section.has("parameter") {
      section.decoding.fault(section.mark, section.path, "give one of header and parameter")
      return nil
    }
    if let parameter { return .parameter(parameter.text) }
    guard let header else { return nil }
    guard let name = FieldName(validating: header.text) else {
      section.fault("header", "\(header.shown); a name is expected")
      return nil
    }
    return .header(name)
  }

  private static func agree(
    _ section: Section, hasOAuth2: Bool, hasRequest: Bool, forwards: Bool, hasSend: Bool
  ) {
    func fault(_ message: String) { section.decoding.fault(section.mark, section.path, message) }
    if hasOAuth2 {
      for name in ["url", "request", "token", "cookie", "each"] where section.has(name) {
        section.fault(name, "oauth2 knows that already; remove one of them")
      }
      return
    }
    for name in ["most", "idle"] where section.has(name) && !section.has("each") {
      section.fault(name, "it is about sessions of clients, and each is not given")
    }
    if forwards {
      for name in ["url", "token", "cookie", "lifetime", "age"] where section.has(name) {
        section.fault(name, "it is about a login, and there is no request")
      }
      if !hasSend && !section.has("send") {
        fault("the key \"send\" is missing: where requests have the credential")
      }
      return
    }
    if !hasRequest { fault("the key \"request\" is missing: how to log in") }
    if section.has("token") == section.has("cookie") {
      fault("give one of token and cookie: where the login's answer has the token")
    }
    if !hasSend && !section.has("send") {
      fault("the key \"send\" is missing: where requests have the token")
    }
  }

  private static func token(_ section: Section) -> Token? {
    let locator = section.locator("token")
    let cookie = section.text("cookie", expected: "the name of a cookie")
    if let cookie {
      guard FieldName(validating: cookie.text) != nil else {
        section.fault("cookie", "\(cookie.shown); the name of a cookie is expected")
        return nil
      }
      return .cookie(cookie.text)
    }
    return locator.map { .at($0) }
  }

  private static func send(_ section: Section) -> (Place, String)? {
    let names = ["query", "form", "json", "header", "cookie"]
    let given = names.filter { section.has($0) }
    var place: Place?
    if let pointer = section.pointer("json") {
      if pointer.text.isEmpty {
        section.fault("json", "a place inside of the content is expected, such as /session")
      }
      place = .json(pointer)
    }
    for name in names where name != "json" {
      guard let text = section.text(name, expected: "a name") else { continue }
      let isToken = FieldName(validating: text.text) != nil
      switch name {
      case "query" where !text.text.isEmpty: place = .query(text.text)
      case "form" where !text.text.isEmpty: place = .form(text.text)
      case "cookie" where isToken: place = .cookie(text.text)
      case "header" where isToken: place = FieldName(validating: text.text).map { .header($0) }
      default: section.fault(name, "\(text.shown); a name is expected")
      }
    }
    let prefix = section.text("prefix", expected: "a text")
    if let prefix, prefix.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      section.fault("prefix", "it has a line break or another control character")
    }
    section.end()
    if given.count > 1 { section.fault(given[1], "one place is allowed, and \(given[0]) is given already") }
    if section.isPresent, given.isEmpty {
      section.decoding.fault(
        section.mark, section.path, "the place is missing; give one of \(names.joined(separator: ", "))")
    }
    return place.map { ($0, prefix?.text ?? "") }
  }

  private static func expired(_ section: Section) -> ([Int]?, Refusal?) {
    let statuses: [Int]? =
      section.has("status")
      ? section.elements("status").compactMap { element in
        let expected = "a status from 400 to 599"
        guard let text = section.decoding.resolve(element.node, element.path, expected: expected) else {
          return nil
        }
        if let status = Int(text.text), (400...599).contains(status) { return status }
        section.decoding.fault(element.node.mark, element.path, "\(text.shown); \(expected) is expected")
        return nil
      } : nil
    let or = section.section("or")
    let at = or.locator("at")
    let values = or.comparand("is").map { [$0] } ?? []
    let more = or.comparands("in") ?? []
    if or.isPresent, or.has("is") == or.has("in") {
      or.decoding.fault(or.mark, or.path, "give one of is and in: what says that the session has expired")
    }
    or.end()
    section.end()
    let expiry = at.map { Refusal(when: $0, test: .isAny(values + more), code: nil, message: [], cases: []) }
    return (statuses, expiry)
  }

  // MARK: OAuth 2.0

  private struct Preset {
    let url: BaseURL
    let request: RequestTemplate
    let token: Token
    let lifetime: Locator?
    let renewal: Configuration.Session.Renewal?
  }

  private static func oauth2(_ parent: Section) -> Preset? {
    let section = parent.section("oauth2")
    let url = BaseURL.decode("url", of: section)
    let names = ["id", "secret", "scope", "refresh"]
    let texts = names.map { section.text($0, expected: "a text")?.text }
    if section.isPresent, !section.has("secret"), !section.has("refresh") {
      section.decoding.fault(section.mark, section.path, "the key \"secret\" is missing")
    }
    section.end()
    guard let url, let id = texts[0], let token = try? Locator("/access_token"),
      let next = try? Locator("/refresh_token")
    else { return nil }
    let refresh = texts[3]
    // Where there is a refresh token, its place is the only parameter: it changes.
    var form: [(String, Template.Piece)] = [
      ("grant_type", .text(refresh == nil ? "client_credentials" : "refresh_token")),
      ("client_id", .text(id)),
    ]
    if let secret = texts[1] { form.append(("client_secret", .text(secret))) }
    if refresh != nil { form.append(("refresh_token", .parameter(0))) }
    if let scope = texts[2] { form.append(("scope", .text(scope))) }
    let fields = form.map { name, value in
      RequestTemplate.Field(name: Array(name.utf8), value: Template([value], for: .form))
    }
    return Preset(
      url: url,
      request: RequestTemplate(
        method: .post, path: PathTemplate(literal: url.path.isEmpty ? "/" : url.path), query: [],
        content: .form(fields), headers: []),
      token: .at(token), lifetime: try? Locator("/expires_in"),
      renewal: refresh.map {
        Configuration.Session.Renewal(first: Secret(Array($0.utf8)), next: next)
      })
  }
}

extension RequestTemplate {
  /// With header fields beside its own, which replace them.
  fileprivate func inheriting(_ fields: [HeaderField]) -> RequestTemplate {
    RequestTemplate(
      method: method, path: path, query: query, content: content,
      headers: fields.filter { field in !headers.contains { $0.name == field.name } } + headers)
  }
}
