package import HTTPSemantics
package import JSON

/// Reads single values of an answer that is no page: where a login says its token, say.
package struct ValueReader: Sendable {
  private let reading: Reading

  /// - Returns: nil for a header field whose name is none.
  package init?(_ locator: Locator) {
    guard let reading = Reading(locator) else { return nil }
    self.reading = reading
  }

  /// The text or number there; nil for nothing, null, an empty text, an object or an array.
  package func text(in document: Document?, fields: Fields) -> [UInt8]? {
    let text: [UInt8]
    if case .field(let name) = reading {
      text = fields.first(name).map { Array($0) } ?? []
    } else {
      guard let document, case .node(let node) = Answer(document: document, fields: fields).find(reading),
        [.string, .number].contains(document.kind(of: node))
      else { return nil }
      text = Array((document.text(of: node) ?? "").utf8)
    }
    return text.isEmpty ? nil : text
  }
}

/// Tells by its content that an answer means something, such as that a session has expired.
package struct AnswerTest: Sendable {
  private let judge: Judge

  /// - Returns: nil where there is nothing to tell by.
  package init?(_ refusal: Refusal?) {
    guard let judge = Judge(refusal) else { return nil }
    self.judge = judge
  }

  package func holds(for document: Document, fields: Fields) -> Bool {
    do throws(PageFault) {
      try judge.judge(Answer(document: document, fields: fields))
      return false
    } catch {
      return true
    }
  }
}
