import Access
import Configuration
import HTTPSemantics

/// What a client asks of a list, checked: nothing in here can be refused any more, the cursor excepted.
struct ListRequest {
  /// How much of the list.
  enum Extent {
    /// A slice: at most the list's `maxLimit` items.
    case slice
    /// All of it, or as many items as `limit` says.
    case whole
  }

  var arguments: Arguments
  /// Items wanted: 1 to the list's `maxLimit`, or any number of the whole.
  var limit: Int
  /// Whether the client asked for more than `maxLimit`.
  var isCapped: Bool
  var cursor: String?
  /// Whether the upstream's raw answer is wanted too.
  var isDebug: Bool

  /// Reads the query. What is unknown, repeated, missing or malformed is an error that names it and says what is allowed:
  /// nothing is ignored, and nothing is passed on unread.
  ///
  /// - Parameter principal: who asks; what is taken from a token cannot be given in the query.
  init(
    _ target: Target, of list: some Configuration.ListOffer, _ extent: Extent, by principal: Principal,
    allowingDebug: Bool
  ) throws(GatewayError) {
    // Whichever way leads here, a list is read by those alone that it is for.
    try list.access.admit(principal, refusal: nil)
    arguments = Arguments(Array(repeating: nil, count: list.parameters.count))
    limit = extent == .slice ? list.limit : .max
    isCapped = false
    isDebug = false
    var hasLimit = false
    var hasDebug = false
    for index in 0..<target.parameterCount {
      let (name, value) = (target.parameter(index).name, target.parameter(index).value)
      if name.equals("limit") {
        if hasLimit { throw Self.repeated("limit") }
        hasLimit = true
        try readLimit(value, upTo: extent == .slice ? list.maxLimit : nil)
      } else if name.equals("cursor") {
        if cursor != nil { throw Self.repeated("cursor") }
        cursor = value.text
      } else if allowingDebug && name.equals("debug") {
        if hasDebug { throw Self.repeated("debug") }
        hasDebug = true
        try readDebug(value)
      } else if try !Self.read(name, value, of: list, by: principal, into: &arguments) {
        var allowed =
          list.parameters.filter { $0.isGiven(by: principal) }.map(\.name) + ["limit", "cursor"]
        if allowingDebug { allowed.append("debug") }
        throw GatewayError.invalidParameter(name.text, .unknownParameter(name.text, allowed: allowed))
      }
    }
    try Self.complete(&arguments, of: list, by: principal)
  }

  /// A list's arguments alone, out of a query that has one other parameter.
  static func arguments(
    _ target: Target, of list: some Configuration.ListOffer, leavingOut other: StaticString
  ) throws(GatewayError) -> Arguments {
    var arguments = Arguments(Array(repeating: nil, count: list.parameters.count))
    for index in 0..<target.parameterCount {
      let (name, value) = (target.parameter(index).name, target.parameter(index).value)
      if name.equals(other) { continue }
      if try !read(name, value, of: list, by: .itself, into: &arguments) {
        throw GatewayError.invalidParameter(
          name.text, .unknownParameter(name.text, allowed: ["\(other)"] + list.parameters.map(\.name)))
      }
    }
    try complete(&arguments, of: list, by: .itself)
    return arguments
  }

  /// - Returns: false where the list has no such parameter.
  private static func read(
    _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, of list: some Configuration.ListOffer,
    by principal: Principal, into arguments: inout Arguments
  ) throws(GatewayError) -> Bool {
    let found = list.parameters.firstIndex {
      name.equals(text: $0.name) && $0.isGiven(by: principal)
    }
    guard let position = found else { return false }
    let parameter = list.parameters[position]
    if arguments.values[position] != nil { throw repeated(parameter.name) }
    guard let checked = parameter.value(of: value) else {
      throw GatewayError.invalidParameter(
        parameter.name,
        .invalidParameter(parameter.name, found: value.text, expected: parameter.expectation))
    }
    arguments.values[position] = checked
    return true
  }

  /// Puts defaults in for what was not given.
  private static func complete(
    _ arguments: inout Arguments, of list: some Configuration.ListOffer, by principal: Principal
  ) throws(GatewayError) {
    for (position, parameter) in list.parameters.enumerated() where arguments.values[position] == nil {
      if !parameter.isGiven(by: principal) {
        arguments.values[position] = try parameter.value(claimedBy: principal)
        continue
      }
      if parameter.isRequired {
        throw GatewayError.invalidParameter(
          parameter.name, .missingParameter(parameter.name, expected: parameter.expectation))
      }
      arguments.values[position] = parameter.defaultValue
    }
  }

  private mutating func readLimit(_ value: ArraySlice<UInt8>, upTo most: Int?) throws(GatewayError) {
    var number = 0
    for byte in value {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
        number = 0
        break
      }
      // Far above every maxLimit, and every list, it does not matter by how much.
      number = min(number * 10 + Int(byte - UInt8(ascii: "0")), 1_000_000_000_000)
    }
    guard number >= 1 else {
      throw GatewayError.invalidParameter(
        "limit",
        .invalidParameter(
          "limit", found: value.text, expected: "a whole number, 1 \(most.map { "to \($0)" } ?? "or more")"))
    }
    limit = min(number, most ?? number)
    isCapped = limit < number
  }

  private mutating func readDebug(_ value: ArraySlice<UInt8>) throws(GatewayError) {
    if value.equals("1") || value.equals("true") {
      isDebug = true
    } else if !value.equals("0") && !value.equals("false") {
      throw GatewayError.invalidParameter(
        "debug", .invalidParameter("debug", found: value.text, expected: "0 or 1"))
    }
  }

  private static func repeated(_ name: String) -> GatewayError {
    .invalidParameter(name, .repeatedParameter(name))
  }
}

extension Parameter {
  /// Whether it may stand in the query. The program itself has no token, and may say all.
  func isGiven(by principal: Principal) -> Bool {
    if claim == nil { return true }
    if case .itself = principal { return true }
    return false
  }

  /// What the client's token says.
  func value(claimedBy principal: Principal) throws(GatewayError) -> ParameterValue {
    guard let claim, case .token(let claims) = principal, let text = claims.value(at: claim),
      let value = value(of: text[...])
    else { throw .missingClaim(name) }
    return value
  }
}
