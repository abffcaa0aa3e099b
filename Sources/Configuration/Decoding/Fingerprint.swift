/// What a list's cursors are bound to, as bytes.
///
/// The tree is written as it stands in the file, before anything is put in, mappings in the order of their keys: each
/// node is its kind and length and what is in it, so that no two trees have the same bytes.
enum Fingerprint {
  /// The members that give a position its meaning.
  private static let members = ["upstream", "request", "following", "paging", "items", "says"]
  private static let callMembers = ["upstream", "request", "answer", "refused"]
  private static let mergedMembers = ["merge", "concat", "interleave", "order", "unique"]

  static func bytes(of list: ConfigurationNode) -> [UInt8] { bytes(of: members, in: list) }

  /// Of a merged list, without what its sources are.
  static func bytes(ofMerged list: ConfigurationNode) -> [UInt8] { bytes(of: mergedMembers, in: list) }

  /// Of a call.
  static func bytes(ofCall call: ConfigurationNode) -> [UInt8] { bytes(of: callMembers, in: call) }

  private static func bytes(of members: [String], in list: ConfigurationNode) -> [UInt8] {
    var output: [UInt8] = []
    for name in members {
      append(name, as: "k", to: &output)
      if let node = list[name] { append(node, to: &output) }
    }
    return output
  }

  private static func append(_ node: ConfigurationNode, to output: inout [UInt8]) {
    switch node.content {
    case .scalar(let scalar): append(scalar.text, as: scalar.isPlain ? "p" : "q", to: &output)
    case .sequence(let elements):
      append("", as: "s", count: elements.count, to: &output)
      for element in elements { append(element, to: &output) }
    case .mapping(let members):
      append("", as: "m", count: members.count, to: &output)
      for member in members.sorted(by: { $0.key < $1.key }) {
        append(member.key, as: "k", to: &output)
        append(member.value, to: &output)
      }
    }
  }

  private static func append(
    _ text: String, as kind: Unicode.Scalar, count: Int? = nil, to output: inout [UInt8]
  ) {
    output.append(UInt8(ascii: kind))
    output.append(contentsOf: "\(count ?? text.utf8.count):".utf8)
    output.append(contentsOf: text.utf8)
  }
}
