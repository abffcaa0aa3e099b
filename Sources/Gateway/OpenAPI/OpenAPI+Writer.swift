import JSON

/// What the description is written with.
extension Writer {
  mutating func object(_ content: (inout Writer) -> Void) {
    beginObject()
    content(&self)
    endObject()
  }

  mutating func object(_ name: StaticString, _ content: (inout Writer) -> Void) {
    key(name)
    object(content)
  }

  mutating func object(named name: String, _ content: (inout Writer) -> Void) {
    key(name)
    object(content)
  }

  mutating func array(_ name: StaticString, _ content: (inout Writer) -> Void) {
    key(name)
    beginArray()
    content(&self)
    endArray()
  }

  mutating func strings(_ name: StaticString, _ values: [String]) {
    array(name) { for value in values { $0.string(value) } }
  }

  /// A reference to a component, as a whole object: `{"$ref": "#/components/KIND/NAME"}`.
  mutating func reference(_ component: String) {
    object { $0.member("$ref", "#/components/\(component)") }
  }

  mutating func reference(_ name: StaticString, _ component: String) {
    key(name)
    reference(component)
  }

  mutating func tag(_ name: StaticString, _ description: StaticString) {
    object {
      $0.member("name", name)
      $0.member("description", description)
    }
  }

  /// A property's schema of one type.
  mutating func property(_ name: StaticString, _ type: StaticString, _ description: StaticString) {
    object(name) {
      $0.member("type", type)
      $0.member("description", description)
    }
  }

  /// A property's schema of one type or null.
  mutating func property(_ name: StaticString, orNull type: String, _ description: StaticString) {
    object(name) {
      $0.strings("type", [type, "null"])
      $0.member("description", description)
    }
  }

  /// A content of one media type.
  mutating func content(_ type: String, _ body: (inout Writer) -> Void) {
    object("content") { $0.object(named: type, body) }
  }
}
