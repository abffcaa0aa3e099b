import Configuration
import HTTPSemantics
import JSON
import Paging
import Resilience

/// How one loop logs in to an upstream, sends the token along, and recognises that it is not accepted any more.
final class UpstreamSession {
  let sessions: SessionTable
  private let configuration: Configuration.Session
  private let renderer: RequestRenderer
  private let parser: Parser
  private let token: ValueReader?
  private let lifetime: ValueReader?
  private let renewal: ValueReader?
  private let expiry: AnswerTest?
  /// What else says that the session is over.
  private let refusals: [AnswerTest]

  /// - Parameter refusals: the rules that answers are judged by; some have cases of an expired session.
  init(
    _ configuration: Configuration.Session, of upstream: BaseURL, refusals: [Paging.Refusal],
    sessions: SessionTable,
    parser: Parser
  ) {
    isElsewhere = configuration.url.origin != upstream.origin
    self.configuration = configuration
    self.sessions = sessions
    self.parser = parser
    renderer = RequestRenderer(template: configuration.request, url: configuration.url, holdsPaging: false)
    token = if case .at(let locator) = configuration.token { ValueReader(locator) } else { nil }
    lifetime = configuration.lifetime.flatMap { ValueReader($0) }
    renewal = configuration.renewal.flatMap { ValueReader($0.next) }
    expiry = AnswerTest(configuration.expiry)
    self.refusals = refusals.compactMap { AnswerTest($0, meaning: .sessionExpired) }
  }

  // MARK: Logging in

  /// Whether the login goes to another server than the requests.
  let isElsewhere: Bool

  /// - Parameters:
  ///   - deadline: for the whole of it.
  ///   - origin: the upstream's; a login server of its own gets connections of its own by its URL.
  ///   - keeper: of the session.
  ///   - credential: the client's, where each has a session of its own.
  func loginRequest(
    for keeper: SessionKeeper, _ credential: [UInt8]?, deadline: Instant, origin: TransportOrigin
  ) -> TransportRequest? {
    let value = configuration.renewal.map { keeper.renewal ?? $0.first.bytes } ?? credential
    let arguments = value.map { Configuration.Session.arguments($0) } ?? Arguments([])
    guard let rendered = try? renderer.render(.own, with: arguments) else { return nil }
    var request = TransportRequest(
      method: rendered.method, url: String(decoding: rendered.url, as: UTF8.self), fields: rendered.fields,
      content: rendered.content, deadline: deadline, origin: origin)
    // The cookie comes with the answer that leads on to the page behind the login.
    if case .cookie = configuration.token { request.followsRedirects = false }
    return request
  }

  /// What a login is made with, but for a client's own credential: who has the same has the same account.
  var account: [UInt8] {
    let value = configuration.renewal?.first.bytes ?? []
    guard let rendered = try? renderer.render(.own, with: Configuration.Session.arguments(value)) else {
      return []
    }
    return StoreKeys.joined(rendered.parts)
  }

  /// What a login gave.
  struct Opened {
    let token: [UInt8]
    /// What the next login is to be made with.
    let renewal: [UInt8]?
    let lifetime: Duration?

    /// The shorter of two lifetimes counts.
    func lasting(atMost age: Duration?) -> Opened {
      Opened(token: token, renewal: renewal, lifetime: [lifetime, age].compactMap(\.self).min())
    }
  }

  /// The session that a login's answer has; nil where it has none.
  func session(in response: TransportResponse) -> Opened? {
    guard (200...399).contains(response.status) else { return nil }
    let document = try? parser.parse(response.body)
    if let document, expiry?.holds(for: document, fields: response.fields, status: response.status) == true {
      return nil
    }
    let found: [UInt8]? =
      switch configuration.token {
      case .at: token?.text(in: document, fields: response.fields)
      case .cookie(let name): Self.cookie(name, in: response.fields)
      case .forwarded: nil
      }
    // It becomes part of a request: what would end a line or a field there is no token.
    guard let found, found.count <= 8_192, found.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let seconds = lifetime?.text(in: document, fields: response.fields).flatMap { text in
      Int(String(decoding: text, as: UTF8.self))
    }
    return Opened(
      token: found, renewal: renewal?.text(in: document, fields: response.fields),
      lifetime: seconds.flatMap { $0 > 0 ? .seconds($0) : nil })
  }

