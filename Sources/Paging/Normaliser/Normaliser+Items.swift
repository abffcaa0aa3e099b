import JSON

extension Normaliser {
  /// Gathers the items of every place.
  func collect(_ draft: inout Draft, _ answer: Answer) throws(PageFault) {
    let document = answer.document
    let places = plan.items.at
    if places.count > 1 { draft.isContiguous = false }
    var absent = 0
    for place in places {
      guard let node = document.node(at: place) else {
        absent += 1
        continue
      }
      try collect(from: node, at: place, &draft, document)
    }
    draft.isAbsent = absent == places.count
    draft.rawCount = draft.items.count
    if draft.items.count > 1, hasEqualIDs(draft.items) { dropDuplicates(&draft, document.bytes) }
  }

  private func collect(from node: Node, at place: Pointer, _ draft: inout Draft, _ document: Document)
    throws(PageFault)
  {
    let shape = plan.items.shape
    switch document.kind(of: node) {
    case .null: return
    case .array:
      if shape == .single { return append(node, &draft, document) }
      if shape == .groups { return try appendGroups(of: node, at: place, &draft, document) }
      appendElements(of: node, &draft, document)
    case .object:
      switch shape {
      case .array: if document.count(of: node) > 0 { throw misshapen(node, at: place, document) }
      case .groups: try appendGroups(of: node, at: place, &draft, document)
      case .single: append(node, &draft, document)
      case .map: appendMembers(of: node, &draft, document)
      case .any:
        if document.count(of: node) == 0 { return }
        if isMap(node, document) {
          appendMembers(of: node, &draft, document)
        } else {
          append(node, &draft, document)
        }
      }
    case .string, .bool, .number:
      if shape == .single { return append(node, &draft, document) }
      // What PHP and its kin make of an empty list.
      if document.text(of: node, equals: []) || document.bool(of: node) == false { return }
      throw misshapen(node, at: place, document)
    }
  }

  private func appendElements(of array: Node, _ draft: inout Draft, _ document: Document) {
    draft.items.reserveCapacity(draft.items.count + document.count(of: array))
    guard let pointer = plan.onlyIDPointer else {
      for element in document.elements(of: array) { append(element, &draft, document) }
      return
    }
    // Most lists: elements are items, and each has one id. What the plan says is not looked up for every item again.
    var last: Node?
    document.forEachElement(of: array, at: pointer) { element, id in
      let range = document.range(of: element)
      let hash = id.flatMap { self.hash(of: $0, document) }
      draft.items.append(
        Page.Item(
          start: UInt32(range.lowerBound), end: UInt32(range.upperBound),
          id: hash.map { Page.Item.id($0) } ?? 0))
      last = element
    }
    if let last { draft.lastElement = last }
  }

  func append(_ element: Node, key: Key? = nil, _ draft: inout Draft, _ document: Document) {
    var item = element
    if let each = plan.items.each {
      draft.isContiguous = false
      item = document.node(at: each, from: element) ?? element
    }
    appendWhole(item, key: key, &draft, document)
  }

  /// Appends an element that is the item itself.
  func appendWhole(_ item: Node, key: Key? = nil, _ draft: inout Draft, _ document: Document) {
    let range = document.range(of: item)
    draft.items.append(
      Page.Item(
        start: UInt32(range.lowerBound), end: UInt32(range.upperBound), id: id(of: item, key, document)))
    if let pointer = plan.keyPointer {
      draft.keys.append(document.node(at: pointer, from: item).map { document.range(of: $0) } ?? 0..<0)
    }
    draft.lastElement = item
  }

  private func appendMembers(of object: Node, _ draft: inout Draft, _ document: Document) {
    draft.isContiguous = false
    guard let order = plan.items.order, let keys = document.node(at: order) else {
      for (key, value) in document.members(of: object) { append(value, key: key, &draft, document) }
      return
    }
    var members: [String: (Key, Node)] = [:]
    for (key, value) in document.members(of: object) { members[key.text] = (key, value) }
    for name in document.elements(of: keys) {
      // Once each, however often the order names it: a page is to be no longer than its body.
      guard let text = document.text(of: name), let (key, value) = members.removeValue(forKey: text) else {
        continue
      }
      append(value, key: key, &draft, document)
    }
  }

  private func appendGroups(of node: Node, at place: Pointer, _ draft: inout Draft, _ document: Document)
    throws(PageFault)
  {
    draft.isContiguous = false
    func appendGroup(_ group: Node) throws(PageFault) {
      switch document.kind(of: group) {
      case .array: for element in document.elements(of: group) { append(element, &draft, document) }
      case .null: break
      case .object, .string, .number, .bool: throw misshapen(group, at: place, document)
      }
    }
    if document.kind(of: node) == .object {
      for (_, group) in document.members(of: node) { try appendGroup(group) }
    } else {
      for group in document.elements(of: node) { try appendGroup(group) }
    }
  }

