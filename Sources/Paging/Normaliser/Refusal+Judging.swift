import JSON

/// A ``Refusal`` made ready for looking up.
struct Judge: Sendable {
  private enum Test: Sendable {
    case isAny([Comparand])
    case isNone([Comparand])
    case present
    case absent
  }

  private let test: Test
  private let when: Reading
  private let code: Reading?
  private let messages: [Reading]
  private let cases: [(code: Comparand, meaning: Refusal.Meaning)]

  /// - Returns: nil where there is nothing to judge by.
  init?(_ refusal: Refusal?) {
    guard let refusal, let when = Reading(refusal.when) else { return nil }
    test =
      switch refusal.test {
      case .isAny(let values): .isAny(values.map { Comparand($0) })
      case .isNone(let values): .isNone(values.map { Comparand($0) })
      case .present: .present
      case .absent: .absent
      }
    self.when = when
    code = refusal.code.flatMap { Reading($0) }
    messages = refusal.message.compactMap { Reading($0) }
    cases = refusal.cases.map { (Comparand($0.code), $0.meaning) }
  }

  /// - Throws: ``PageFault/refused(code:message:meaning:)`` when the answer is a refusal.
  func judge(_ answer: Answer) throws(PageFault) {
    let finding = answer.find(when)
    guard isRefusal(finding, answer.document) else { return }
    let codeFinding = code.map { answer.find($0) } ?? finding
    throw .refused(
      code: codeText(codeFinding, answer), message: message(answer),
      meaning: meaning(of: codeFinding, answer) ?? .refused)
  }

  /// What an answer says whose status is a refusal: the code and the words where they are expected, even though the body
  /// need not be what ``judge(_:)`` takes for a refusal.
  func reason(_ answer: Answer, status: Int) -> StatedReason {
    var codeFinding = Finding.nothing
    if let code {
      codeFinding = answer.find(code)
    } else {
      let finding = answer.find(when)
      if isRefusal(finding, answer.document) { codeFinding = finding }
    }
    return StatedReason(
      code: codeText(codeFinding, answer), message: message(answer),
      meaning: meaning(of: codeFinding, answer) ?? meaning(ofStatus: status))
  }

  /// A code as text. What the value at ``when`` is to be no more than true or there is no code.
  private func codeText(_ finding: Finding, _ answer: Answer) -> String? {
    if code == nil, case .node(let node) = finding {
      switch answer.document.kind(of: node) {
      case .bool, .object, .array: return nil
      case .string, .number, .null: break
      }
    }
    return answer.text(finding)
  }

  /// What a status means by itself.
  func meaning(ofStatus status: Int) -> Refusal.Meaning? {
    let text = Array(String(status).utf8)
    return cases.first { $0.code.matches(text) }?.meaning
  }

  private func meaning(of code: Finding, _ answer: Answer) -> Refusal.Meaning? {
    cases.first { $0.code.matches(code, answer.document) }?.meaning
  }

  private func message(_ answer: Answer) -> String? {
    for reading in messages { if let message = answer.text(answer.find(reading)) { return message } }
    return nil
  }

  private func isRefusal(_ finding: Finding, _ document: Document) -> Bool {
    switch test {
    case .isAny(let values): values.contains { $0.matches(finding, document) }
    case .isNone(let values): !values.contains { $0.matches(finding, document) }
    case .present: finding.saysSomething(document)
    case .absent: !finding.saysSomething(document)
    }
  }
}

extension Answer {
  /// What was found, as a text for people; nil for nothing, null and an empty text.
  fileprivate func text(_ finding: Finding) -> String? {
    switch finding {
    case .nothing: return nil
    case .text(let text): return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    case .node(let node):
      if document.isNull(node) { return nil }
      let text =
        document.text(of: node) ?? String(decoding: document.bytes[document.range(of: node)], as: UTF8.self)
      return text.isEmpty ? nil : text
    }
  }
}

extension Finding {
  /// Neither absent, null, false, 0, `""`, `[]` nor `{}`.
  func saysSomething(_ document: Document) -> Bool {
    switch self {
    case .nothing: return false
    case .text(let text): return !text.isEmpty
    case .node(let node):
      switch document.kind(of: node) {
      case .null: return false
      case .bool: return document.bool(of: node) == true
      case .number: return document.integer(of: node) != 0
      case .string: return document.range(of: node).count > 2
      case .object, .array: return document.count(of: node) > 0
      }
    }
  }
}