  /// The value of a cookie that is set (RFC 6265 §5.2).
  private static func cookie(_ name: String, in fields: Fields) -> [UInt8]? {
    for field in fields.values(.setCookie) {
      let pair = field.prefix { $0 != UInt8(ascii: ";") }
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
        trimmed(pair[..<equals]).elementsEqual(name.utf8)
      else { continue }
      let value = trimmed(pair[(equals + 1)...])
      return value.isEmpty ? nil : Array(value)
    }
    return nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let space = UInt8(ascii: " ")
    let start = text.drop { $0 == space }
    return start.prefix((start.lastIndex { $0 != space }.map { $0 - start.startIndex + 1 }) ?? 0)
  }

  // MARK: Using it

  /// Whether the client's credential is what requests have.
  var forwards: Bool { configuration.forwards }

  /// `request` with the token in its place.
  func put(_ token: [UInt8], into request: TransportRequest) -> TransportRequest {
    var request = request
    let value = Array(configuration.prefix.utf8) + token
    switch configuration.place {
    case .header(let name): request.fields.set(name, value)
    case .cookie(let name):
      // One field for all cookies (RFC 6265 §5.4).
      var cookies = request.fields.values(.cookie).flatMap { Array($0) + Array("; ".utf8) }
      cookies += Array(name.utf8) + [UInt8(ascii: "=")] + value
      request.fields.set(.cookie, cookies)
    case .query(let name):
      request.url = String(
        decoding: Self.replacing(name, by: value, inQueryOf: Array(request.url.utf8)), as: UTF8.self)
    case .form(let name):
      // Pages that are read by GET have none.
      guard var content = request.content else { break }
      if !content.isEmpty { content.append(UInt8(ascii: "&")) }
      PercentEncoding.encode(name, for: .form, into: &content)
      content.append(UInt8(ascii: "="))
      PercentEncoding.encode(value.span, for: .form, into: &content)
      request.content = content
    case .json(let pointer):
      guard let content = request.content else { break }
      var writer = Writer(reserving: value.count + 2)
      writer.string(repairing: value)
      request.content = JSONPlacing.placing(writer.finish(), at: pointer, in: content)
    }
    return request
  }

  /// The URL with one field of that name: a next URL may bring one along, of a session that is over.
  static func replacing(_ name: String, by value: [UInt8], inQueryOf url: [UInt8]) -> [UInt8] {
    var encodedName: [UInt8] = []
    PercentEncoding.encode(name, for: .query, into: &encodedName)
    let question = url.firstIndex(of: UInt8(ascii: "?")) ?? url.endIndex
    var output = Array(url[..<question])
    var separator = UInt8(ascii: "?")
    for pair in url[question...].dropFirst().split(separator: UInt8(ascii: "&")) {
      if pair.prefix(while: { $0 != UInt8(ascii: "=") }).elementsEqual(encodedName) { continue }
      output.append(separator)
      output += pair
      separator = UInt8(ascii: "&")
    }
    output.append(separator)
    output += encodedName
    output.append(UInt8(ascii: "="))
    PercentEncoding.encode(value.span, for: .query, into: &output)
    return output
  }

  /// Whether the upstream says that it does not accept the session.
  func isExpired(_ response: TransportResponse) -> Bool {
    if configuration.expiredStatuses.contains(response.status) { return true }
    if expiry == nil && refusals.isEmpty { return false }
    let document = try? parser.parse(response.body)
    if document != nil, expiry?.holds(for: document, fields: response.fields, status: response.status) == true
    {
      return true
    }
    return refusals.contains { $0.holds(for: document, fields: response.fields, status: response.status) }
  }
}
