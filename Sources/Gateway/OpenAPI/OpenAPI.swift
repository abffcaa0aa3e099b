package import Configuration
import HTTPSemantics
import JSON

/// The API's description, `/openapi.json`: OpenAPI 3.1 of exactly what a configuration serves.
///
/// Every list is a path of its own with its own parameters. What all of them share (the envelope, the failures, the
/// fields) stands once, under `components`; the examples of failures are made by what makes the failures.
package struct OpenAPI {
  let configuration: Configuration
  let version: String

  /// - Parameter version: Listway's own.
  package static func asset(of configuration: Configuration, version: String) -> Asset {
    var writer = Writer(reserving: 32_768)
    OpenAPI(configuration: configuration, version: version).write(into: &writer)
    return Asset(
      .openAPI, name: "openapi.json", mediaType: "application/json", content: writer.finish())
  }

  private func write(into writer: inout Writer) {
    writer.object {
      $0.member("openapi", "3.1.0")
      $0.object("info") {
        $0.member("title", "Listway")
        $0.member("version", version)
        $0.member("description", Self.about)
      }
      $0.array("servers") { $0.object { $0.member("url", "/") } }
      $0.array("tags") {
        $0.tag("lists", "Lists, a slice at a time or whole.")
        if !configuration.screens.isEmpty { $0.tag("screens", "Several lists and calls in one answer.") }
        if !configuration.calls.isEmpty { $0.tag("calls", "One-shot requests.") }
        $0.tag("operations", "About the gateway itself.")
      }
      $0.object("paths") {
        writeLists(into: &$0)
        if !configuration.screens.isEmpty { writeScreens(into: &$0) }
        if !configuration.calls.isEmpty { writeCalls(into: &$0) }
        writeOperations(into: &$0)
      }
      $0.object("components") {
        $0.object("parameters") { writeParameters(into: &$0) }
        $0.object("headers") { writeHeaders(into: &$0) }
        $0.object("responses") { writeResponses(into: &$0) }
        $0.object("schemas") {
          writeSchemas(into: &$0)
          if !configuration.screens.isEmpty { writeScreenSchemas(into: &$0) }
          if !configuration.calls.isEmpty { writeCallSchemas(into: &$0) }
        }
      }
    }
  }

  private static let about: StaticString = """
    Every list is cursor-paged: ask for a slice, and for what follows with `cursor` set to the `next` of the answer before; \
    the end is where `next` is absent. Every answer is an envelope of `status`, `header`, `body` and `message`: `status` 0 is \
    success, and `header.error` names every failure. HEAD works wherever GET does. Numbers within items are the upstream's own \
    digits, which may be more than a double holds.
    """
}
