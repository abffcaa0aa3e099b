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
  /// Nil where any refusal will do.
  private let meaning: Refusal.Meaning?

  /// Whether the rule applies at all.
  ///
  /// - Returns: nil where there is nothing to tell by.
  package init?(_ refusal: Refusal?) {
    guard let judge = Judge(refusal) else { return nil }
    self.judge = judge
    meaning = nil
  }

  /// Whether the rule gives this meaning to an answer.
  ///
  /// - Returns: nil where it never does.
  package init?(_ refusal: Refusal, meaning: Refusal.Meaning) {
    guard refusal.cases.contains(where: { $0.meaning == meaning }), let judge = Judge(refusal) else {
      return nil
    }
    self.judge = judge
    self.meaning = meaning
  }

  /// - Parameter document: nil where the body is no JSON.
  package func holds(for document: Document?, fields: Fields, status: Int) -> Bool {
    let isRefused = (400...499).contains(status)
    guard let document else {
      return isRefused && meaning != nil && judge.meaning(ofStatus: status) == meaning
    }
    let answer = Answer(document: document, fields: fields)
    if isRefused, let meaning { return judge.reason(answer, status: status).meaning == meaning }
    do throws(PageFault) {
      try judge.judge(answer)
      return false
    } catch {
      guard case .refused(_, _, let found) = error else { return false }
      return meaning == nil || found == meaning
    }
  }
}
