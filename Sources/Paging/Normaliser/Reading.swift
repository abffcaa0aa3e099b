import HTTPSemantics
import JSON

/// A ``Locator`` made ready for looking up.
enum Reading: Sendable {
  case body(Pointer)
  case selected(array: Pointer, member: Pointer, value: [UInt8], rest: Pointer)
  case field(FieldName)
  case link(String)
  case lastItem(Pointer)

  /// - Returns: nil for a header field whose name is none.
  init?(_ locator: Locator) {
    switch locator {
    case .body(let pointer): self = .body(pointer)
    case .selected(let array, let member, let value, let rest):
      guard let member = try? Pointer("/" + member) else { return nil }
      self = .selected(array: array, member: member, value: Array(value.utf8), rest: rest)
    case .header(let name):
      guard let name = FieldName(validating: name) else { return nil }
      self = .field(name)
    case .link(let relation): self = .link(relation.lowercased())
    case .lastItem(let pointer): self = .lastItem(pointer)
    }
  }
}

/// What was found at a ``Reading``.
enum Finding {
  case nothing
  case node(Node)
  case text([UInt8])
}

/// One answer, to be read.
struct Answer {
  let document: Document
  let fields: Fields
  /// The last element of the page, once it is known.
  var lastItem: Node?

  func find(_ reading: Reading?) -> Finding {
    switch reading {
    case nil: .nothing
    case .body(let pointer): document.node(at: pointer).map { .node($0) } ?? .nothing
    case .selected(let array, let member, let value, let rest):
      selected(array, member, value).flatMap { document.node(at: rest, from: $0) }.map { .node($0) }
        ?? .nothing
    case .field(let name): fields.first(name).map { .text(Array($0)) } ?? .nothing
    case .link(let relation): LinkField.target(relation, in: fields).map { .text($0) } ?? .nothing
    case .lastItem(let pointer):
      lastItem.flatMap { document.node(at: pointer, from: $0) }.map { .node($0) } ?? .nothing
    }
  }

  private func selected(_ array: Pointer, _ member: Pointer, _ value: [UInt8]) -> Node? {
    guard let array = document.node(at: array) else { return nil }
    for element in document.elements(of: array) {
      if let node = document.node(at: member, from: element), document.text(of: node, equals: value) {
        return element
      }
    }
    return nil
  }
}
