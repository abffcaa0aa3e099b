public import Foundation
#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads lists, screens and calls from a Listway gateway.
///
///     let client = ListwayClient(url: URL(string: "https://lists.example.com")!)
///     for try await notice in client.list("notices", of: Notice.self).items { … }
///
/// It is a value: copy it, share it between tasks. All it holds is where the gateway is and how it is asked.
public struct ListwayClient: Sendable {
  /// The gateway's URL; a path in it comes before `/v1`.
  public let url: URL
  /// Fields sent with every request: credentials (`Authorization`, `X-API-Key`), `Accept-Language`.
  public var fields: [String: String]
  private let transport: any Transport
  private let slots = Slots()

  public init(url: URL, fields: [String: String] = [:], transport: any Transport = URLSessionTransport()) {
    self.url = url
    self.fields = fields
    self.transport = transport
  }

  /// A list whose items are decoded from JSON.
  ///
  /// - Parameters:
  ///   - name: the list's name in the gateway's configuration.
  ///   - parameters: the list's own parameters, as text.
  ///   - limit: items in a slice; nil leaves it to the gateway.
  ///   - slot: a place on the screen that shows one list at a time. A request in it ends the one before in the same slot,
  ///     here and in the gateway (`Listway-Slot`), which then throws ``ListwayError/superseded``.
  public func list<Item: Decodable & Sendable>(
    _ name: String, of item: Item.Type, parameters: [String: String] = [:], limit: Int? = nil,
    slot: String? = nil
  ) -> RemoteList<Item> {
    list(name, parameters: parameters, limit: limit, slot: slot) { json throws(ListwayError) in
      try json.decoded(as: Item.self)
    }
  }

  /// A list whose items are made by `decode` from the upstream's own bytes.
  public func list<Item: Sendable>(
    _ name: String, parameters: [String: String] = [:], limit: Int? = nil, slot: String? = nil,
    decode: @escaping @Sendable (RawJSON) throws(ListwayError) -> Item
  ) -> RemoteList<Item> {
    RemoteList(
      client: self, name: name, parameters: parameters, limit: limit, slot: slot, decode: decode)
  }

  /// A screen: several sections in one answer.
  ///
  /// - Throws: ``ListwayError`` where the screen as a whole failed; a section that failed throws when it is read.
  public func screen(
    _ name: String, parameters: [String: String] = [:], slot: String? = nil
  ) async throws(ListwayError) -> Screen {
    let envelope = try await envelope(
      of: Query(path: ["v1", "screens", name], parameters: parameters, slot: slot))
    return try Screen(envelope)
  }

  /// A call: one request to an upstream, by GET, or by POST with `json` as its content.
  public func call<Body: Decodable>(
    _ name: String, as body: Body.Type, parameters: [String: String] = [:], json: RawJSON? = nil,
    slot: String? = nil
  ) async throws(ListwayError) -> Body {
    let envelope = try await envelope(
      of: Query(path: ["v1", "calls", name], parameters: parameters, slot: slot, content: json))
    return try envelope.body.decoded(as: Body.self)
  }

  // MARK: Asking

  /// What is asked for, before it is a request.
  struct Query: Sendable {
    var path: [String]
    var parameters: [String: String] = [:]
    /// Past the gateway's cache, to the upstream.
    var isRefresh = false
    var slot: String?
    var content: RawJSON?
  }

  func envelope(of query: Query) async throws(ListwayError) -> Envelope {
    guard let slot = query.slot else { return try await send(query) }
    return try await slots.run(in: slot) { () throws(ListwayError) in try await send(query) }
  }

  private func send(_ query: Query) async throws(ListwayError) -> Envelope {
    let (content, status, fields) = try await transport.answer(to: request(for: query))
    return try Envelope(content, httpStatus: status, fields: fields)
  }

  private func request(for query: Query) -> URLRequest {
    let path = query.path.map(Self.encoded).joined(separator: "/")
    // In a fixed order: the same question is the same URL, to every cache on the way.
    let items = query.parameters.sorted { $0.key < $1.key }
      .map { "\(Self.encoded($0.key))=\(Self.encoded($0.value))" }
    var text = url.absoluteString
    while text.hasSuffix("/") { text.removeLast() }
    text += "/" + path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    // Made of unreserved characters and a URL: it is one.
    var request = URLRequest(url: URL(string: text) ?? url, cachePolicy: .reloadIgnoringLocalCacheData)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    if query.isRefresh { request.setValue("no-cache", forHTTPHeaderField: "Cache-Control") }
    if let slot = query.slot { request.setValue(slot, forHTTPHeaderField: "Listway-Slot") }
    if let content = query.content {
      request.httpMethod = "POST"
      request.httpBody = content.data
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    return request
  }

  /// All but the unreserved characters, percent-encoded (RFC 3986 §2.3).
  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
