import HTTPSemantics
import JSON

extension Normaliser {
  /// Reads what the answer says of its list.
  func said(
    in answer: Answer, status: Int, target: [UInt8], _ warnings: inout Warnings
  ) throws(PageFault) -> Said {
    let readings = plan.readings
    var said = Said.nothing
    if let total = readings.total {
      switch Count(answer.find(total), in: answer.document) {
      case .unknown: break
      case .exactly(let number): said.total = number
      case .atLeast(let number):
        said.total = number
        said.totalIsLowerBound = true
        warnings.add(.totalIsLowerBound)
      case .unreadable: warnings.addOnce(.countUnreadable)
      }
    }
    if let pageCount = readings.pageCount {
      switch Count(answer.find(pageCount), in: answer.document) {
      case .unknown, .atLeast: break
      case .exactly(let number): said.pageCount = number
      case .unreadable: warnings.addOnce(.countUnreadable)
      }
    }
    if let page = readings.page, case .exactly(let number) = Count(answer.find(page), in: answer.document) {
      said.page = number
    }
    said.hasMore = hasMore(in: answer, status: status)
    if let next = readings.next { said.next = try self.next(answer.find(next), answer, target) }
    return said
  }

  private func hasMore(in answer: Answer, status: Int) -> Bool? {
    let readings = plan.readings
    if let hasMore = readings.hasMore, let flag = flag(answer.find(hasMore), answer.document) { return flag }
    if let isLast = readings.isLast, let flag = flag(answer.find(isLast), answer.document) { return !flag }
    return plan.course.hasMore(status: status, isRanged: answer.fields.contains(.contentRange))
  }

  /// A flag as upstreams write it: true, 1, "true", "yes"; or something that is only there when it holds. Nil for nothing and
  /// null, which say neither.
  private func flag(_ finding: Finding, _ document: Document) -> Bool? {
    switch finding {
    case .nothing: return nil
    case .text(let text): return flag(String(decoding: text, as: UTF8.self))
    case .node(let node):
      if document.isNull(node) { return nil }
      if let text = document.string(of: node) { return flag(text) }
      return finding.saysSomething(document)
    }
  }

  private func flag(_ text: String) -> Bool {
    !["", "0", "false", "no", "n", "off"].contains(text.lowercased())
  }

  // MARK: Next

  private func next(_ finding: Finding, _ answer: Answer, _ target: [UInt8]) throws(PageFault) -> Said.Next {
    let document = answer.document
    switch finding {
    case .nothing: return .none
    case .text(let text): return try next(text: text, target)
    case .node(let node):
      switch document.kind(of: node) {
      case .null: return .none
      case .bool: return .none
      case .number:
        guard let number = document.integer(of: node) else {
          return .json(document.bytes[document.range(of: node)])
        }
        return number == 0 || number == -1 ? .none : .json(document.bytes[document.range(of: node)])
      case .string:
        var text: [UInt8] = []
        _ = document.appendText(of: node, to: &text)
        return try next(text: text, target)
      case .object, .array:
        guard document.count(of: node) > 0 else { return .none }
        return try next(container: node, answer, target)
      }
    }
  }

  private func next(text: [UInt8], _ target: [UInt8]) throws(PageFault) -> Said.Next {
    if text.isEmpty { return .none }
    switch plan.course.next {
    case .url(let hosts): return .target(try NextTarget.resolve(text, base: target, hosts: hosts))
    case .query(let hosts):
      let query = text.first == UInt8(ascii: "?") ? text : [UInt8(ascii: "?")] + text
      return .target(try NextTarget.resolve(query, base: target, hosts: hosts))
    case .opaque: return .text(try limited(text))
    case .token:
      if text.elementsEqual("0".utf8) || text.elementsEqual("-1".utf8) { return .none }
      return .text(try limited(text))
    }
  }

  /// A link object's `href`, or a token that is a value of its own.
  private func next(container node: Node, _ answer: Answer, _ target: [UInt8]) throws(PageFault) -> Said.Next
  {
    let document = answer.document
    switch plan.course.next {
    case .url, .query:
      guard let href = document.value(named: "href", in: node) else {
        throw .shape("the next URL is no string, nor an object with href")
      }
      return try next(.node(href), answer, target)
    case .token, .opaque:
      return .json(try limited(document.bytes[document.range(of: node)]))
    }
  }

  private func limited(_ token: [UInt8]) throws(PageFault) -> [UInt8] {
    guard token.count <= Place.maximumByteCount else {
      throw .fault("the next token is \(token.count) bytes long, more than \(Place.maximumByteCount)")
    }
    return token
  }
}
