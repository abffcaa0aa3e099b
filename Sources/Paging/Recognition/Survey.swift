import JSON

/// What an answer is made of, outside of its items: the places where items may be, and the values that say something.
struct Survey {
  /// A place where items may be.
  struct Candidate {
    enum Shape {
      case array(Elements)
      /// An object of objects, or of indices.
      case map
      /// An object of arrays.
      case groups
      case null
    }
    /// What an array holds.
    enum Elements { case none, objects, scalars, arrays, mixed }

    let path: [String]
    let node: Node
    let shape: Shape
    /// Elements or members.
    let count: Int
    /// The members of the object that it is in which no table knows.
    var strangers = 0
  }

  /// A scalar outside of the items, with the way to it.
  struct Fact {
    let path: [String]
    /// Folded.
    let name: String
    let node: Node

    var parent: ArraySlice<String> { path.dropLast() }
    var pointer: Pointer? { Pointer(steps: path) }
    var shown: String { "/" + path.joined(separator: "/") }
  }

  /// An array of links, each with its relation.
  struct Links {
    let path: [String]
    let relation: String
    let reference: String
    /// The one called next.
    let next: Node?
  }

  let document: Document
  private(set) var candidates: [Candidate] = []
  private(set) var facts: [Fact] = []
  private(set) var links: [Links] = []
  /// Objects on the way, the root included.
  private(set) var objects: [(path: [String], node: Node)] = []

  /// Whether there was more than is looked at: then what was seen says nothing of the rest.
  private(set) var isTooWide = false

  private static let factCount = 2_000
  /// No answer that means to be read has more places, objects on the way, or members of one of these.
  private static let placeCount = 200
  private static let memberCount = 2_000
  private static let depth = 7

  init(_ document: Document) {
    self.document = document
    let root = document.root
    switch document.kind(of: root) {
    case .object: visit(root, [])
    case .array: visit(rootArray: root)
    case .string, .number, .bool, .null: break
    }
  }

  /// An array of a head and the items, as well as one of items.
  private mutating func visit(rootArray root: Node) {
    let elements = Array(document.elements(of: root).prefix(5))
    if elements.count == 2, document.kind(of: elements[0]) == .object {
      let second = document.kind(of: elements[1])
      if second == .array || second == .null {
        visit(elements[0], ["0"])
        add(elements[1], ["1"])
        return
      }
    }
    add(root, [])
  }

  private mutating func visit(_ object: Node, _ path: [String]) {
    guard path.count < Self.depth else { return }
    if path.isEmpty, document.count(of: object) > Self.placeCount,
      let shape = mapShape(of: object, "", isRoot: true)
    {
      add(Candidate(path: path, node: object, shape: shape, count: document.count(of: object)))
      return
    }
    guard objects.count < Self.placeCount, facts.count < Self.factCount, !isTooWide,
      document.count(of: object) <= Self.memberCount
    else {
      isTooWide = true
      return
    }
    objects.append((path, object))
    var strangers = 0
    for (key, value) in document.members(of: object) where !isTooWide {
      let step = path + [key.text]
      let name = Vocabulary.folded(key.text)
      switch document.kind(of: value) {
      case .string, .number, .bool, .null:
        if facts.count < Self.factCount { facts.append(Fact(path: step, name: name, node: value)) }
        // What XML had as attributes describes the whole.
        if !isKnown(name), !key.text.hasPrefix("@") { strangers += 1 }
        if document.isNull(value), Vocabulary.items.contains(name) { add(value, step) }
      case .array:
        if !addLinks(value, name, step) { add(value, step) }
        visit(pages: value, name, step)
      case .object:
        if let shape = mapShape(of: value, name, isRoot: false) {
          add(Candidate(path: step, node: value, shape: shape, count: document.count(of: value)))
          if case .groups = shape { continue }
          if case .map = shape { continue }
        }
        visit(value, step)
      }
    }
    if path.isEmpty, candidates.isEmpty, let shape = mapShape(of: object, "", isRoot: true) {
      add(Candidate(path: path, node: object, shape: shape, count: document.count(of: object)))
    }
    for index in candidates.indices
    where candidates[index].path.count == path.count + 1 && candidates[index].path.starts(with: path) {
      candidates[index].strangers = strangers
    }
  }

  private mutating func add(_ node: Node, _ path: [String]) {
    if document.isNull(node) {
      add(Candidate(path: path, node: node, shape: .null, count: 0))
    } else {
      add(
        Candidate(path: path, node: node, shape: .array(elements(of: node)), count: document.count(of: node)))
    }
  }

  private mutating func add(_ candidate: Candidate) {
    guard candidates.count < Self.placeCount else {
      isTooWide = true
      return
    }
    // Of a name that comes twice the last member counts.
    candidates.removeAll { $0.path == candidate.path }
    candidates.append(candidate)
  }

  /// An array of one object in which what follows is described: `"nextPage":[{"startIndex":11}]`.
  private mutating func visit(pages array: Node, _ name: String, _ path: [String]) {
    guard name.hasPrefix("next"), document.count(of: array) == 1,
      let only = document.element(at: 0, in: array),
      document.kind(of: only) == .object
    else { return }
    visit(only, path + ["0"])
  }

