import Configuration
import HTTPSemantics
import JSON

extension OpenAPI {
  func writeSchemas(into writer: inout Writer) {
    writer.envelope("Slice", status: 0, header: "SliceHeader") {
      $0.member("type", "array")
      $0.member("description", "The items, as the upstream wrote them.")
      $0.object("items") { _ in }
    }
    writer.object("SliceHeader") { writeSliceHeader(into: &$0) }
    writer.envelope("Catalogue", status: 0, header: "CatalogueHeader") {
      $0.member("type", "array")
      $0.reference("items", "schemas/List")
    }
    writer.object("CatalogueHeader") {
      $0.object(requiring: ["count", "debug", "requestId", "warnings"]) {
        $0.property("count", "integer", "How many lists there are.")
        $0.property("debug", "boolean", "Whether ?debug=1 is allowed.")
        $0.common()
      }
    }
    writer.object("List") { writeList(into: &$0) }
    writer.envelope("Failure", status: nil, header: "FailureHeader") { $0.member("type", "null") }
    writer.object("FailureHeader") {
      $0.object(requiring: ["error", "requestId", "warnings"]) {
        subjects(into: &$0)
        $0.failureFacts()
        $0.property("detail", "string", "What happened, for ?debug=1.")
      }
    }
    writer.object("Problem") {
      $0.member(
        "description", "A failure as problem details (RFC 9457), for `Accept: application/problem+json`.")
      $0.object(
        requiring: ["type", "title", "status", "detail", "listwayStatus", "error", "requestId", "warnings"]
      ) {
        $0.property("type", "string", "urn:listway:error: and the code.")
        $0.property("title", "string", "The code.")
        $0.property("status", "integer", "The HTTP status.")
        $0.property("detail", "string", "For people, by Accept-Language.")
        $0.property("listwayStatus", "integer", "The envelope's status.")
        subjects(into: &$0)
        $0.failureFacts()
      }
    }
    writer.object("Health") {
      $0.object(requiring: ["status", "serviceId", "releaseId"]) {
        $0.object("status") { $0.strings("enum", ["pass", "warn", "fail"]) }
        $0.property("serviceId", "string", "listway")
        $0.property("releaseId", "string", "Its version.")
        $0.property("output", "string", "Why it is not ready.")
        $0.property("checks", "object", "An entry for each upstream.")
      }
    }
  }

  /// What was asked for, where it is known.
  func subjects(into writer: inout Writer) {
    writer.property("list", "string", "The list that was asked for.")
    if !configuration.calls.isEmpty { writer.property("call", "string", "The call that was asked for.") }
    if !configuration.screens.isEmpty {
      writer.property("screen", "string", "The screen that was asked for.")
    }
  }

  private func writeSliceHeader(into writer: inout Writer) {
    let required = [
      "list", "count", "total", "pageCount", "hasMore", "stale", "age", "requestId", "warnings",
    ]
    writer.object(requiring: required) {
      $0.property("list", "string", "The list.")
      $0.property(
        "count", "integer", "Items in this slice. It may be short, even empty, and not be the last.")
      $0.property("total", orNull: "integer", "Items in the list, as the upstream says.")
      $0.property("pageCount", orNull: "integer", "Pages of the upstream's list, as it says.")
      $0.property("hasMore", "boolean", "Whether more may follow: as `next` is there or not.")
      $0.property("next", "string", "The cursor of what follows. Absent at the end, and nowhere else.")
      $0.property("prefetchAt", "integer", "The row of this slice, from 0, at which to ask for what follows.")
      $0.property("stale", "boolean", "Whether it is older than it should be, for want of anything newer.")
      $0.property("age", "integer", "Seconds since the upstream gave it.")
      $0.common()
      if configuration.debug { $0.rawAnswer() }
      if !configuration.screens.isEmpty {
        $0.object("parameters") {
          $0.member("type", "object")
          $0.member("description", "Of a screen's section: what it was asked with, as text.")
        }
        $0.property("needs", "string", "Of a screen's section: the one for want of whose answer it has none.")
      }
    }
  }

  private func writeList(into writer: inout Writer) {
    writer.object(requiring: ["name", "href", "all", "limit", "maxLimit", "merged", "parameters"]) {
      $0.property("name", "string", "Its name.")
      $0.property("href", "string", "Where its slices are.")
      $0.property("all", "string", "Where all of it is.")
      $0.property("title", "string", "What people call it.")
      $0.property("description", "string", "What it is.")
      $0.property("limit", "integer", "Items in a slice when the client does not say.")
      $0.property("maxLimit", "integer", "Items in a slice at most.")
      $0.property("merged", "boolean", "Whether it is made of other lists.")
      if !configuration.merged.isEmpty {
        $0.object("sources") {
          $0.member("type", "array")
          $0.member("description", "These.")
          $0.object("items") { $0.member("type", "string") }
        }
      }
      $0.parameterDescriptions("What it takes beside limit and cursor.")
    }
  }
}

extension Writer {
  /// What a catalogue says of parameters.
  mutating func parameterDescriptions(_ description: StaticString) {
    object("parameters") {
      $0.member("type", "array")
      $0.member("description", description)
      $0.object("items") {
        $0.object(requiring: ["name", "type", "required"]) {
          $0.property("name", "string", "Its name.")
          $0.object("type") { $0.strings("enum", Parameter.Kind.allCases.map(\.rawValue)) }
          $0.property("required", "boolean", "Whether a request without it is refused.")
          $0.property("default", "string", "What is taken without it.")
          $0.object("allowed") {
            $0.member("type", "array")
            $0.object("items") { $0.member("type", "string") }
          }
          $0.property("minimum", "string", "The least value.")
          $0.property("maximum", "string", "The greatest value.")
          $0.property("minLength", "integer", "Characters at least.")
          $0.property("maxLength", "integer", "Characters at most.")
          $0.property("description", "string", "What it is.")
        }
      }
    }
  }

  /// An envelope's schema.
  ///
  /// - Parameter status: its `status`; nil for one below zero.
  mutating func envelope(
    _ name: String, status: Int?, header: String, _ body: (inout Writer) -> Void
  ) {
    object(named: name) {
      $0.object(requiring: ["status", "header", "body", "message"]) {
        $0.object("status") {
          $0.member("type", "integer")
          if let status { $0.member("const", status) } else { $0.member("maximum", -1) }
        }
        $0.reference("header", "schemas/\(header)")
        $0.object("body", body)
        $0.property("message", "string", "For people, by Accept-Language.")
      }
    }
  }

  mutating func object(requiring names: [String], _ properties: (inout Writer) -> Void) {
    member("type", "object")
    strings("required", names)
    object("properties", properties)
  }

  /// What every header has.
  mutating func common() {
    property("requestId", "string", "The answer's X-Request-Id.")
    object("warnings") {
      $0.member("type", "array")
      $0.member("description", "Words for machines, some with a number, such as duplicates_dropped:2.")
      $0.object("items") { $0.member("type", "string") }
    }
  }

  mutating func failureFacts() {
    object("error") {
      $0.member("description", "The reason.")
      $0.strings("enum", GatewayError.Code.allCases.map(\.rawValue))
    }
    property("parameter", "string", "The parameter that is at fault.")
    property("upstreamCode", "string", "The upstream's own code.")
    property("retryAfter", "integer", "Seconds after which asking again may help.")
    common()
    property("text", "string", "The start of the upstream's raw answer, for ?debug=1.")
  }
}
