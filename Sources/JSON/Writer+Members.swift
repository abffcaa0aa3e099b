extension Writer {
  /// A member of an object: its key and its value.
  package mutating func member(_ name: StaticString, _ value: StaticString) {
    key(name)
    string(value)
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  /// A member that is null where `value` is nil.
  package mutating func member(_ name: StaticString, orNull value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  package mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    integer(value)
  }

  package mutating func member(_ name: StaticString, _ value: some FixedWidthInteger) {
    key(name)
    integer(value)
  }

  /// A member that is null where `value` is nil.
  package mutating func member(_ name: StaticString, orNull value: Int?) {
    key(name)
    if let value { integer(value) } else { null() }
  }

  package mutating func member(_ name: StaticString, _ value: Double) {
    key(name)
    number(value)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }
}
