extension Document {
  /// The elements of an array in order; of anything else none.
  @inlinable
  package func elements(of node: Node) -> Elements {
    let entry = node.index
    let isArray = byte(at: entry) == UInt8(ascii: "[")
    return Elements(document: self, next: entry + 1, end: isArray ? link(at: entry) : entry)
  }

  /// The members of an object in order, those with a name that comes again included; of anything else none.
  @inlinable
  package func members(of node: Node) -> Members {
    let entry = node.index
    let isObject = byte(at: entry) == UInt8(ascii: "{")
    return Members(document: self, next: entry + 1, end: isObject ? link(at: entry) : entry)
  }

  /// Every element of an array in order, with what `pointer` leads to in it, or nil: one pass for all of them, which looks
  /// the pointer over once.
  package func forEachElement(of node: Node, at pointer: Pointer, _ body: (Node, Node?) -> Void) {
    guard pointer.tokens.count == 1 else {
      for element in elements(of: node) { body(element, self.node(at: pointer, from: element)) }
      return
    }
    let token = pointer.tokens[0]
    unsafe pointer.withName(of: token) { name in
      for element in elements(of: node) {
        switch byte(at: element.index) {
        case UInt8(ascii: "{"): body(element, unsafe value(named: name, in: element))
        case UInt8(ascii: "["): body(element, token.index.flatMap { self.element(at: $0, in: element) })
        default: body(element, nil)
        }
      }
    }
  }

  @inlinable
  package func forEachElement<E: Error>(of node: Node, _ body: (Node) throws(E) -> Void) throws(E) {
    for element in elements(of: node) { try body(element) }
  }

  @inlinable
  package func forEachMember<E: Error>(of node: Node, _ body: (Key, Node) throws(E) -> Void) throws(E) {
    for (key, value) in members(of: node) { try body(key, value) }
  }

  /// Walks an array; allocates nothing.
  @frozen
  package struct Elements: Sequence, IteratorProtocol {
    @usableFromInline let document: Document
    @usableFromInline var nextEntry: Int
    /// The closing bracket's entry.
    @usableFromInline let end: Int

    @inlinable
    init(document: Document, next: Int, end: Int) {
      self.document = document
      nextEntry = next
      self.end = end
    }

    @inlinable
    package mutating func next() -> Node? {
      guard nextEntry < end else { return nil }
      let node = Node(nextEntry)
      nextEntry = document.entry(behind: nextEntry) + 1
      return node
    }
  }

  /// Walks an object; allocates nothing.
  @frozen
  package struct Members: Sequence, IteratorProtocol {
    @usableFromInline let document: Document
    @usableFromInline var nextEntry: Int
    /// The closing bracket's entry.
    @usableFromInline let end: Int

    @inlinable
    init(document: Document, next: Int, end: Int) {
      self.document = document
      nextEntry = next
      self.end = end
    }

    @inlinable
    package mutating func next() -> (key: Key, value: Node)? {
      guard nextEntry < end else { return nil }
      let key = Key(document: document, node: Node(nextEntry))
      let value = nextEntry + 2
      nextEntry = document.entry(behind: value) + 1
      return (key, Node(value))
    }
  }
}
