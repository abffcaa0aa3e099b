import Configuration
import HTTPSemantics
import JSON

/// Reads the values that a client gives for declared parameters. What is unknown, repeated, missing or malformed is an
/// error that names it and says what is allowed: nothing is ignored, and nothing is passed on unread.
struct ArgumentReader {
  private let parameters: [Parameter]
  private let allowsDebug: Bool
  private var arguments: Arguments
  /// Whether the upstream's raw answer is wanted too; nil where the client does not say.
  private var debug: Bool?

  init(_ parameters: [Parameter], allowingDebug: Bool) {
    self.parameters = parameters
    allowsDebug = allowingDebug
    arguments = Arguments(Array(repeating: nil, count: parameters.count))
  }

  var isDebug: Bool { debug ?? false }

  /// Reads the query.
  mutating func take(_ target: Target) throws(GatewayError) {
    for index in 0..<target.parameterCount {
      let parameter = target.parameter(index)
      if allowsDebug, parameter.name.equals("debug") {
        try takeDebug(parameter.value)
      } else {
        try take(parameter.name, parameter.value)
      }
    }
  }

  /// Reads one parameter that is given as text.
  mutating func take(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(GatewayError) {
    let position = try position(of: name.text)
    guard let checked = parameters[position].value(of: value) else {
      throw Self.malformed(parameters[position], found: value.text)
    }
    arguments.values[position] = checked
  }

  /// Reads one parameter that is a member of a JSON object. Null is as good as none.
  mutating func take(_ name: String, _ node: Node, of document: Document) throws(GatewayError) {
    let position = try position(of: name)
    if document.isNull(node) { return }
    guard let checked = parameters[position].value(of: node, in: document) else {
      let range = document.range(of: node)
      let found = document.bytes[range.lowerBound..<min(range.upperBound, range.lowerBound + 200)]
      throw Self.malformed(parameters[position], found: String(decoding: found, as: UTF8.self))
    }
    arguments.values[position] = checked
  }

  /// The values, the defaults of those that were not given among them.
  consuming func finish() throws(GatewayError) -> Arguments {
    for (position, parameter) in parameters.enumerated() where arguments.values[position] == nil {
      if parameter.isRequired {
        throw Self.invalid(parameter.name, .missingParameter(parameter.name, expected: parameter.expectation))
      }
      arguments.values[position] = parameter.defaultValue
    }
    return arguments
  }

  private func position(of name: String) throws(GatewayError) -> Int {
    guard let position = parameters.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      let allowed = parameters.map(\.name) + (allowsDebug ? ["debug"] : [])
      throw Self.invalid(name, .unknownParameter(name, allowed: allowed))
    }
    if arguments.values[position] != nil { throw Self.invalid(name, .repeatedParameter(name)) }
    return position
  }

  private mutating func takeDebug(_ value: ArraySlice<UInt8>) throws(GatewayError) {
    if debug != nil { throw Self.invalid("debug", .repeatedParameter("debug")) }
    if value.equals("1") || value.equals("true") {
      debug = true
    } else if value.equals("0") || value.equals("false") {
      debug = false
    } else {
      throw Self.invalid("debug", .invalidParameter("debug", found: value.text, expected: "0 or 1"))
    }
  }

  private static func malformed(_ parameter: Parameter, found: String) -> GatewayError {
    invalid(
      parameter.name, .invalidParameter(parameter.name, found: found, expected: parameter.expectation))
  }

  static func invalid(_ name: String, _ message: Message) -> GatewayError {
    let error = GatewayError(.invalidRequest, message, detail: "a parameter")
    error.parameter = name
    return error
  }
}
