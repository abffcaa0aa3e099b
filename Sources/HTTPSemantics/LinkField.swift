/// The `Link` field (RFC 8288 §3 and appendix B), read as servers write it.
///
/// What cannot be read, a target without brackets or a parameter without an end, is passed over up to the next
/// comma; the links around it are kept.
package enum LinkField {
  /// The target of the first link with `relation` (lower case) about the document itself, over all `Link` fields.
  package static func target(_ relation: String, in fields: Fields) -> [UInt8]? {
    for value in fields.values(.link) {
      let links = parse(value.span)
      if let link = links.first(where: { $0.relations.contains(relation) && $0.isAboutThisDocument }) {
        return link.target
      }
    }
    return nil
  }

  /// All links of one field value, at most 256.
  package static func parse(_ value: Span<UInt8>) -> [Link] {
    var links: [Link] = []
    var position = 0
    while links.count < 256 {
      while position < value.count, value[position].isOWS || value[position] == UInt8(ascii: ",") {
        position += 1
      }
      guard position < value.count else { return links }
      guard value[position] == UInt8(ascii: "<"), let end = endOfTarget(value, from: position + 1) else {
        position = endOfLink(value, from: position)
        continue
      }
      let target = value.trimmed(position + 1..<end)
      position = end + 1
      let (relations, parameters) = readParameters(value, &position)
      var bytes: [UInt8] = []
      bytes.append(target, of: value)
      links.append(Link(target: bytes, relations: relations, parameters: parameters))
    }
    return links
  }

  /// The `>` that ends a target: the first that is followed by `;`, `,` or the end, so that one inside a careless
  /// URL does not cut it short. A `<` before it means that the bracket was never closed.
  private static func endOfTarget(_ value: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    while index < value.count, value[index] != UInt8(ascii: "<") {
      if value[index] == UInt8(ascii: ">") {
        var after = index + 1
        while after < value.count, value[after].isOWS { after += 1 }
        if after == value.count || value[after] == UInt8(ascii: ";") || value[after] == UInt8(ascii: ",") {
          return index
        }
      }
      index += 1
    }
    return nil
  }

  /// The comma before the next link, for what cannot be read: one followed by `<`, outside quotes that do close.
  private static func endOfLink(_ value: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < value.count {
      if value[index] == UInt8(ascii: "\""), let end = value.endOfQuotedString(from: index, to: value.count) {
        index = end
        continue
      }
      if value[index] == UInt8(ascii: ",") {
        var after = index + 1
        while after < value.count, value[after].isOWS { after += 1 }
        if after == value.count || value[after] == UInt8(ascii: "<") { return index }
      }
      index += 1
    }
    return index
  }

  /// The parameters from `;` to the comma that ends the link. Bytes that belong to none are passed over.
  private static func readParameters(_ value: Span<UInt8>, _ position: inout Int) -> (
    [String], [Link.Parameter]
  ) {
    var relations: [String]?
    var parameters: [Link.Parameter] = []
    while position < value.count, value[position] != UInt8(ascii: ",") {
      guard value[position] == UInt8(ascii: ";") else {
        position += 1
        continue
      }
      position += 1
      guard let parameter = readParameter(value, &position) else { continue }
      if parameter.name == "rel" {
        // RFC 8288 §3.3: a second rel is ignored.
        if relations == nil { relations = splitRelations(parameter.value) }
      } else if parameters.count < 64 {
        parameters.append(parameter)
      }
    }
    return (relations ?? [], parameters)
  }

  private static func readParameter(_ value: Span<UInt8>, _ position: inout Int) -> Link.Parameter? {
    skipWhiteSpace(value, &position)
    let nameStart = position
    while position < value.count, value[position].isToken { position += 1 }
    let name = lowercasedText(value, nameStart..<position)
    skipWhiteSpace(value, &position)
    guard !name.isEmpty else { return nil }
    guard position < value.count, value[position] == UInt8(ascii: "=") else {
      return Link.Parameter(name: name, value: "")
    }
    position += 1
    skipWhiteSpace(value, &position)
    if position < value.count, value[position] == UInt8(ascii: "\""),
      let end = value.endOfQuotedString(from: position, to: value.count)
    {
      defer { position = end }
      return Link.Parameter(name: name, value: unescaped(value, position + 1..<end - 1))
    }
    // Unquoted, or a quote that never closes, which then is taken as far as the value may go.
    if position < value.count, value[position] == UInt8(ascii: "\"") { position += 1 }
    let start = position
    while position < value.count, value[position] != UInt8(ascii: ";"), value[position] != UInt8(ascii: ",") {
      position += 1
    }
    var bytes: [UInt8] = []
    bytes.append(value.trimmed(start..<position), of: value)
    return Link.Parameter(name: name, value: String(decoding: bytes, as: UTF8.self))
  }

  private static func skipWhiteSpace(_ value: Span<UInt8>, _ position: inout Int) {
    while position < value.count, value[position].isOWS { position += 1 }
  }

  private static func lowercasedText(_ value: Span<UInt8>, _ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    for index in range { bytes.append(value[index].lowercased) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ value: Span<UInt8>, _ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if value[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound { index += 1 }
      bytes.append(value[index])
      index += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func splitRelations(_ text: String) -> [String] {
    text.utf8.split { $0 == 0x20 || $0 == 0x09 }
      .map { String(decoding: $0.map(\.lowercased), as: UTF8.self) }
  }
}
