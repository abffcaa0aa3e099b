import JSON

/// Puts values into JSON content that was not made with places for them.
enum JSONPlacing {
  /// Content with `value` at `pointer`: in the place of what is there, or as a new member, with the objects on the way that
  /// are missing. Content that has no room for it (a scalar or an array on the way) stays as it is.
  ///
  /// - Parameter value: JSON text.
  static func placing(_ value: [UInt8], at pointer: Pointer, in content: [UInt8]) -> [UInt8] {
    guard let document = try? Parser(maximumDepth: PageSource.maximumDepth).parse(Bytes(copying: content))
    else {
      return content
    }
    if let node = document.node(at: pointer) {
      return replacing(document.range(of: node), of: content, with: value)
    }
    var object = document.root
    var names = pointer.tokens.map { pointer.name(of: $0) }
    while names.count > 1, let inner = document.value(named: names[0], in: object) {
      // A null on the way makes room for an object.
      if document.isNull(inner) {
        return replacing(document.range(of: inner), of: content, with: nested(names.dropFirst(), value))
      }
      object = inner
      names.removeFirst()
    }
    guard document.kind(of: object) == .object, !names.isEmpty else { return content }
    let end = document.range(of: object).upperBound - 1
    var member: [UInt8] = document.count(of: object) == 0 ? [] : [UInt8(ascii: ",")]
    // The new member without the braces around it.
    member += nested(names[...], value).dropFirst().dropLast()
    return replacing(end..<end, of: content, with: member)
  }

  /// `{"a":{"b":value}}`
  private static func nested(_ names: ArraySlice<String>, _ value: [UInt8]) -> [UInt8] {
    guard let name = names.first else { return value }
    var writer = Writer(reserving: name.utf8.count + 2)
    writer.string(repairing: Array(name.utf8))
    return [UInt8(ascii: "{")] + writer.finish() + [UInt8(ascii: ":")] + nested(names.dropFirst(), value) + [
      UInt8(ascii: "}")
    ]
  }

  private static func replacing(_ range: Range<Int>, of content: [UInt8], with value: [UInt8]) -> [UInt8] {
    content[..<range.lowerBound] + value + content[range.upperBound...]
  }
}
