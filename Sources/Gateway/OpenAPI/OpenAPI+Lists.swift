import Configuration
import JSON

extension OpenAPI {
  /// The catalogue, and for each list a slice and the whole.
  func writeLists(into writer: inout Writer) {
    writer.catalogue(
      "/v1/lists", id: "catalogue", tag: "lists", summary: "Every list with its parameters and sizes",
      schema: "Catalogue")
    for list in configuration.offers {
      writer.object(named: "/v1/lists/\(list.name)") { writeSlice(of: list, into: &$0) }
      writer.object(named: "/v1/lists/\(list.name)/all") { writeWhole(of: list, into: &$0) }
    }
  }

  private func writeSlice(of list: any Configuration.ListOffer, into writer: inout Writer) {
    writer.object("get") {
      $0.operation("lists.\(list.name)", tag: "lists", summary: list.title ?? "A slice of \(list.name)")
      if let description = list.description { $0.member("description", description) }
      $0.array("parameters") {
        $0.limit(of: list)
        $0.reference("parameters/cursor")
        writeShared(list, into: &$0)
        $0.reference("parameters/slot")
        $0.reference("parameters/ifNoneMatch")
      }
      $0.object("responses") {
        $0.object("200") {
          $0.member("description", "A slice: at most `limit` items, in the order of the list.")
          $0.headers(Self.sliceHeaders)
          $0.content("application/json") {
            $0.key("schema")
            writeSliceSchema(of: list, into: &$0)
          }
        }
        $0.object("304") {
          $0.member("description", "The client has this slice already.")
          $0.headers(Self.sliceHeaders)
        }
        $0.failures([400, 404, 409, 410, 414, 422, 429, 431, 500, 502, 503, 504])
      }
    }
  }

  private static let sliceHeaders = [
    "X-Request-Id", "Cache-Control", "Cache-Status", "ETag", "Age", "Link", "Vary",
  ]

  private func writeWhole(of list: any Configuration.ListOffer, into writer: inout Writer) {
    writer.object("get") {
      $0.operation(
        "lists.\(list.name).all", tag: "lists", summary: "All of \(list.title ?? list.name), an item a line")
      $0.array("parameters") {
        $0.object {
          $0.parameter("limit", "How many items at most; all without it.")
          $0.object("schema") { $0.positiveInteger() }
        }
        $0.reference("parameters/cursor")
        writeShared(list, into: &$0)
      }
      $0.object("responses") {
        $0.object("200") {
          $0.member(
            "description",
            "The items, a line each; the last line is the outcome, which tells whether that is all and where to go on."
          )
          $0.headers(["X-Request-Id", "Cache-Control", "Cache-Status", "Vary"])
          $0.content("application/x-ndjson") {
            $0.object("schema") { $0.member("type", "string") }
            $0.member(
              "example",
              #"{"id":1}"# + "\n"
                + #"{"status":0,"header":{"list":"\#(list.name)","count":1,"total":1,"pageCount":1,"complete":true,"requestId":"\#(Self.exampleID)","warnings":[]},"body":null,"message":"ok"}"#
                + "\n")
          }
        }
        $0.failures([400, 404, 410, 414, 422, 429, 431, 500, 502, 503, 504])
      }
    }
  }

  /// What a list takes, whether by slices or whole.
  private func writeShared(_ list: any Configuration.ListOffer, into writer: inout Writer) {
    if configuration.debug { writer.reference("parameters/debug") }
    writer.declared(list.parameters)
  }
}

extension Writer {
  /// The members that every operation has.
  mutating func operation(_ id: String, tag: String, summary: String) {
    member("operationId", id)
    strings("tags", [tag])
    member("summary", summary)
  }

  /// A query parameter's members but its schema.
  mutating func parameter(_ name: String, _ description: String?, isRequired: Bool = false) {
    member("name", name)
    member("in", "query")
    if isRequired { member("required", true) }
    if let description { member("description", description) }
  }

  mutating func positiveInteger() {
    member("type", "integer")
    member("minimum", 1)
  }

  fileprivate mutating func limit(of list: any Configuration.ListOffer) {
    object {
      $0.parameter(
        "limit", "Items at most. More than \(list.maxLimit) are taken as \(list.maxLimit), with a warning.")
      $0.object("schema") {
        $0.positiveInteger()
        $0.member("default", list.limit)
      }
    }
  }

  /// Parameters that the configuration declares, those that clients give.
  mutating func declared(_ parameters: [Parameter]) {
    for parameter in parameters where parameter.claim == nil {
      object {
        $0.parameter(parameter.name, parameter.description, isRequired: parameter.isRequired)
        if parameter.kind.isStructured {
          // JSON as text.
          $0.content("application/json") { $0.object("schema") { $0.schema(of: parameter) } }
        } else {
          $0.object("schema") { $0.schema(of: parameter) }
        }
      }
    }
  }

  /// - Parameter allowsNull: whether null is as good as nothing.
  mutating func schema(of parameter: Parameter, allowsNull: Bool = false) {
    func type(_ name: StaticString, _ writer: inout Writer) {
      if allowsNull { writer.strings("type", ["\(name)", "null"]) } else { writer.member("type", name) }
    }
    switch parameter.kind {
    case .string:
      type("string", &self)
      if parameter.allowed.isEmpty {
        if parameter.minLength > 0 { member("minLength", parameter.minLength) }
        member("maxLength", parameter.maxLength)
        // A NUL is in no text.
        member("pattern", "^[^\\u0000]*$")
      }
    case .integer: type("integer", &self)
    case .number: type("number", &self)
    case .boolean: type("boolean", &self)
    case .date:
      type("string", &self)
      member("format", "date")
    case .object: type("object", &self)
    case .array: type("array", &self)
    }
    if !parameter.allowed.isEmpty {
      array("enum") {
        for value in parameter.allowed { $0.value(value) }
        if allowsNull { $0.null() }
      }
    }
    // Of dates JSON Schema has no bounds: the description of the failure names them.
    if parameter.kind == .integer || parameter.kind == .number {
      if let minimum = parameter.minimum {
        key("minimum")
        value(minimum)
      }
      if let maximum = parameter.maximum {
        key("maximum")
        value(maximum)
      }
    }
    if let value = parameter.defaultValue {
      key("default")
      self.value(value)
    }
  }

  /// A parameter's value as JSON: numbers and booleans are written as JSON writes them.
  private mutating func value(_ value: ParameterValue) {
    switch value.kind {
    case .string, .date: string(value.description)
    case .integer, .number, .boolean, .object, .array: raw(value.text)
    }
  }
}
