import Configuration
import JSON

/// What there is to be asked for, in envelopes, so that clients and people find it.
enum Catalogue {
  static func calls(_ calls: [Configuration.Call], for request: Request) -> Response {
    answer(calls, for: request) { call, writer in
      writer.member("name", call.name)
      writer.member("href", "/v1/calls/\(call.name)")
      writer.member("method", call.method.rawValue)
      if let title = call.title { writer.member("title", title) }
      if let description = call.description { writer.member("description", description) }
      writer.member("idempotent", call.isIdempotent)
      writer.key("parameters")
      writer.parameters(call.parameters)
    }
  }

  static func screens(_ configuration: Configuration, for request: Request) -> Response {
    answer(configuration.screens, for: request) { screen, writer in
      writer.member("name", screen.name)
      writer.member("href", "/v1/screens/\(screen.name)")
      if let title = screen.title { writer.member("title", title) }
      if let description = screen.description { writer.member("description", description) }
      writer.key("parameters")
      writer.parameters(screen.parameters)
      writer.key("sections")
      writer.beginArray()
      for section in screen.sections {
        writer.beginObject()
        writer.member("name", section.name)
        switch section.source {
        case .list(let index): writer.member("list", configuration.listNames[index])
        case .call(let index): writer.member("call", configuration.calls[index].name)
        }
        writer.member("required", section.isRequired)
        writer.endObject()
      }
      writer.endArray()
    }
  }

  /// - Parameter write: writes the members of one entry.
  static func answer<Entry>(
    _ entries: [Entry], for request: Request, _ write: (Entry, inout Writer) -> Void
  ) -> Response {
    var writer = Writer(reserving: 1_024)
    writer.beginObject()
    writer.member("status", 0)
    writer.key("header")
    writer.beginObject()
    writer.member("count", entries.count)
    writer.member("requestId", request.id)
    writer.key("warnings")
    writer.beginArray()
    writer.endArray()
    writer.endObject()
    writer.key("body")
    writer.beginArray()
    for entry in entries {
      writer.beginObject()
      write(entry, &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.member("message", "ok")
    writer.endObject()
    return Answer.own(200, "application/json", writer.finish(), for: request)
  }
}

extension Writer {
  /// The parameters that something takes, as an array.
  mutating func parameters(_ parameters: [Parameter]) {
    beginArray()
    for parameter in parameters where parameter.claim == nil {
      beginObject()
      member("name", parameter.name)
      member("type", parameter.kind.rawValue)
      member("required", parameter.isRequired)
      if let value = parameter.defaultValue { member("default", value.description) }
      if !parameter.allowed.isEmpty {
        key("allowed")
        beginArray()
        for value in parameter.allowed { string(value.description) }
        endArray()
      }
      if let minimum = parameter.minimum { member("minimum", minimum.description) }
      if let maximum = parameter.maximum { member("maximum", maximum.description) }
      if parameter.kind == .string {
        if parameter.minLength > 0 { member("minLength", parameter.minLength) }
        member("maxLength", parameter.maxLength)
      }
      if let description = parameter.description { member("description", description) }
      endObject()
    }
    endArray()
  }
}
