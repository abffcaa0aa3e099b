internal import HTTPSemantics
package import JSON

extension Parameter {
  /// Reads what a client or the configuration gives for this parameter.
  ///
  /// - Returns: nil where it is malformed, out of bounds or not among the allowed; ``expectation`` says what is.
  package func value(of text: ArraySlice<UInt8>) -> ParameterValue? {
    guard let value = ParameterValue(Array(text), kind: kind) else { return nil }
    guard allowed.isEmpty || allowed.contains(value) else { return nil }
    if kind == .string {
      let length = text.count { $0 & 0xC0 != 0x80 }
      return length >= minLength && length <= maxLength ? value : nil
    }
    if let minimum, value < minimum { return nil }
    if let maximum, maximum < value { return nil }
    return value
  }

  /// What is allowed, to follow "must be": `a whole number from 1 to 12`.
  package var expectation: String {
    if !allowed.isEmpty {
      return "one of \(allowed.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: ", "))"
    }
    let noun =
      switch kind {
      case .string: "text of \(minLength == 0 ? "at most" : "\(minLength) to") \(maxLength) characters"
      case .integer: "a whole number"
      case .number: "a number"
      case .boolean: "true or false"
      case .date: "a date, YYYY-MM-DD,"
      case .object, .array: "\(kind.withArticle) as JSON"
      }
    let lower = minimum.map { String(decoding: $0.text, as: UTF8.self) }
    let upper = maximum.map { String(decoding: $0.text, as: UTF8.self) }
    switch (lower, upper) {
    case (let lower?, let upper?): return "\(noun) from \(lower) to \(upper)"
    case (let lower?, nil): return "\(noun) not below \(lower)"
    case (nil, let upper?): return "\(noun) not above \(upper)"
    case (nil, nil): return kind == .date ? "a date, YYYY-MM-DD" : noun
    }
  }
}

extension ParameterValue {
  /// Reads one value of a kind.
  ///
  /// - Returns: nil where `text` is not one: invalid UTF-8 or a NUL in a string, an integer beyond 38 digits, a number
  ///   beyond 64 characters or the range of a Double, a date that no calendar has.
  package init?(_ text: [UInt8], kind: Parameter.Kind) {
    switch kind {
    case .string:
      guard !text.contains(0), String(validating: text, as: UTF8.self) != nil else { return nil }
    case .integer:
      guard text.count <= 39, Grammar.isInteger(text), text != Array("-0".utf8),
        Int128(Self.string(text)) != nil
      else { return nil }
    case .number:
      guard text.count <= 64, Grammar.isNumber(text), let value = Double(Self.string(text)), value.isFinite
      else { return nil }
    case .boolean:
      guard text == Array("true".utf8) || text == Array("false".utf8) else { return nil }
    case .date:
      guard CivilDate(iso: text) != nil else { return nil }
    case .object, .array:
      let parser = Parser(maximumDepth: Self.maximumDepth)
      guard let document = try? parser.parse(Bytes(copying: text)),
        document.kind(of: document.root) == (kind == .object ? .object : .array)
      else { return nil }
      self.init(checked: document.bytes[document.range(of: document.root)], kind: kind)
      return
    }
    self.init(checked: text, kind: kind)
  }

  /// Brackets open at once in an object or an array.
  package static let maximumDepth = 128

  private static func string(_ text: [UInt8]) -> String { String(decoding: text, as: UTF8.self) }

  /// - Precondition: both are of one kind.
  static func < (left: ParameterValue, right: ParameterValue) -> Bool {
    switch left.kind {
    case .integer: (Int128(string(left.text)) ?? 0) < (Int128(string(right.text)) ?? 0)
    case .number: (Double(string(left.text)) ?? 0) < (Double(string(right.text)) ?? 0)
    case .string, .boolean, .date, .object, .array: left.text.lexicographicallyPrecedes(right.text)
    }
  }
}

// MARK: From JSON

extension Parameter {
  /// Reads what a client gives for this parameter in a JSON document: a string or a date as a string, the others as what
  /// they are.
  ///
  /// - Returns: nil as ``value(of:)`` does, and where the JSON type is another.
  package func value(of node: Node, in document: Document) -> ParameterValue? {
    let found = document.kind(of: node)
    let isExpected =
      switch kind {
      case .string, .date: found == .string
      case .integer, .number: found == .number
      case .boolean: found == .bool
      case .object: found == .object
      case .array: found == .array
      }
    guard isExpected else { return nil }
    if kind.isStructured {
      let value = ParameterValue(checked: document.bytes[document.range(of: node)], kind: kind)
      return allowed.isEmpty || allowed.contains(value) ? value : nil
    }
    var text: [UInt8] = []
    guard document.appendText(of: node, to: &text) else { return nil }
    return value(of: text[...])
  }
}