  /// Whether an object holds items rather than being one: it has no id of its own, and all its values are containers, or its
  /// keys are an array's indices.
  private func isMap(_ object: Node, _ document: Document) -> Bool {
    switch plan.items.id {
    case .key: return true
    case .at(let pointers):
      if let own = document.node(at: pointers[0], from: object), document.text(of: own) != nil {
        return false
      }
    case .none: break
    }
    var index = 0
    var areIndices = true
    var areContainers = true
    for (key, value) in document.members(of: object) {
      if areIndices, key.text != String(index) { areIndices = false }
      let kind = document.kind(of: value)
      if kind != .object, kind != .array { areContainers = false }
      index += 1
    }
    return areIndices || areContainers
  }

  // MARK: Identity

  private func id(of item: Node, _ key: Key?, _ document: Document) -> UInt64 {
    switch plan.items.id {
    case .none: return 0
    case .key:
      guard let key else { return 0 }
      return Page.Item.id(unsafe key.withText { unsafe StableHash.of($0) })
    case .at(let pointers):
      if pointers.count == 1 {
        guard let node = document.node(at: pointers[0], from: item), let hash = self.hash(of: node, document)
        else { return 0 }
        return Page.Item.id(hash)
      }
      var hash: UInt64 = 0
      var isNamed = false
      for pointer in pointers {
        let part = document.node(at: pointer, from: item).flatMap { self.hash(of: $0, document) }
        if part != nil { isNamed = true }
        hash = StableHash.combine(hash, part ?? 1)
      }
      return isNamed ? Page.Item.id(hash) : 0
    }
  }

  /// By a scalar's text, so that 7 and "7" are one; a container (`{"$oid": …}`) by its bytes. Nil for null and an empty
  /// text, which tell nothing from anything.
  private func hash(of node: Node, _ document: Document) -> UInt64? {
    if document.range(of: node).count == 2, document.text(of: node, equals: []) { return nil }
    if let hash = document.fingerprint(of: node, seed: 0) { return hash }
    if document.isNull(node) { return nil }
    let range = document.range(of: node)
    return unsafe document.bytes.withUnsafeBytes {
      unsafe StableHash.of(UnsafeRawBufferPointer(rebasing: $0[range]))
    }
  }

  // MARK: Faults

  private func misshapen(_ node: Node, at place: Pointer, _ document: Document) -> PageFault {
    .shape("\(place.shown) holds \(document.description(of: node)), not the items")
  }

  /// Lets an answer pass that has nothing where its items should be, when the rest of it tells that there are none.
  func excuse(_ said: Said, _ answer: Answer) throws(PageFault) {
    let isEmpty =
      switch plan.items.absence {
      case .empty: true
      case .fault: false
      case .judged:
        said.total == 0 || said.pageCount == 0 || said.hasMore == false || said.next == .none
          || plan.items.at.contains { nearestIsEmpty($0, answer.document) }
      }
    guard !isEmpty else { return }
    let places = plan.items.at.map(\.shown).joined(separator: " or ")
    throw .shape(
      "nothing at \(places); the answer is \(answer.document.description(of: answer.document.root))")
  }

  /// Whether the last value that exists on the way to `pointer` is null or empty.
  private func nearestIsEmpty(_ pointer: Pointer, _ document: Document) -> Bool {
    var text = Substring(pointer.text)
    while let slash = text.lastIndex(of: "/") {
      text = text[..<slash]
      guard let parent = try? Pointer(String(text)), let node = document.node(at: parent) else { continue }
      return !Finding.node(node).saysSomething(document)
    }
    return false
  }
}

extension Page.Item {
  /// A hash as an id: 0 is kept for items without one.
  static func id(_ hash: UInt64) -> UInt64 { hash >> 16 == 0 ? hash | 1 << 16 : hash }
}

extension Pointer {
  fileprivate var shown: String { text.isEmpty ? "the whole answer" : text }
}

extension Document {
  /// What a value is, for people: `an object with the members code, message`, `a string`.
  fileprivate func description(of node: Node) -> String {
    switch kind(of: node) {
    case .object:
      let names = members(of: node).prefix(8).map { $0.key.text.prefix(40) }
      return names.isEmpty ? "an empty object" : "an object with \(names.joined(separator: ", "))"
    case .array: return "an array of \(count(of: node))"
    case .string: return "a string"
    case .number: return "a number"
    case .bool: return bool(of: node) == true ? "true" : "false"
    case .null: return "null"
    }
  }
}
