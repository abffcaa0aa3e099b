/// A mapping of the file against the keys that it may hold.
///
/// Every key of the table has to be read before ``end()``, and only keys of the table can be read: so what the decoder
/// knows is what the table says, and the schema with it.
final class Section {
  let decoding: Decoding
  /// Where it is, in the words of the file: `upstreams.erp.timeout`; empty for the whole file.
  let path: String
  let mark: Mark
  let keys: [Schema.Key]
  /// Whether the file has this mapping at all.
  let isPresent: Bool
  private var members: [String: ConfigurationNode.Member] = [:]
  private var unread: Set<String>

  /// - Parameter node: nil where the file says nothing: every key is absent then, and none is missed.
  /// - Parameter others: where a key belongs that is none of these.
  init(
    _ node: ConfigurationNode?, _ path: String, keys: [Schema.Key], in decoding: Decoding, at parent: Mark,
    others: (String) -> [String] = Configuration.places(ofKey:)
  ) {
    self.decoding = decoding
    self.path = path
    self.keys = keys
    mark = node?.mark ?? parent
    isPresent = node != nil
    unread = Set(keys.map(\.name))
    guard let node else { return }
    let names = keys.map(\.name)
    switch node.content {
    case .mapping(let members):
      for member in members {
        if unread.contains(member.key) {
          self.members[member.key] = member
        } else {
          decoding.fault(member.mark, path, Self.unknown(member.key, among: names, others))
        }
      }
    case .scalar(let scalar) where scalar.isNull: break
    case .scalar, .sequence:
      decoding.fault(
        node.mark, path,
        "\(node.shown) is given; a mapping is expected, with the key\(names.count == 1 ? "" : "s") "
          + names.joined(separator: ", "))
      return
    }
    for key in keys where key.isRequired && self.members[key.name] == nil {
      decoding.fault(mark, path, "the key \(Quoted(key.name)) is missing")
    }
  }

  private static func unknown(_ key: String, among names: [String], _ others: (String) -> [String]) -> String
  {
    let nearest = Nearest.word(to: key, of: names)
    let elsewhere = nearest == nil ? others(key) : []
    let hint =
      !(1...3).contains(elsewhere.count) ? "" : "; it is a key of \(elsewhere.joined(separator: ", "))"
    return
      "the key \(Quoted(key)) is unknown\(hint); allowed: \(names.joined(separator: ", "))\(suggestion(nearest))"
  }

  // MARK: Members

  /// The member at `name`, which the table has; nil where the file does not.
  func member(_ name: String) -> ConfigurationNode.Member? {
    precondition(keys.contains { $0.name == name }, "\(name) is not in the table of \(path)")
    unread.remove(name)
    return members[name]
  }

  func shape(_ name: String) -> Schema {
    guard let key = keys.first(where: { $0.name == name }) else {
      preconditionFailure("\(name) is not in the table of \(path)")
    }
    return key.shape
  }

  func node(_ name: String) -> ConfigurationNode? { member(name)?.value }

  func has(_ name: String) -> Bool { member(name) != nil }

  /// Whether the value at `name`, already read, stands: absent, or without a fault.
  func hasRead(_ name: String) -> Bool { !decoding.faults.contains { $0.mark == members[name]?.value.mark } }

  /// Where a member's value is; where the section is when the file says nothing of it.
  func mark(_ name: String) -> Mark { members[name]?.value.mark ?? mark }

  func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// A fault at a member's value.
  func fault(_ name: String, _ message: String) { decoding.fault(mark(name), path(name), message) }

  /// A mapping inside this one; empty where the file says nothing.
  func section(_ name: String) -> Section {
    guard case .mapping(let keys) = shape(name) else { preconditionFailure("\(path(name)) is no mapping") }
    return Section(node(name), path(name), keys: keys, in: decoding, at: mark)
  }

  /// A mapping whose other keys are chosen by a word in it, and that word; nil and a fault where that is missing.
  func variant(_ name: String) -> (word: String, section: Section)? {
    guard case .variants(let key, _, let variants) = shape(name) else {
      preconditionFailure("\(path(name)) is fixed")
    }
    guard let node = node(name) else { return nil }
    let words = variants.map(\.word)
    let allowed = "allowed: \(words.joined(separator: ", "))"
    guard case .mapping = node.content else {
      fault(
        name, "\(node.shown) is given; a mapping is expected, with the key \(key) (\(allowed)) and others")
      return nil
    }
    guard let choice = node[key] else {
      fault(name, "the key \(Quoted(key)) is missing; \(allowed)")
      return nil
    }
    guard
      let text = decoding.resolve(
        choice, "\(path(name)).\(key)", expected: "one of \(words.joined(separator: ", "))")
    else { return nil }
    guard let variant = variants.first(where: { $0.word == text.text }) else {
      let nearest = text.isOutside ? nil : Nearest.word(to: text.text, of: words)
      decoding.fault(choice.mark, "\(path(name)).\(key)", "\(text.shown); \(allowed)\(suggestion(nearest))")
      return nil
    }
    let keys = [Schema.Key(key, .word(words), isRequired: true, "")] + variant.keys
    let section = Section(node, path(name), keys: keys, in: decoding, at: mark) { unknown in
      variants.filter { $0.keys.contains { $0.name == unknown } }.map { "\(key) \($0.word)" }
    }
    _ = section.member(key)
    return (variant.word, section)
  }

  /// The members of a mapping whose names the file chooses, in its order, with faults for names that cannot be.
  func named(_ name: String) -> [(name: String, mark: Mark, node: ConfigurationNode, path: String)] {
    guard case .named(let kind, _) = shape(name) else { preconditionFailure("\(path(name)) has fixed keys") }
    guard let node = node(name) else { return [] }
    switch node.content {
    case .mapping(let members):
      return members.compactMap { member in
        let inner = "\(path(name)).\(member.key)"
        guard Grammar.isName(member.key, kind) else {
          decoding.fault(
            member.mark, path(name), "\(Quoted(member.key)) cannot be a name here; a name is \(kind.rawValue)"
          )
          return nil
        }
        return (member.key, member.mark, member.value, inner)
      }
    case .scalar(let scalar) where scalar.isNull: return []
    case .scalar, .sequence:
      decoding.fault(node.mark, path(name), "\(node.shown) is given; a mapping of names is expected")
      return []
    }
  }

  /// The same, each against the keys that all of them may hold.
  func sections(_ name: String) -> [(name: String, mark: Mark, node: ConfigurationNode, section: Section)] {
    guard case .named(_, .mapping(let keys)) = shape(name) else {
      preconditionFailure("\(path(name)): no mappings")
    }
    return named(name).map { entry in
      let section = Section(entry.node, entry.path, keys: keys, in: decoding, at: entry.mark)
      return (entry.name, entry.mark, entry.node, section)
    }
  }

  /// The elements of a list, each with its path.
  func elements(_ name: String) -> [(node: ConfigurationNode, path: String)] {
    guard case .sequence(_, let count) = shape(name) else { preconditionFailure("\(path(name)) is no list") }
    guard let node = node(name) else { return [] }
    guard case .sequence(let elements) = node.content else {
      fault(name, "\(node.shown) is given; a list is expected")
      return []
    }
    guard count.contains(elements.count) else {
      fault(
        name,
        "the list has \(elements.count) elements; \(count.lowerBound) to \(count.upperBound) are allowed")
      return []
    }
    return elements.enumerated().map { ($1, "\(path(name))[\($0)]") }
  }

  /// Ends the reading.
  func end() { precondition(unread.isEmpty, "\(path): nothing reads \(unread.sorted())") }
}