  private mutating func addLinks(_ array: Node, _ name: String, _ path: [String]) -> Bool {
    guard name == "links" || name == "link", let first = document.element(at: 0, in: array) else {
      return false
    }
    let names = document.members(of: first).map(\.key.text)
    guard let relation = names.first(where: { ["rel", "relation"].contains($0.lowercased()) }),
      let reference = names.first(where: { ["href", "url", "uri"].contains($0.lowercased()) })
    else { return false }
    let next = document.elements(of: array).first { element in
      document.value(named: relation, in: element).map { document.text(of: $0, equals: Array("next".utf8)) }
        ?? false
    }
    links.append(Links(path: path, relation: relation, reference: reference, next: next))
    return true
  }

  // MARK: Shapes

  func elements(of array: Node) -> Candidate.Elements {
    var found: Set<Candidate.Elements> = []
    for element in document.elements(of: array).prefix(100) {
      switch document.kind(of: element) {
      case .object: found.insert(.objects)
      case .array: found.insert(.arrays)
      case .string, .number, .bool: found.insert(.scalars)
      case .null: break
      }
    }
    return found.count > 1 ? .mixed : found.first ?? .none
  }

  /// Whether an object's values are items: they are objects of one kind, or its keys are ids.
  private func mapShape(of object: Node, _ name: String, isRoot: Bool) -> Candidate.Shape? {
    let count = document.count(of: object)
    guard count > 0, !Vocabulary.asides.contains(name), !name.hasPrefix("link") else { return nil }
    let members = Array(document.members(of: object).prefix(20))
    let keysAreIDs = members.allSatisfy { Self.isID($0.key.text) }
    guard keysAreIDs || (count > 1 && !isRoot) else { return nil }
    if members.allSatisfy({ document.kind(of: $0.value) == .array }) {
      return count > 1 && members.contains { elements(of: $0.value) == .objects } ? .groups : nil
    }
    guard members.allSatisfy({ document.kind(of: $0.value) == .object }) else { return nil }
    return keysAreIDs || areAlike(members.map(\.value)) ? .map : nil
  }

  /// Digits, a date, or a long mixture of letters and digits.
  private static func isID(_ key: String) -> Bool {
    let bytes = key.utf8
    let digits = bytes.count { $0 &- 0x30 < 10 }
    return digits > 0
      && (bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") } || bytes.count >= 16)
  }

  /// Whether objects share most of their members' names.
  private func areAlike(_ objects: [Node]) -> Bool {
    let names = objects.map { Set(document.members(of: $0).map(\.key.text)) }
    guard let first = names.first, first.count > 1 else { return false }
    return names.dropFirst().allSatisfy { $0.intersection(first).count * 3 >= max($0.count, first.count) * 2 }
  }

  private func isKnown(_ name: String) -> Bool { Self.known.contains(name) || name.hasPrefix("total") }

  private static let known: Set<String> = {
    var words: Set<String> = [
      "kind", "object", "type", "etag", "took", "timedout", "ms", "time", "timestamp", "requestid", "version",
      "apiversion", "ttl", "url", "quotamax", "quotaremaining", "title", "query", "prev", "previous", "first",
    ]
    words.formUnion(Vocabulary.totals)
    words.formUnion(Vocabulary.pageCounts)
    words.formUnion(Vocabulary.pageNumbers)
    words.formUnion(Vocabulary.offsets)
    words.formUnion(Vocabulary.pageSizes)
    words.formUnion(Vocabulary.hasMore)
    words.formUnion(Vocabulary.isLast)
    words.formUnion(Vocabulary.nextURLs)
    words.formUnion(Vocabulary.tokenParameters)
    words.formUnion(Vocabulary.successFlags)
    words.formUnion(Vocabulary.errorMarks)
    words.formUnion(Vocabulary.codes)
    words.formUnion(Vocabulary.messages)
    return words
  }()
}

extension Survey {
  /// The first fact with one of these names, in the order of the names, that holds for `test`.
  func fact(named names: [String], where test: (Fact) -> Bool = { _ in true }) -> Fact? {
    for name in names {
      if let fact = facts.first(where: { $0.name == name && test($0) }) { return fact }
    }
    return nil
  }

  func facts(named names: [String]) -> [Fact] {
    names.flatMap { name in facts.filter { $0.name == name } }
  }

  /// A whole number, as a number or as text; nil for anything else.
  func count(_ fact: Fact) -> Int? {
    switch Count(.node(fact.node), in: document) {
    case .exactly(let number), .atLeast(let number): number
    case .unknown, .unreadable: nil
    }
  }

  /// True and false, as a flag or as text.
  func flag(_ fact: Fact) -> Bool? {
    if let flag = document.bool(of: fact.node) { return flag }
    switch document.text(of: fact.node)?.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: return nil
    }
  }

  func text(_ fact: Fact) -> String? { document.text(of: fact.node) }
}
