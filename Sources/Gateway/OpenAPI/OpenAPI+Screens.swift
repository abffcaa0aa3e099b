import Configuration
import JSON

extension OpenAPI {
  /// The catalogue of screens, and each screen.
  func writeScreens(into writer: inout Writer) {
    writer.catalogue(
      "/v1/screens", id: "screens", tag: "screens", summary: "Every screen with its parameters and sections",
      schema: "ScreenCatalogue")
    for screen in configuration.screens {
      writer.object(named: "/v1/screens/\(screen.name)") { write(screen, into: &$0) }
    }
  }

  private func write(_ screen: Configuration.Screen, into writer: inout Writer) {
    writer.object("get") {
      $0.operation("screens.\(screen.name)", tag: "screens", summary: screen.title ?? screen.name)
      if let description = screen.description { $0.member("description", description) }
      $0.array("parameters") {
        if configuration.debug { $0.reference("parameters/debug") }
        $0.declared(screen.parameters)
        $0.reference("parameters/slot")
        $0.reference("parameters/ifNoneMatch")
      }
      $0.object("responses") {
        $0.object("200") {
          $0.member(
            "description", "Its sections, each an envelope; one that failed does not fail the others.")
          $0.headers(Self.commonHeaders)
          $0.content("application/json") { $0.reference("schema", "schemas/\(Self.schema(of: screen))") }
        }
        $0.object("304") {
          $0.member("description", "The client has this answer already.")
          $0.headers(Self.commonHeaders + ["ETag"])
        }
        $0.failures([400, 404, 409, 414, 422, 429, 431, 500, 502])
        $0.object("503") {
          $0.member(
            "description",
            "All sections failed: the first one's failure, and the sections all the same. Or one that is required."
          )
          $0.headers(Self.commonHeaders + ["Retry-After"])
          $0.object("content") {
            $0.object("application/json") {
              $0.object("schema") {
                $0.array("anyOf") {
                  $0.reference("schemas/\(Self.schema(of: screen))Failure")
                  $0.reference("schemas/Failure")
                }
              }
            }
            $0.object("application/problem+json") { $0.reference("schema", "schemas/Problem") }
          }
        }
        $0.failures([504])
      }
    }
  }

  private static func schema(of screen: Configuration.Screen) -> String { "Screen.\(screen.name)" }

  func writeScreenSchemas(into writer: inout Writer) {
    for screen in configuration.screens {
      let name = Self.schema(of: screen)
      writer.envelope(name, status: 0, header: "ScreenHeader") { writeSections(of: screen, into: &$0) }
      writer.envelope("\(name)Failure", status: nil, header: "ScreenFailureHeader") {
        writeSections(of: screen, into: &$0)
      }
    }
    writer.object("ScreenHeader") {
      $0.object(requiring: ["screen", "requestId", "warnings"]) {
        $0.property("screen", "string", "The screen.")
        $0.common()
      }
    }
    writer.object("ScreenFailureHeader") {
      $0.object(requiring: ["screen", "error", "requestId", "warnings"]) {
        $0.property("screen", "string", "The screen.")
        $0.failureFacts()
      }
    }
    writer.catalogueSchema("ScreenCatalogue", of: "Screen")
    writer.object("Screen") {
      $0.object(requiring: ["name", "href", "parameters", "sections"]) {
        $0.property("name", "string", "Its name.")
        $0.property("href", "string", "Where it is.")
        $0.property("title", "string", "What people call it.")
        $0.property("description", "string", "What it is.")
        $0.parameterDescriptions("What it takes.")
        $0.object("sections") {
          $0.member("type", "array")
          $0.object("items") {
            $0.object(requiring: ["name", "required"]) {
              $0.property("name", "string", "Its name.")
              $0.property("list", "string", "The list that it is a slice of.")
              $0.property("call", "string", "Or the call that it is the answer of.")
              $0.property("required", "boolean", "Whether the screen fails where this does.")
            }
          }
        }
      }
    }
  }

  private func writeSections(of screen: Configuration.Screen, into writer: inout Writer) {
    writer.object(requiring: screen.sections.map(\.name)) {
      for section in screen.sections {
        $0.object(named: section.name) {
          $0.array("anyOf") {
            switch section.source {
            case .list(let index): writeSliceSchema(of: configuration.offers[index], into: &$0)
            case .call: $0.reference("schemas/CallAnswer")
            }
            $0.reference("schemas/Failure")
          }
        }
      }
    }
  }
}
