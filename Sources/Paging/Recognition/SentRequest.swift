import HTTPSemantics
package import JSON

/// The request that an answer came for, as far as recognition reads it.
package struct SentRequest: Sendable {
  /// One value that was sent, outside of the header.
  package struct Value: Sendable, Hashable {
    /// Where it was: a query parameter, a form field, or a place in the JSON content.
    package let placement: Placement
    /// Its own name: the parameter's, the field's, or the last step of the pointer.
    package let name: String
    /// Decoded.
    package let text: String

    package init(_ placement: Placement, _ name: String, _ text: String) {
      self.placement = placement
      self.name = name
      self.text = text
    }
  }

  /// What its content was.
  package enum Content: Sendable, Hashable { case none, form, json }

  /// Encoded, without the query.
  package let path: String
  /// In the order they were sent.
  package let values: [Value]
  package let content: Content
  /// The text of a GraphQL query, where the JSON content holds one.
  let graphQL: String?

  /// - Parameters:
  ///   - target: path and query.
  ///   - form: the content where it is a form.
  ///   - json: the content where it is JSON.
  package init(target: [UInt8], form: [UInt8]?, json: Document?) {
    let question = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
    path = String(decoding: target[..<question], as: UTF8.self)
    var values = Self.pairs(target[min(question + 1, target.count)...]).map {
      Value(.query($0.name), $0.name, $0.text)
    }
    var query: String?
    var content = Content.none
    if let form {
      content = .form
      values += Self.pairs(form[...]).map { Value(.form($0.name), $0.name, $0.text) }
    }
    if let json {
      content = .json
      Self.append(json.root, of: json, at: [], to: &values)
      query = json.value(named: "query", in: json.root).flatMap { json.string(of: $0) }
    }
    self.values = values
    self.content = content
    graphQL = query.flatMap { $0.contains("{") ? $0 : nil }
  }

  /// Whether a parameter of this name, encoded, says where in the list a page is.
  package static func marksPlace(_ name: [UInt8]) -> Bool {
    let folded = Vocabulary.folded(decoded(name[...]))
    return [Vocabulary.pageParameters, Vocabulary.offsetParameters, Vocabulary.tokenParameters].contains {
      $0.contains(folded)
    }
  }

  /// Where a value that is not sent yet would go: beside the others.
  func placement(of name: String) -> Placement {
    switch content {
    case .none: .query(name)
    case .form: .form(name)
    case .json: Pointer(steps: [name]).map { .json($0) } ?? .query(name)
    }
  }

  /// The values whose folded names are among these, in the order of `names`.
  func values(named names: [String]) -> [Value] {
    names.flatMap { name in values.filter { Vocabulary.folded($0.name) == name } }
  }

  private static func pairs(_ bytes: ArraySlice<UInt8>) -> [(name: String, text: String)] {
    bytes.split(separator: UInt8(ascii: "&")).map { pair in
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (decoded(pair[..<equals]), decoded(pair[min(equals + 1, pair.endIndex)...]))
    }
  }

  /// What is no escape stands for itself.
  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    var output: [UInt8] = []
    let copy = Array(bytes)
    guard PercentEncoding.decode(copy.span, 0..<copy.count, plusIsSpace: true, into: &output) else {
      return String(decoding: copy, as: UTF8.self)
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func append(_ object: Node, of json: Document, at path: [String], to values: inout [Value]) {
    for (key, node) in json.members(of: object) where values.count < 256 {
      let steps = path + [key.text]
      switch json.kind(of: node) {
      case .object: if steps.count < 4 { append(node, of: json, at: steps, to: &values) }
      case .array: break
      case .string, .number, .bool, .null:
        guard let pointer = Pointer(steps: steps) else { continue }
        values.append(Value(.json(pointer), key.text, json.text(of: node) ?? ""))
      }
    }
  }
}

extension Pointer {
  /// A pointer of these names; nil never in practice, since each is escaped (RFC 6901 §3).
  init?(steps: [String]) {
    let text = steps.map { step in
      "/"
        + step.map { character in
          character == "~" ? "~0" : character == "/" ? "~1" : String(character)
        }.joined()
    }
    do { try self.init(text.joined()) } catch { return nil }
  }
}
