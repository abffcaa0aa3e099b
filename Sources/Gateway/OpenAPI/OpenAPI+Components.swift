import Configuration
import JSON

extension OpenAPI {
  func writeParameters(into writer: inout Writer) {
    writer.object("cursor") {
      $0.parameter("cursor", "`next` of the answer before, unchanged; without it, from the top.")
      $0.object("schema") {
        $0.member("type", "string")
        $0.member("minLength", 1)
      }
    }
    if configuration.debug {
      writer.object("debug") {
        $0.parameter("debug", "Whether the header shows the start of the upstream's raw answer.")
        $0.object("schema") { $0.strings("enum", ["0", "1", "false", "true"]) }
      }
    }
    writer.object("slot") {
      $0.member("name", "Listway-Slot")
      $0.member("in", "header")
      $0.member(
        "description", "The latest wins: a newer request of the same client in this slot ends this one (409)."
      )
      $0.object("schema") {
        $0.member("type", "string")
        $0.member("pattern", "^[!-~]([ -~]{0,254}[!-~])?$")
      }
    }
    if !configuration.calls.isEmpty {
      writer.object("idempotencyKey") {
        $0.member("name", "Idempotency-Key")
        $0.member("in", "header")
        $0.member(
          "description",
          "What the client calls this very doing of it: it is passed on, and makes the call one that may be made again."
        )
        $0.object("schema") {
          $0.member("type", "string")
          $0.member("pattern", "^[!-~]([ -~]{0,254}[!-~])?$")
        }
      }
    }
    writer.object("ifNoneMatch") {
      $0.member("name", "If-None-Match")
      $0.member("in", "header")
      $0.member("description", "An ETag that the client has.")
      $0.object("schema") { $0.member("type", "string") }
    }
  }

  private static let headers:
    [(name: StaticString, type: StaticString, isRequired: Bool, description: StaticString)] = [
      ("X-Request-Id", "string", true, "The request's own where it was sane, else made."),
      ("Cache-Control", "string", true, "How long, and by whom, the answer may be kept."),
      ("Vary", "string", true, "The request's fields that the answer depends on."),
      ("ETag", "string", true, "Strong; asked with If-None-Match, 304 says that nothing has changed."),
      ("Cache-Status", "string", true, "What Listway's cache did (RFC 9211)."),
      ("Age", "integer", false, "Seconds since the upstream gave it."),
      (
        "Link", "string", false, "The next slice, rel=\"next\" (RFC 8288); absent where it would be too long."
      ),
      ("Retry-After", "integer", false, "Seconds after which asking again may help."),
      ("Proxy-Status", "string", false, "What went wrong on the way to the upstream (RFC 9209)."),
    ]

  func writeHeaders(into writer: inout Writer) {
    for header in Self.headers {
      writer.object(header.name) {
        $0.member("description", header.description)
        if header.isRequired { $0.member("required", true) }
        $0.object("schema") { $0.member("type", header.type) }
      }
    }
  }
}

extension Writer {
  /// References to fields, in a response.
  mutating func headers(_ names: [String]) {
    object("headers") {
      for name in names {
        $0.key(name)
        $0.reference("headers/\(name)")
      }
    }
  }
}
