internal import Configuration

/// Builds the tree of a file from its events: one document, no key twice, nothing without bound.
struct NodeReader: ~Copyable {
  /// Bytes of a file.
  static let maximumLength = 1 << 20
  /// Mappings and sequences inside each other.
  static let maximumDepth = 64
  /// Nodes of a file, those that aliases repeat counted each time: an alias of aliases grows without bound.
  static let maximumNodes = 100_000

  private var parser: EventParser
  private let file: String
  private var count = 0
  private var anchors: [String: Anchor] = [:]

  private struct Anchor {
    let node: ConfigurationNode
    let nodeCount: Int
    let depth: Int
  }

  private init(parser: consuming EventParser, file: String) {
    self.parser = parser
    self.file = file
  }

  /// The tree of the only document in `text`; an empty mapping where there is none.
  ///
  /// - Throws: the first thing that keeps the text from being one YAML document within the limits.
  static func read(_ text: [UInt8], file: String) throws(ConfigurationFault) -> ConfigurationNode {
    let start = Mark(line: 1, column: 1)
    guard text.count <= maximumLength else {
      throw ConfigurationFault(
        file: file, mark: start, message: "the file has \(text.count) bytes; \(maximumLength) are allowed")
    }
    // libyaml looks for a byte order mark only where it has to find out the encoding.
    let content = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    var reader = NodeReader(parser: try EventParser.make(text: content, file: file), file: file)
    _ = try reader.parser.next()
    guard try reader.parser.next().event == .documentStart else {
      return ConfigurationNode(.mapping([]), at: start)
    }
    let (event, mark) = try reader.parser.next()
    let root = try reader.node(event, at: mark, depth: 0).node
    _ = try reader.parser.next()
    let (next, place) = try reader.parser.next()
    guard next == .streamEnd else {
      throw ConfigurationFault(
        file: file, mark: place, message: "a second document begins here; a configuration is one document")
    }
    return root
  }

  /// - Returns: the node and how many levels it is deep.
  private mutating func node(_ event: Event, at mark: Mark, depth: Int) throws(ConfigurationFault) -> (
    node: ConfigurationNode, depth: Int
  ) {
    let before = count
    try add(1, at: mark)
    let node: ConfigurationNode
    let properties: Event.Properties
    var levels = 0
    switch event {
    case .alias(let name): return try alias(name, at: mark, depth: depth)
    case .scalar(let text, let isPlain, let its):
      node = ConfigurationNode(.scalar(ConfigurationNode.Scalar(text: text, isPlain: isPlain)), at: mark)
      properties = its
    case .sequenceStart(let its):
      try check(depth: depth + 1, at: mark)
      var elements: [ConfigurationNode] = []
      while case let (event, mark) = try parser.next(), event != .sequenceEnd {
        let element = try self.node(event, at: mark, depth: depth + 1)
        elements.append(element.node)
        levels = max(levels, element.depth)
      }
      levels += 1
      node = ConfigurationNode(.sequence(elements), at: mark)
      properties = its
    case .mappingStart(let its):
      try check(depth: depth + 1, at: mark)
      let (members, inner) = try members(depth: depth + 1)
      levels = inner + 1
      node = ConfigurationNode(.mapping(members), at: mark)
      properties = its
    case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
      throw fault(at: mark, "this is not YAML: a value is missing")
    }
    if let tag = properties.tag, tag != "!" {
      throw fault(at: mark, "the tag \(tag) is not known; tags are not used in a configuration")
    }
    if let name = properties.anchor {
      anchors[name] = Anchor(node: node, nodeCount: count - before, depth: levels)
    }
    return (node, levels)
  }

  private mutating func members(depth: Int) throws(ConfigurationFault) -> (
    [ConfigurationNode.Member], depth: Int
  ) {
    var members: [ConfigurationNode.Member] = []
    var places: [String: Mark] = [:]
    var levels = 0
    while case let (event, mark) = try parser.next(), event != .mappingEnd {
      guard case .scalar(let key, let isPlain, _) = event else {
        throw fault(at: mark, "a key is a word, not a list, a mapping or an alias")
      }
      if isPlain, key == "<<" {
        throw fault(
          at: mark, "merge keys (<<) are not used in a configuration; write the keys out, or use an alias")
      }
      if let first = places.updateValue(mark, forKey: key) {
        throw fault(at: mark, "the key \(Quoted(key)) is here twice; the first is in line \(first.line)")
      }
      try add(1, at: mark)
      let (next, place) = try parser.next()
      let value = try node(next, at: place, depth: depth)
      levels = max(levels, value.depth)
      members.append(ConfigurationNode.Member(key: key, mark: mark, value: value.node))
    }
    return (members, levels)
  }

  private mutating func alias(_ name: String, at mark: Mark, depth: Int) throws(ConfigurationFault) -> (
    node: ConfigurationNode, depth: Int
  ) {
    guard let anchor = anchors[name] else {
      throw fault(at: mark, "there is no anchor &\(name) before this alias")
    }
    try check(depth: depth + anchor.depth, at: mark)
    try add(anchor.nodeCount, at: mark)
    return (anchor.node, anchor.depth)
  }

  private mutating func add(_ nodes: Int, at mark: Mark) throws(ConfigurationFault) {
    count += nodes
    guard count <= Self.maximumNodes else {
      throw fault(
        at: mark, "the file has more than \(Self.maximumNodes) values, those that aliases repeat included")
    }
  }

  private func check(depth: Int, at mark: Mark) throws(ConfigurationFault) {
    guard depth <= Self.maximumDepth else {
      throw fault(at: mark, "more than \(Self.maximumDepth) lists and mappings are inside each other here")
    }
  }

  private func fault(at mark: Mark, _ message: String) -> ConfigurationFault {
    ConfigurationFault(file: file, mark: mark, message: message)
  }
}
