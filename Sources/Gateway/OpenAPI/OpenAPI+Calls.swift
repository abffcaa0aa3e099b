import Configuration
import JSON

extension OpenAPI {
  var hasPostedCalls: Bool { configuration.calls.contains { $0.method == .post } }

  /// The catalogue of calls, and each call.
  func writeCalls(into writer: inout Writer) {
    writer.catalogue(
      "/v1/calls", id: "calls", tag: "calls", summary: "Every call with its parameters",
      schema: "CallCatalogue")
    for call in configuration.calls {
      writer.object(named: "/v1/calls/\(call.name)") { write(call, into: &$0) }
    }
  }

  private func write(_ call: Configuration.Call, into writer: inout Writer) {
    let isPosted = call.method == .post
    writer.object(isPosted ? "post" : "get") {
      $0.operation("calls.\(call.name)", tag: "calls", summary: call.title ?? call.name)
      if let description = call.description { $0.member("description", description) }
      $0.array("parameters") {
        if configuration.debug { $0.reference("parameters/debug") }
        if !isPosted { $0.declared(call.parameters) }
        $0.reference("parameters/slot")
        $0.reference("parameters/idempotencyKey")
        if !isPosted { $0.reference("parameters/ifNoneMatch") }
      }
      if isPosted { $0.requestBody(of: call.parameters) }
      $0.object("responses") {
        $0.object("200") {
          $0.member("description", "What the upstream has for it.")
          $0.headers(Self.commonHeaders + ["Cache-Status"] + (isPosted ? [] : ["ETag"]))
          $0.content("application/json") { $0.reference("schema", "schemas/CallAnswer") }
        }
        if !isPosted {
          $0.object("304") {
            $0.member("description", "The client has this answer already.")
            $0.headers(Self.commonHeaders + ["Cache-Status", "ETag"])
          }
        }
        $0.failures(
          [400, 404, 409] + (isPosted ? [413, 414, 415] : [414]) + [422, 429, 431, 500, 502, 503, 504])
      }
    }
  }

  static let commonHeaders = ["X-Request-Id", "Cache-Control", "Vary"]

  func writeCallSchemas(into writer: inout Writer) {
    writer.envelope("CallAnswer", status: 0, header: "CallHeader") {
      $0.member("description", "What the upstream has for it, as it wrote it: anything, also null.")
    }
    writer.object("CallHeader") {
      $0.object(requiring: ["call", "requestId", "warnings"]) {
        $0.property("call", "string", "The call.")
        $0.property(
          "stale", "boolean",
          "Where answers are kept: whether it is older than it should be, for want of a newer.")
        $0.property("age", "integer", "Where answers are kept: seconds since the upstream gave it.")
        $0.common()
        if configuration.debug { $0.rawAnswer() }
      }
    }
    writer.catalogueSchema("CallCatalogue", of: "Call")
    writer.object("Call") {
      $0.object(requiring: ["name", "href", "method", "idempotent", "parameters"]) {
        $0.property("name", "string", "Its name.")
        $0.property("href", "string", "Where it is made.")
        $0.object("method") { $0.strings("enum", ["GET", "POST"]) }
        $0.property("title", "string", "What people call it.")
        $0.property("description", "string", "What it is.")
        $0.property("idempotent", "boolean", "Whether making it twice does no harm.")
        $0.parameterDescriptions("What it takes, in the query or, by POST, in the content too.")
      }
    }
  }
}

extension Writer {
  /// The content of a call by POST: a JSON object or a form.
  fileprivate mutating func requestBody(of parameters: [Parameter]) {
    let given = parameters.filter { $0.claim == nil }
    let required = given.filter(\.isRequired).map(\.name)
    object("requestBody") {
      $0.member("description", "The parameters; each may stand in the query instead.")
      if !required.isEmpty { $0.member("required", true) }
      $0.object("content") {
        for type in ["application/json", "application/x-www-form-urlencoded"] {
          $0.object(named: type) {
            $0.object("schema") {
              $0.member("type", "object")
              if !required.isEmpty { $0.strings("required", required) }
              $0.object("properties") {
                for parameter in given {
                  $0.object(named: parameter.name) {
                    if let description = parameter.description { $0.member("description", description) }
                    $0.schema(of: parameter, allowsNull: type == "application/json" && !parameter.isRequired)
                  }
                }
              }
              $0.member("additionalProperties", false)
            }
          }
        }
      }
    }
  }

  /// The path of a catalogue.
  mutating func catalogue(_ path: String, id: String, tag: String, summary: String, schema: String) {
    object(named: path) {
      $0.object("get") {
        $0.operation(id, tag: tag, summary: summary)
        $0.object("responses") {
          $0.object("200") {
            $0.member("description", "The catalogue.")
            $0.headers(OpenAPI.commonHeaders)
            $0.content("application/json") { $0.reference("schema", "schemas/\(schema)") }
          }
          $0.failures([400, 414, 431])
        }
      }
    }
  }

  /// A catalogue's envelope, of entries of one schema.
  mutating func catalogueSchema(_ name: String, of entry: String) {
    envelope(name, status: 0, header: "\(name)Header") {
      $0.member("type", "array")
      $0.reference("items", "schemas/\(entry)")
    }
    object(named: "\(name)Header") {
      $0.object(requiring: ["count", "requestId", "warnings"]) {
        $0.property("count", "integer", "How many there are.")
        $0.common()
      }
    }
  }

  /// What `?debug=1` adds to a header.
  mutating func rawAnswer() {
    property("text", "string", "The start of the upstream's raw answer, for ?debug=1.")
    property("error", orNull: "string", "What went wrong on the way, for ?debug=1.")
  }
}
