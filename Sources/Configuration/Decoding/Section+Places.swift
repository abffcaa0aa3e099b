internal import HTTPSemantics
internal import JSON
internal import Paging
internal import TextEncoding

extension Section {
  /// A text that is sent as it is.
  func field(_ name: String) -> String? {
    guard case .text(.field) = shape(name) else { preconditionFailure("\(path(name)) is no field") }
    return text(name, expected: "a text")?.text
  }

  func integers(_ name: String) -> [Int] {
    guard case .sequence(.integer(let range), _) = shape(name) else {
      preconditionFailure("\(path(name)): no integers")
    }
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return elements(name).compactMap { node, path in
      guard let text = decoding.resolve(node, path, expected: expected) else { return nil }
      if text.isPlain, Grammar.isInteger(text.text.utf8), let value = Int(text.text), range.contains(value) {
        return value
      }
      decoding.fault(node.mark, path, "\(text.shown); \(expected) is expected")
      return nil
    }
  }

  // MARK: Character sets

  func charset(_ name: String) -> Charset? {
    guard case .text(.charset) = shape(name) else { preconditionFailure("\(path(name)) is no character set") }
    let expected = Schema.TextKind.charset.rawValue
    guard let text = text(name, expected: expected) else { return nil }
    if let charset = Charset(label: text.text.utf8), Transcoder(charset.converterName(for: [])) != nil {
      return charset
    }
    fault(name, "\(text.shown); \(expected) is expected")
    return nil
  }

  // MARK: Pointers and locators

  func pointer(_ name: String) -> Pointer? {
    guard case .text(.pointer) = shape(name) else { preconditionFailure("\(path(name)) is no pointer") }
    return node(name).flatMap { pointer($0, path(name), orElse: "") }
  }

  /// One pointer or a list of them; nil where there is none or one is faulty.
  func pointers(_ name: String, orElse others: String = "") -> [Pointer]? {
    oneOrMore(name)?.reduce([]) { pointers, element in
      guard let pointer = pointer(element.node, element.path, orElse: others) else { return nil }
      return pointers.map { $0 + [pointer] }
    }
  }

  func pointer(_ node: ConfigurationNode, _ path: String, orElse others: String) -> Pointer? {
    let expected = Schema.TextKind.pointer.rawValue + others
    guard let text = decoding.resolve(node, path, expected: expected) else { return nil }
    if let pointer = try? Pointer(text.text) { return pointer }
    let meant = text.isOutside ? nil : Self.pointer(meantBy: text.text)
    let word = others.isEmpty || text.isOutside ? nil : Nearest.word(to: text.text, of: ["key", "none"])
    decoding.fault(node.mark, path, "\(text.shown); \(expected) is expected\(suggestion(word ?? meant))")
    return nil
  }

  func locator(_ name: String) -> Locator? {
    guard case .text(.locator) = shape(name) else { preconditionFailure("\(path(name)) is no locator") }
    return node(name).flatMap { locator($0, path(name)) }
  }

  /// One locator or a list of them.
  func locators(_ name: String) -> [Locator] {
    (oneOrMore(name) ?? []).compactMap { locator($0.node, $0.path) }
  }

  private func locator(_ node: ConfigurationNode, _ path: String) -> Locator? {
    let expected = Schema.TextKind.locator.rawValue
    guard let text = decoding.resolve(node, path, expected: expected) else { return nil }
    if let locator = try? Locator(text.text) {
      guard case .header(let name) = locator, FieldName(validating: name) == nil else { return locator }
    }
    let meant = text.isOutside ? nil : Self.pointer(meantBy: text.text)
    decoding.fault(node.mark, path, "\(text.shown); \(expected) is expected\(suggestion(meant))")
    return nil
  }

  /// `data.items` and `$.data.items` are ways to say `/data/items`.
  static func pointer(meantBy text: String) -> String? {
    let plain = text.hasPrefix("$.") ? text.dropFirst(2) : text[...]
    guard let first = plain.utf8.first, first != UInt8(ascii: "/"),
      plain.utf8.allSatisfy({ Grammar.isLetter($0) || Grammar.isDigit($0) || "_-@./".utf8.contains($0) })
    else { return nil }
    return "/" + String(plain.map { $0 == "." ? "/" : $0 })
  }

  private func oneOrMore(_ name: String) -> [(node: ConfigurationNode, path: String)]? {
    guard case .either(let shapes) = shape(name) else { preconditionFailure("\(path(name)) is one thing") }
    guard let node = node(name) else { return nil }
    guard case .sequence(let elements) = node.content else { return [(node, path(name))] }
    for case .sequence(_, let count) in shapes where !count.contains(elements.count) {
      fault(
        name,
        "the list has \(elements.count) elements; \(count.lowerBound) to \(count.upperBound) are allowed")
      return nil
    }
    return elements.enumerated().map { ($1, "\(path(name))[\($0)]") }
  }

  // MARK: Values to compare with

  func comparand(_ name: String) -> Scalar? {
    guard case .scalar = shape(name) else { preconditionFailure("\(path(name)) is no scalar") }
    return node(name).flatMap { comparand($0, path(name)) }
  }

  func comparands(_ name: String) -> [Scalar]? {
    let found = elements(name).compactMap { comparand($0.node, $0.path) }
    return found.isEmpty ? nil : found
  }

  private func comparand(_ node: ConfigurationNode, _ path: String) -> Scalar? {
    if case .scalar(let scalar) = node.content, scalar.isNull, !scalar.text.isEmpty { return .null }
    return decoding.resolve(node, path, expected: "a text, a number, true, false or null").map {
      .text($0.text)
    }
  }
}
