extension Parameter {
  static var keys: [Schema.Key] {
    [
      Schema.Key("type", .words(Kind.self), "What its values are; a date is YYYY-MM-DD. Default: string."),
      Schema.Key("required", .boolean, "Whether a request without it is refused. Default: false."),
      Schema.Key(
        "default", .scalar, "Taken where a request does not give it. Default: the parameter stays away."),
      Schema.Key("enum", .sequence(.scalar, count: 1...1000), "The only values allowed."),
      Schema.Key("min", .scalar, "The least value, for integers, numbers and dates."),
      Schema.Key("max", .scalar, "The greatest value, for integers, numbers and dates."),
      Schema.Key("minLength", .integer(0...longest), "Characters at least, for strings. Default: 0."),
      Schema.Key("maxLength", .integer(0...longest), "Characters at most, for strings. Default: \(longest)."),
      Schema.Key("description", .text(.prose), "For the catalogue and the API description."),
    ]
  }

  /// Names that every list has already.
  private static let reserved = ["limit", "cursor", "debug"]

  static func decode(all list: Section) -> ParameterTable {
    var declared: [(name: String, mark: Mark, parameter: Parameter?)] = []
    for entry in list.sections("parameters") {
      if reserved.contains(entry.name) {
        list.decoding.fault(
          entry.mark, list.path("parameters"),
          "\(entry.name) is a parameter that every list has; choose another name")
      }
      declared.append((entry.name, entry.mark, decode(entry.section, name: entry.name)))
    }
    return ParameterTable(declared)
  }

  private static func decode(_ section: Section, name: String) -> Parameter? {
    let before = section.decoding.faults.count
    let kind = section.word("type", Kind.self) ?? .string
    let isRequired = section.boolean("required") ?? false
    let minimum = bound("min", kind, section)
    let maximum = bound("max", kind, section)
    let minLength = length("minLength", kind, section) ?? 0
    let maxLength = length("maxLength", kind, section) ?? longest
    if let minimum, let maximum, maximum < minimum { section.fault("max", "it is below min") }
    if maxLength < minLength { section.fault("maxLength", "it is below minLength") }
    let bounded = Parameter(
      name: name, kind: kind, isRequired: isRequired, defaultValue: nil, allowed: [], minimum: minimum,
      maximum: maximum, minLength: minLength, maxLength: max(minLength, maxLength), description: nil)
    let allowed = section.elements("enum").compactMap { node, path in
      bounded.value(of: node, path, section.decoding)
    }
    let limited = Parameter(
      name: name, kind: kind, isRequired: isRequired, defaultValue: nil, allowed: allowed, minimum: minimum,
      maximum: maximum, minLength: minLength, maxLength: max(minLength, maxLength),
      description: section.prose("description"))
    let defaultValue = section.node("default").flatMap {
      limited.value(of: $0, section.path("default"), section.decoding)
    }
    if isRequired, section.has("default") {
      section.fault("default", "a required parameter has no use for a default; remove one of them")
    }
    section.end()
    guard section.decoding.faults.count == before else { return nil }
    return Parameter(
      name: name, kind: kind, isRequired: isRequired, defaultValue: defaultValue, allowed: allowed,
      minimum: minimum,
      maximum: maximum, minLength: minLength, maxLength: maxLength, description: limited.description)
  }

  private func value(of node: ConfigurationNode, _ path: String, _ decoding: Decoding) -> ParameterValue? {
    guard let text = decoding.resolve(node, path, expected: expectation) else { return nil }
    if let value = value(of: Array(text.text.utf8)[...]), text.isPlain || kind == .string || kind == .date {
      return value
    }
    let hint = value(of: Array(text.text.utf8)[...]) == nil ? "" : ", without quotation marks"
    let meant = kind == .boolean && !text.isOutside ? Section.boolean(meantBy: text.text) : nil
    decoding.fault(node.mark, path, "\(text.shown); \(expectation) is expected\(hint)\(suggestion(meant))")
    return nil
  }

  private static func bound(_ name: String, _ kind: Kind, _ section: Section) -> ParameterValue? {
    guard let node = section.node(name) else { return nil }
    guard [.integer, .number, .date].contains(kind) else {
      section.fault(name, "\(name) is for integers, numbers and dates, and this is a \(kind.rawValue)")
      return nil
    }
    let unbounded = Parameter(
      name: name, kind: kind, isRequired: false, defaultValue: nil, allowed: [], minimum: nil, maximum: nil,
      minLength: 0, maxLength: longest, description: nil)
    return unbounded.value(of: node, section.path(name), section.decoding)
  }

  private static func length(_ name: String, _ kind: Kind, _ section: Section) -> Int? {
    let length = section.integer(name)
    if kind != .string, section.has(name) {
      section.fault(
        name, "\(name) is for strings, and this is \(kind == .integer ? "an" : "a") \(kind.rawValue)")
    }
    return length
  }
}
