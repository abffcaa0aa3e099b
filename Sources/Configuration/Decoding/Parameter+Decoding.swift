internal import Access
internal import JSON

extension Parameter {
  static var keys: [Schema.Key] {
    [
      Schema.Key(
        "type", .words(Kind.self),
        "What its values are; a date is YYYY-MM-DD, an object or an array (of a call) JSON. Default: string."),
      Schema.Key("required", .boolean, "Whether a request without it is refused. Default: false."),
      Schema.Key(
        "default", .scalar, "Taken where a request does not give it. Default: the parameter stays away."),
      Schema.Key("enum", .sequence(.scalar, count: 1...1000), "The only values allowed."),
      Schema.Key("min", .scalar, "The least value, for integers, numbers and dates."),
      Schema.Key("max", .scalar, "The greatest value, for integers, numbers and dates."),
      Schema.Key("minLength", .integer(0...longest), "Characters at least, for strings. Default: 0."),
      Schema.Key("maxLength", .integer(0...longest), "Characters at most, for strings. Default: \(longest)."),
      Schema.Key("description", .text(.prose), "For the catalogue and the API description."),
      Schema.Key(
        "from", .words(Origin.self),
        "Where its value comes from: the request, or the client's token. Default: request."),
      Schema.Key(
        "claim", .text(.prose),
        "For from: token, the claim: its name, or a JSON Pointer. Default: the parameter's name."),
    ]
  }

  fileprivate enum Origin: String, CaseIterable { case request, token }

  /// What declares parameters.
  enum Owner: String {
    case list, call, screen

    /// Names that each of them has already.
    var reserved: [String] { self == .list ? ["limit", "cursor", "debug"] : ["debug"] }
  }

  /// - Parameter access: what a client must show before it is served: a token, where values come from its claims.
  static func decode(all section: Section, of owner: Owner, _ access: Requirement) -> ParameterTable {
    var declared: [(name: String, mark: Mark, parameter: Parameter?)] = []
    for entry in section.sections("parameters") {
      if owner.reserved.contains(entry.name) {
        section.decoding.fault(
          entry.mark, section.path("parameters"),
          "\(entry.name) is a parameter that every \(owner.rawValue) has; choose another name")
      }
      let parameter = decode(entry.section, name: entry.name, access)
      if let parameter, parameter.kind.isStructured, owner == .list {
        entry.section.fault(
          "type",
          "an \(parameter.kind.rawValue) is for calls; a list's parameters are text, for they are in its cursors"
        )
      }
      declared.append((entry.name, entry.mark, parameter))
    }
    return ParameterTable(declared)
  }

  private static func decode(_ section: Section, name: String, _ access: Requirement) -> Parameter? {
    let before = section.decoding.faults.count
    let kind = section.word("type", Kind.self) ?? .string
    let claim = claim(section, name: name, access)
    let isRequired = section.boolean("required") ?? (claim != nil)
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
    var parameter = Parameter(
      name: name, kind: kind, isRequired: isRequired, defaultValue: defaultValue, allowed: allowed,
      minimum: minimum,
      maximum: maximum, minLength: minLength, maxLength: maxLength, description: limited.description)
    parameter.claim = claim
    return parameter
  }

  /// The claim that it comes from; nil where a client gives it. Without that claim nothing is asked upstream: a request
  /// that a value narrows to one tenant would without it be everybody's.
  private static func claim(_ section: Section, name: String, _ access: Requirement) -> Pointer? {
    guard section.word("from", Origin.self) == .token else {
      if section.has("claim") { section.fault("claim", "it needs from: token") }
      return nil
    }
    if access.kind != .token {
      section.fault("from", "a value from the token needs a list whose access requires a token")
    }
    for key in ["required", "default"] where section.has(key) {
      section.fault(key, "a value from the token is always there; remove this key")
    }
    let text = section.prose("claim") ?? name
    if let pointer = Pointer(claim: text) { return pointer }
    section.fault("claim", "\(Quoted(text)) is neither a claim's name nor a JSON Pointer")
    return nil
  }

  func value(of node: ConfigurationNode, _ path: String, _ decoding: Decoding) -> ParameterValue? {
    guard let text = decoding.resolve(node, path, expected: expectation) else { return nil }
    if let value = value(of: Array(text.text.utf8)[...]),
      text.isPlain || kind == .string || kind == .date || kind.isStructured
    {
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
      section.fault(name, "\(name) is for integers, numbers and dates, and this is \(kind.withArticle)")
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
        name, "\(name) is for strings, and this is \(kind.withArticle)")
    }
    return length
  }
}
