internal import HTTPSemantics

/// Header fields of a request.
enum HeaderFields {
  /// What the connection, the transport and the content decide.
  private static let reserved: [FieldName] = [
    "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "TE", "Trailer", "Keep-Alive",
    "Proxy-Connection",
    "Accept-Encoding", "Expect",
  ]

  /// Reads the `headers` of `section`.
  static func decode(_ section: Section, table: ParameterTable) -> [RequestTemplate.HeaderField] {
    var fields: [RequestTemplate.HeaderField] = []
    for entry in section.named("headers") {
      guard let name = FieldName(validating: entry.name) else { continue }
      if reserved.contains(name) {
        section.decoding.fault(entry.mark, section.path("headers"), "\(entry.name) is Listway's own to send")
        continue
      }
      if fields.contains(where: { $0.name == name }) {
        section.decoding.fault(
          entry.mark, section.path("headers"),
          "\(entry.name) is here twice; case does not count in field names")
        continue
      }
      guard let text = section.decoding.resolve(entry.node, entry.path, expected: "a text"),
        let pieces = table.pieces(of: text, entry.path, in: section.decoding)
      else { continue }
      if text.text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
        section.decoding.fault(
          entry.mark, entry.path,
          "the value has a line break or another control character; a header field cannot")
        continue
      }
      fields.append(RequestTemplate.HeaderField(name: name, value: Template(pieces, for: .header)))
    }
    return fields
  }
}
