extension Document {
  /// The value that `pointer` leads to, from the root; nil when it leads nowhere.
  package func node(at pointer: Pointer) -> Node? { node(at: pointer, from: root) }

  /// The value that `pointer` leads to, from `start`; nil when it leads nowhere.
  package func node(at pointer: Pointer, from start: Node) -> Node? {
    var node = start
    for token in pointer.tokens {
      switch byte(at: node.index) {
      case UInt8(ascii: "{"):
        guard let value = unsafe pointer.withName(of: token, { unsafe value(named: $0, in: node) }) else {
          return nil
        }
        node = value
      case UInt8(ascii: "["):
        guard let index = token.index, let element = element(at: index, in: node) else { return nil }
        node = element
      default:
        return nil
      }
    }
    return node
  }

  /// The value of the last member of an object with that name.
  package func value(named name: StaticString, in object: Node) -> Node? {
    unsafe value(
      named: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), in: object)
  }

  /// The value of the last member of an object with that name.
  package func value(named name: String, in object: Node) -> Node? {
    var name = name
    return name.withUTF8 { unsafe value(named: UnsafeRawBufferPointer($0), in: object) }
  }

  /// An element of an array, counted from 0. Takes time in proportion to `index`.
  package func element(at index: Int, in array: Node) -> Node? {
    guard index >= 0, byte(at: array.index) == UInt8(ascii: "["), index < count(of: array) else { return nil }
    var entry = array.index + 1
    for _ in 0..<index { entry = self.entry(behind: entry) + 1 }
    return Node(entry)
  }

  /// The last member counts, so all of them are looked at.
  func value(named name: UnsafeRawBufferPointer, in object: Node) -> Node? {
    guard byte(at: object.index) == UInt8(ascii: "{") else { return nil }
    var found: Node?
    var key = object.index + 1
    let end = link(at: object.index)
    while key < end {
      if unsafe self.name(at: key, equals: name) { found = Node(key + 2) }
      key = entry(behind: key + 2) + 1
    }
    return found
  }

  /// Whether the string that begins at `entry`, a key, has the text `name`.
  func name(at entry: Int, equals name: UnsafeRawBufferPointer) -> Bool {
    let raw = unsafe base + offset(at: entry) + 1
    // Up to the first escape a string is written as it is; the closing quote stops this at the latest.
    var position = 0
    while position < name.count {
      let byte = unsafe raw[position]
      if byte == UInt8(ascii: "\\") { return unsafe unescapedName(at: entry, equals: name) }
      guard unsafe byte == name[position], byte != UInt8(ascii: "\"") else { return false }
      position += 1
    }
    return unsafe raw[position] == UInt8(ascii: "\"")
  }

  private func unescapedName(at entry: Int, equals name: UnsafeRawBufferPointer) -> Bool {
    unsafe withText(of: Node(entry)) { text in unsafe text.elementsEqual(name) } ?? false
  }
}
