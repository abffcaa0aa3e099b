extension Section {
  func boolean(_ name: String) -> Bool? {
    guard case .boolean = shape(name) else { preconditionFailure("\(path(name)) is no boolean") }
    guard let text = text(name, expected: "true or false") else { return nil }
    switch text.text {
    case "true" where text.isPlain: return true
    case "false" where text.isPlain: return false
    case "true", "false": fault(name, "\(text.shown) as a text; write it without quotation marks")
    default:
      let meant = text.isOutside ? nil : Self.boolean(meantBy: text.text)
      fault(name, "\(text.shown); only true and false are allowed\(suggestion(meant))")
    }
    return nil
  }

  /// YAML 1.1 and people have more words for true and false.
  static func boolean(meantBy text: String) -> String? {
    switch text.lowercased() {
    case "yes", "on", "y", "1", "true", "t": "true"
    case "no", "off", "n", "0", "false", "f": "false"
    default: nil
    }
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let range) = shape(name) else { preconditionFailure("\(path(name)) is no integer") }
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard let text = text(name, expected: expected) else { return nil }
    guard Grammar.isInteger(text.text.utf8), let value = Int(text.text) else {
      let number = text.isOutside ? nil : Self.wholeNumber(meantBy: text.text)
      fault(name, "\(text.shown); \(expected) is expected\(suggestion(number))")
      return nil
    }
    guard text.isPlain else {
      fault(name, "\(text.shown) as a text; write it without quotation marks")
      return nil
    }
    guard range.contains(value) else {
      fault(name, "\(text.shown); \(expected) is expected")
      return nil
    }
    return value
  }

  /// `1_000`, `+5` and `080` are whole numbers to some readers of YAML.
  private static func wholeNumber(meantBy text: String) -> String? {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "0") }
    let kept = digits.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: ",") }
    return Grammar.isInteger(kept) ? String(decoding: kept, as: UTF8.self) : nil
  }

  func number(_ name: String) -> Double? {
    guard case .number(let range) = shape(name) else { preconditionFailure("\(path(name)) is no number") }
    let expected = "a number from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
    guard let text = text(name, expected: expected) else { return nil }
    guard text.isPlain, Grammar.isNumber(text.text.utf8), let value = Double(text.text), range.contains(value)
    else {
      fault(name, "\(text.shown); \(expected) is expected")
      return nil
    }
    return value
  }

  private static func short(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
  }

  func duration(_ name: String) -> Duration? {
    guard case .duration(let range) = shape(name) else { preconditionFailure("\(path(name)) is no duration") }
    let bounds = "from \(Units.text(range.lowerBound)) to \(Units.text(range.upperBound))"
    let expected = "a duration \(bounds)"
    guard let text = text(name, expected: expected) else { return nil }
    switch Units.duration(text.text) {
    case .value(let value) where range.contains(value): return value
    case .value: fault(name, "\(text.shown); \(expected) is expected")
    case .malformed(let meant):
      fault(
        name,
        "\(text.shown); \(expected) is expected: a whole number with a unit (ms, s, m, h, d)"
          + suggestion(text.isOutside ? nil : meant ?? Self.withUnit(text.text, "s")))
    }
    return nil
  }

  func size(_ name: String) -> Int? {
    guard case .size(let range) = shape(name) else { preconditionFailure("\(path(name)) is no size") }
    let expected =
      "a size from \(Units.text(bytes: range.lowerBound)) to \(Units.text(bytes: range.upperBound))"
    guard let text = text(name, expected: expected) else { return nil }
    switch Units.size(text.text) {
    case .value(let value) where range.contains(value): return value
    case .value: fault(name, "\(text.shown); \(expected) is expected")
    case .malformed(let meant):
      fault(
        name,
        "\(text.shown); \(expected) is expected: a whole number with a unit (B, kB, MB, GB, KiB, MiB, GiB)"
          + suggestion(text.isOutside ? nil : meant ?? Self.withUnit(text.text, "B")))
    }
    return nil
  }

  private static func withUnit(_ number: String, _ unit: String) -> String? {
    Grammar.isInteger(number.utf8) ? number + unit : nil
  }

  /// One of the words of an enumeration.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, _ type: Word.Type) -> Word? {
    guard case .word(let words) = shape(name) else { preconditionFailure("\(path(name)) is no word") }
    precondition(words == Word.allCases.map(\.rawValue), "\(path(name)) has other words")
    guard let text = text(name, expected: "one of \(words.joined(separator: ", "))") else { return nil }
    if let word = Word(rawValue: text.text) { return word }
    let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: words)
    fault(name, "\(text.shown); allowed: \(words.joined(separator: ", "))\(suggestion(nearest))")
    return nil
  }

  /// The words of a list, in its order, each with its place. What is none of them is a fault, and left out.
  func words<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) -> [(word: Word, node: ConfigurationNode, path: String)] {
    let words = Word.allCases.map(\.rawValue)
    let expected = "one of \(words.joined(separator: ", "))"
    return elements(name).compactMap { node, path in
      guard let text = decoding.resolve(node, path, expected: expected) else { return nil }
      if let word = Word(rawValue: text.text) { return (word, node, path) }
      let nearest = Nearest.word(to: text.text, of: words)
      decoding.fault(node.mark, path, "\(text.shown); \(expected) is expected\(suggestion(nearest))")
      return nil
    }
  }

  /// Prose: a title or a description, at most 4,096 bytes. `file:` in it means nothing.
  func prose(_ name: String) -> String? {
    guard case .text(.prose) = shape(name) else { preconditionFailure("\(path(name)) is no prose") }
    guard let node = node(name),
      let text = decoding.resolve(node, path(name), expected: "a text", files: false)
    else { return nil }
    guard text.text.utf8.count <= 4096 else {
      fault(name, "the text has \(text.text.utf8.count) bytes; 4096 are allowed")
      return nil
    }
    return text.text
  }

  /// A text whose grammar the caller checks.
  func text(_ name: String, expected: String) -> ResolvedText? {
    guard let node = node(name) else { return nil }
    return decoding.resolve(node, path(name), expected: expected)
  }
}

extension Schema {
  static func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> Schema {
    .word(Word.allCases.map(\.rawValue))
  }
}
