/// Several sections in one answer, each an envelope of its own: one that failed does not fail the others.
public struct Screen: Sendable {
  /// The sections' names, in the screen's order.
  public let sections: [String]
  public let warnings: [String]
  public let requestID: String
  private let envelopes: [String: RawJSON]

  init(_ envelope: Envelope) throws(ListwayError) {
    var scanner = JSONScanner(envelope.body.data)
    do throws(JSONScanner.Failure) {
      let members = try scanner.object()
      sections = members.map(\.name)
      envelopes = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
    } catch {
      throw .notAnEnvelope(httpStatus: 200, detail: "body is not an object (byte \(error.offset))")
    }
    warnings = envelope.header.warnings ?? []
    requestID = envelope.header.requestId ?? ""
  }

  /// A list's section; its ``Slice/next`` goes on at the list itself.
  ///
  /// - Throws: ``ListwayError/failed(_:)`` where the section failed.
  public func slice<Item: Decodable & Sendable>(
    _ section: String, of item: Item.Type
  ) throws(ListwayError) -> Slice<Item> {
    try Slice(try envelope(section)) { json throws(ListwayError) in try json.decoded(as: Item.self) }
  }

  /// A call's section.
  public func body<Body: Decodable>(_ section: String, as body: Body.Type) throws(ListwayError) -> Body {
    try envelope(section).body.decoded(as: Body.self)
  }

  /// The parameters that a list's section was asked with: what its ``Slice/next`` is to be asked with too.
  public func parameters(_ section: String) throws(ListwayError) -> [String: String] {
    try envelope(section).header.parameters ?? [:]
  }

  private func envelope(_ section: String) throws(ListwayError) -> Envelope {
    guard let json = envelopes[section] else {
      throw .notAnEnvelope(httpStatus: 200, detail: "no section \(section)")
    }
    return try Envelope(json.data, httpStatus: 200, fields: [:])
  }
}
