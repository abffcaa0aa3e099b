import JSON

/// What a section's header says beyond what that of a list or call does.
struct SectionFacts {
  /// The arguments that the screen gave: with these the client goes on by the section's cursor.
  var arguments: [(name: String, text: String)] = []
  /// The section for want of whose answer this one has none.
  var cause: String?

  func write(into writer: inout Writer) {
    if !arguments.isEmpty {
      writer.key("parameters")
      writer.beginObject()
      for argument in arguments {
        writer.key(argument.name)
        writer.string(argument.text)
      }
      writer.endObject()
    }
    if let cause { writer.member("needs", cause) }
  }
}
