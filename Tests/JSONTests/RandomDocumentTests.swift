import JSON
import TestSupport
import Testing

@Suite("Random documents")
struct RandomDocumentTests {
  @Test("have the ranges, kinds, counts, names and texts that their writer knows", arguments: 0..<20)
  func model(batch: UInt64) throws {
    let parser = Parser(maximumDepth: 8)
    for seed in batch * 250..<(batch + 1) * 250 {
      let written = RandomDocument(seed: seed)
      let document = try parser.parse(Bytes(copying: written.bytes))
      if let difference = difference(of: document.root, from: written.root, in: document) {
        Issue.record("seed \(seed): \(difference)")
      }
    }
  }

  @Test("are found the same within a longer body", arguments: 0..<4)
  func partOfABody(batch: UInt64) throws {
    let parser = Parser(maximumDepth: 8)
    for seed in batch * 250..<(batch + 1) * 250 {
      let written = RandomDocument(seed: seed)
      // What follows could continue a scalar, an array or an object: none of it may be looked at.
      for (before, after) in [("callback(", ");"), ("[1,", "1]"), ("\"", "\"}")] {
        let bytes = Array(before.utf8) + written.bytes + Array(after.utf8)
        let start = before.utf8.count
        let document = try parser.parse(Bytes(copying: bytes), in: start..<start + written.bytes.count)
        if let difference = difference(of: document.root, from: written.root, in: document, shiftedBy: start)
        {
          Issue.record("seed \(seed), after '\(before)': \(difference)")
        }
      }
    }
  }

  @Test("lead by a pointer to every value that no later member hides", arguments: 0..<4)
  func pointers(batch: UInt64) throws {
    let parser = Parser(maximumDepth: 8)
    for seed in batch * 250..<(batch + 1) * 250 {
      let written = RandomDocument(seed: seed)
      let document = try parser.parse(Bytes(copying: written.bytes))
      for (text, sample) in visible(written.root, at: "") {
        let node = document.node(at: try Pointer(text))
        if node.map(document.range(of:)) != sample.range {
          Issue.record("seed \(seed): \(text) gives \(node.map(document.source(of:)) ?? "nothing")")
        }
      }
    }
  }

  /// What the document says otherwise than its writer, if anything.
  private func difference(
    of node: Node, from sample: Sample, in document: Document, shiftedBy shift: Int = 0
  ) -> String? {
    let place = "at \(sample.range.lowerBound)"
    let expected = sample.range.lowerBound + shift..<sample.range.upperBound + shift
    guard document.kind(of: node) == sample.kind else { return "\(place): \(document.kind(of: node))" }
    guard document.range(of: node) == expected else { return "\(place): \(document.range(of: node))" }
    guard document.count(of: node) == sample.children.count else {
      return "\(place): count \(document.count(of: node))"
    }
    guard document.text(of: node) == sample.text else {
      return "\(place): text \(document.text(of: node) ?? "nil")"
    }

    var found: [Node] = []
    for element in document.elements(of: node) { found.append(element) }
    for (index, (key, value)) in document.members(of: node).enumerated() {
      found.append(value)
      let (name, range) = sample.names[index]
      guard key.text.utf8.elementsEqual(name.utf8), key == name else {
        return "\(place): key \(key.text) for \(name)"
      }
      guard key.range == range.lowerBound + shift..<range.upperBound + shift else {
        return "\(place): \(key.range)"
      }
      let last = lastIndex(of: name, in: sample).map { sample.children[$0].range.lowerBound + shift }
      guard document.value(named: name, in: node).map({ document.range(of: $0).lowerBound }) == last else {
        return "\(place): not the last member named \(name)"
      }
    }
    guard found.count == sample.children.count else { return "\(place): \(found.count) children" }
    for (index, child) in zip(found, sample.children).enumerated() {
      if sample.kind == .array, document.element(at: index, in: node) != child.0 {
        return "\(place): element \(index)"
      }
      if let difference = difference(of: child.0, from: child.1, in: document, shiftedBy: shift) {
        return difference
      }
    }
    return nil
  }

  /// By bytes: two spellings of a character that Unicode calls equivalent are two names.
  private func lastIndex(of name: String, in sample: Sample) -> Int? {
    sample.names.lastIndex { $0.text.utf8.elementsEqual(name.utf8) }
  }

  /// Each value with its pointer; in an object only the last member of a name.
  private func visible(_ sample: Sample, at text: String) -> [(String, Sample)] {
    var all = [(text, sample)]
    for (index, child) in sample.children.enumerated() {
      guard sample.kind == .object else {
        all += visible(child, at: "\(text)/\(index)")
        continue
      }
      let name = sample.names[index].text
      guard lastIndex(of: name, in: sample) == index else { continue }
      var token = String.UnicodeScalarView()
      for scalar in name.unicodeScalars {
        switch scalar {
        case "~": token.append(contentsOf: "~0".unicodeScalars)
        case "/": token.append(contentsOf: "~1".unicodeScalars)
        default: token.append(scalar)
        }
      }
      all += visible(child, at: "\(text)/\(String(token))")
    }
    return all
  }
}
