import JSON

/// A number of items or pages, as upstreams write it.
enum Count: Equatable {
  /// Nothing, null, or a negative number, which stands for unknown.
  case unknown
  case exactly(Int)
  case atLeast(Int)
  /// Something is there, but it is no count.
  case unreadable

  /// The largest that is believed.
  static let maximum = Place.maximumIndex
}

extension Count {
  init(_ finding: Finding, in document: Document) {
    switch finding {
    case .nothing: self = .unknown
    case .text(let text): self = Count(text: text.span)
    case .node(let node): self.init(node, in: document)
    }
  }

  private init(_ node: Node, in document: Document) {
    switch document.kind(of: node) {
    case .null: self = .unknown
    case .number: self = document.integer(of: node).map { Count(number: $0) } ?? .unreadable
    case .string:
      self =
        unsafe document.withText(of: node) { unsafe Count(text: $0.bindMemory(to: UInt8.self).span) }
        ?? .unknown
    case .object: self.init(object: node, in: document)
    case .array, .bool: self = .unreadable
    }
  }

  /// Elasticsearch's `{"value": 10000, "relation": "gte"}`.
  private init(object: Node, in document: Document) {
    guard let value = document.value(named: "value", in: object),
      case .exactly(let number) = Count(value, in: document)
    else {
      self = .unreadable
      return
    }
    let relation = document.value(named: "relation", in: object)
    let isExact = relation.map { document.text(of: $0, equals: Array("eq".utf8)) } ?? true
    self = isExact ? .exactly(number) : .atLeast(number)
  }

  private init(number: Int) {
    self = number < 0 ? .unknown : number <= Count.maximum ? .exactly(number) : .unreadable
  }

  /// Digits, with separators between groups of three, or a fraction of zeros; and `items 0-24/573`, where the number behind
  /// the slash counts. `*` and nothing are unknown.
  init(text: Span<UInt8>) {
    var start = 0
    for index in 0..<text.count where text[index] == UInt8(ascii: "/") { start = index + 1 }
    while start < text.count, text[start] <= 0x20 { start += 1 }
    var end = text.count
    while end > start, text[end - 1] <= 0x20 { end -= 1 }
    if start == end || end - start == 1 && text[start] == UInt8(ascii: "*")
      || text[start] == UInt8(ascii: "-")
    {
      self = .unknown
      return
    }
    self = Count.digits(text, start..<end).map { Count(number: $0) } ?? .unreadable
  }

  private static func digits(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var number = 0
    var groupLength: Int?
    for index in range {
      let byte = text[index]
      if byte &- 0x30 < 10 {
        if number > maximum { return nil }
        number = number * 10 + Int(byte &- 0x30)
        groupLength = groupLength.map { $0 + 1 }
      } else if byte == UInt8(ascii: ","), index > range.lowerBound, groupLength ?? 3 == 3 {
        groupLength = 0
      } else if byte == UInt8(ascii: "."), index > range.lowerBound, groupLength ?? 3 == 3 {
        for zero in index + 1..<range.upperBound where text[zero] != UInt8(ascii: "0") { return nil }
        return number
      } else {
        return nil
      }
    }
    return groupLength ?? 3 == 3 ? number : nil
  }
}
