internal import HTTPSemantics

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
    }
    self.init(checked: text, kind: kind)
  }

  private static func string(_ text: [UInt8]) -> String { String(decoding: text, as: UTF8.self) }

  /// - Precondition: both are of one kind.
  static func < (left: ParameterValue, right: ParameterValue) -> Bool {
    switch left.kind {
    case .integer: (Int128(string(left.text)) ?? 0) < (Int128(string(right.text)) ?? 0)
    case .number: (Double(string(left.text)) ?? 0) < (Double(string(right.text)) ?? 0)
    case .string, .boolean, .date: left.text.lexicographicallyPrecedes(right.text)
    }
  }
}
