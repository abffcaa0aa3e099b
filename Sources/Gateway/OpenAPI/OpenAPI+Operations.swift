import Configuration
import HTTPSemantics
import JSON

extension OpenAPI {
  /// What is about the gateway: health, this description, the explorer.
  func writeOperations(into writer: inout Writer) {
    writer.check("/livez", "livez", "Whether it is alive: every loop turns")
    writer.check(
      "/readyz", "readyz", "Whether it is ready: not so while it is about to stop; upstreams do not count")
    writer.check("/healthz", "healthz", "How it is, with an entry for each upstream")
    writer.document(
      "/openapi.json", "openapi", type: "application/json", schema: "object", "This description")
    guard configuration.explorer else { return }
    writer.document(
      "/", "explorer", type: "text/html; charset=utf-8", schema: "string", "A page to browse the lists with")
    writer.document(
      "/listway.js", "client", type: "text/javascript; charset=utf-8", schema: "string",
      "A client for pages of one's own, an ES module")
  }
}

extension Writer {
  fileprivate mutating func check(_ path: String, _ id: String, _ summary: String) {
    object(named: path) {
      $0.object("get") {
        $0.operation(id, tag: "operations", summary: summary)
        $0.object("responses") {
          for (status, description) in [("200", "It is."), ("503", "It is not.")] {
            $0.object(named: status) {
              $0.member("description", description)
              $0.headers(["X-Request-Id", "Cache-Control", "Vary"])
              $0.content("application/health+json") { $0.reference("schema", "schemas/Health") }
            }
          }
          $0.failures([400, 414, 431])
        }
      }
    }
  }

  /// What is served as it is.
  fileprivate mutating func document(
    _ path: String, _ id: String, type: String, schema: String, _ summary: String
  ) {
    object(named: path) {
      $0.object("get") {
        $0.operation(id, tag: "operations", summary: summary)
        $0.array("parameters") { $0.reference("parameters/ifNoneMatch") }
        $0.object("responses") {
          $0.object("200") {
            $0.member("description", summary + ".")
            $0.headers(["X-Request-Id", "Cache-Control", "ETag"])
            $0.content(type) { $0.object("schema") { $0.member("type", schema) } }
          }
          $0.object("304") {
            $0.member("description", "The client has it already.")
            $0.headers(["X-Request-Id", "Cache-Control", "ETag"])
          }
          $0.failures([400, 414, 431])
        }
      }
    }
  }
}
