import JSON

/// Whether an answer is a success.
enum Judgement {
  case fine
  case refused(code: String?, message: String?)
  /// It looks like a failure, or may be one; says so.
  case unclear(String)
}

extension Recogniser {
  /// Tells a business failure inside a successful answer, as the answer's own marks have it.
  mutating func judge(_ choice: ItemsChoice) -> Judgement {
    let count = if case .found(let found) = choice { found.count } else { 0 }
    if let message = loneMessage() { return refused("the answer holds nothing but a message", nil, message) }
    for fact in marks() {
      guard let failure = failure(fact, count) else { continue }
      let reason = "\(fact.shown) is \(shown(fact))"
      if failure == .doubtful {
        if count > 0 || hasSuccessWord() { continue }
        return .unclear("\(reason), and there are no items; declare refused to say whether that is a failure")
      }
      if count > 0 {
        return .unclear("\(reason), but there are \(count) items; declare refused if that is a failure")
      }
      return refused(reason, code(fact), message())
    }
    for object in survey.objects where object.path.count == 1 {
      guard ["error", "errors", "fault", "exception"].contains(Vocabulary.folded(object.path[0])),
        document.count(of: object.node) > 0
      else { continue }
      if count > 0 {
        return .unclear("\(shown(object.path)) is an object, but there are \(count) items; declare refused")
      }
      return refused("\(shown(object.path)) is an object", code(in: object.path), message())
    }
    for candidate in survey.candidates where Vocabulary.folded(candidate.path.last ?? "") == "errors" {
      guard candidate.path.count <= 2, candidate.count > 0 else { continue }
      if count > 0 {
        return .unclear(
          "\(shown(candidate.path)) is not empty, but there are \(count) items; declare refused")
      }
      return refused(
        "\(shown(candidate.path)) is not empty", nil, messageInErrors(candidate.node) ?? message())
    }
    return .fine
  }

  private mutating func refused(_ reason: String, _ code: String?, _ message: String?) -> Judgement {
    note(.answer, .certain, "\(reason): the upstream refused")
    return .refused(code: code, message: message)
  }

  // MARK: Marks

  private enum Failure { case certain, doubtful }

  /// Values at the top, or in a head of its own, that tell success from failure.
  private func marks() -> [Survey.Fact] {
    let names = Vocabulary.successFlags + Vocabulary.errorMarks + Vocabulary.codes + ["message"]
    return survey.facts(named: names).filter { fact in
      fact.path.count == 1 || fact.path.count == 2 && Self.heads.contains(Vocabulary.folded(fact.path[0]))
    }
  }

  private static let heads: Set<String> = [
    "status", "header", "head", "responseheader", "json", "result", "ret",
  ]

  private func failure(_ fact: Survey.Fact, _ count: Int) -> Failure? {
    if document.isNull(fact.node) { return nil }
    let text = survey.text(fact) ?? ""
    let folded = Vocabulary.folded(text)
    if Vocabulary.errorMarks.contains(fact.name) {
      if let flag = document.bool(of: fact.node) { return flag ? .certain : nil }
      let isSuccess = ["0", "00", "000", "0000", "00000", "ok", "success", "200", "false"].contains(
        text.lowercased())
      return isSuccess || !Finding.node(fact.node).saysSomething(document) ? nil : .certain
    }
    if Vocabulary.successFlags.contains(fact.name) {
      // A text or a number under such a name may be anything.
      return survey.flag(fact) == false && (document.bool(of: fact.node) != nil || folded == "false")
        ? .certain : nil
    }
    if fact.name == "message" {
      return Vocabulary.failureValues.contains(folded) && count == 0 ? .certain : nil
    }
    if Vocabulary.failureValues.contains(folded) { return .certain }
    if Int(text) == nil, Double(text) == nil {
      if Vocabulary.successValues.contains(folded) { return nil }
      return Vocabulary.failureParts.contains { Vocabulary.rest(of: folded, behind: $0) != nil }
        || ["status", "stat", "code"].contains(fact.name) && text.contains("_") ? .certain : nil
    }
    // A success's own number under a heading that has nothing else is no success where the words are a failure's.
    if Vocabulary.successValues.contains(text) {
      return hasNoData() && hasFailureWord() ? .certain : nil
    }
    return hasNoData() && message() != nil ? .certain : .doubtful
  }

  /// Whether nothing is there that could be a list, not even an empty one.
  private func hasNoData() -> Bool {
    survey.candidates.allSatisfy { candidate in
      if case .null = candidate.shape { return true }
      return candidate.count == 0 && isAside(candidate.path)
    }
  }

  private func hasFailureWord() -> Bool {
    guard let message = message() else { return false }
    let folded = Vocabulary.folded(message)
    return Vocabulary.failureParts.contains { Vocabulary.rest(of: folded, behind: $0) != nil }
  }

  private func hasSuccessWord() -> Bool {
    message().map { Vocabulary.successValues.contains(Vocabulary.folded($0)) } ?? false
  }

  // MARK: Code and message

  private func code(_ fact: Survey.Fact) -> String? {
    let named = survey.fact(named: ["errcode", "errorcode", "errno", "code", "resultcode", "infocode"]) {
      $0.path.count == 1 && !document.isNull($0.node)
    }
    if let named { return survey.text(named) }
    let marks = [fact] + survey.facts(named: ["error"])
    return marks.lazy.filter { survey.flag($0) == nil }.compactMap { survey.text($0) }.first
  }

  private func code(in path: [String]) -> String? {
    survey.fact(named: ["code", "status", "type"]) { $0.parent == path[...] }.flatMap { survey.text($0) }
  }

  /// The upstream's words: at the top, or in what describes the error.
  func message() -> String? {
    let places = survey.facts(named: Vocabulary.messages).filter { fact in
      document.kind(of: fact.node) == .string && document.range(of: fact.node).count > 2
    }
    let inError = places.first { fact in
      fact.path.count == 2 && ["error", "errors", "fault"].contains(Vocabulary.folded(fact.path[0]))
    }
    let atTop = places.first { fact in
      fact.path.count == 1 && !Vocabulary.failureValues.contains(Vocabulary.folded(survey.text(fact) ?? ""))
    }
    let below = places.first { $0.path.count == 2 }
    if let fact = inError ?? atTop ?? below { return survey.text(fact) }
    // A word for a status is better than nothing.
    let word = survey.fact(named: ["status", "stat", "code"]) { fact in
      fact.path.count == 1 && survey.text(fact).map { Int($0) == nil && $0.utf8.count > 4 } ?? false
    }
    return word.flatMap { survey.text($0) }
  }

  /// Of `[{"message": …}]`, `["…"]` or `[["CODE", "…", null]]`.
  private func messageInErrors(_ errors: Node) -> String? {
    guard let first = document.element(at: 0, in: errors) else { return nil }
    switch document.kind(of: first) {
    case .string: return document.string(of: first)
    case .object: return document.value(named: "message", in: first).flatMap { document.string(of: $0) }
    case .array:
      let texts = document.elements(of: first).compactMap { document.string(of: $0) }
      return texts.max { $0.count < $1.count }
    case .number, .bool, .null: return nil
    }
  }

  /// `[{"message":[{"id":"120","value":"…"}]}]`: an array of one object that has nothing but a message.
  private func loneMessage() -> String? {
    let root = document.root
    guard document.kind(of: root) == .array, document.count(of: root) == 1,
      let only = document.element(at: 0, in: root), document.count(of: only) == 1,
      let member = document.members(of: only).first(where: { _ in true }),
      ["message", "error", "errors"].contains(Vocabulary.folded(member.key.text))
    else { return nil }
    if let text = document.string(of: member.value) { return text }
    guard let inner = document.element(at: 0, in: member.value) else { return nil }
    return document.value(named: "value", in: inner).flatMap { document.string(of: $0) }
      ?? messageInErrors(member.value)
  }

  private func shown(_ fact: Survey.Fact) -> String {
    survey.text(fact).map { "\"\($0.prefix(60))\"" } ?? "there"
  }

  // MARK: The rule

  /// How this upstream would say no, going by how it says yes.
  func successRule() -> Refusal? {
    for fact in marks() {
      guard let pointer = fact.pointer, let rule = rule(fact, pointer) else { continue }
      return rule
    }
    return nil
  }

  private func rule(_ fact: Survey.Fact, _ pointer: Pointer) -> Refusal? {
    let messages = messagePlaces(fact)
    if Vocabulary.errorMarks.contains(fact.name) {
      return Refusal(when: .body(pointer), test: .present, code: nil, message: messages, cases: [])
    }
    if Vocabulary.successFlags.contains(fact.name), document.bool(of: fact.node) == true {
      return Refusal(
        when: .body(pointer), test: .isNone([.text("true")]), code: messages.first, message: messages,
        cases: [])
    }
    guard Vocabulary.codes.contains(fact.name), let text = survey.text(fact), text.utf8.count <= 32 else {
      return nil
    }
    // A number of no known meaning is the list's state as well as not.
    guard Vocabulary.successValues.contains(Vocabulary.folded(text)) else { return nil }
    var values: [Scalar] = [.text(text)]
    if text == "OK" { values.append(.text("ZERO_RESULTS")) }
    return Refusal(when: .body(pointer), test: .isNone(values), code: nil, message: messages, cases: [])
  }

  /// Where the words of a failure are to be expected.
  private func messagePlaces(_ fact: Survey.Fact) -> [Locator] {
    let named = survey.facts(named: Vocabulary.messages).filter { other in
      other.parent == fact.parent && other.path != fact.path && document.kind(of: other.node) != .number
    }
    let usual = ["message", "msg", "error"].map { Array(fact.parent) + [$0] }
    let paths = named.prefix(2).map(\.path) + usual.filter { $0 != fact.path }
    var places: [Locator] = []
    for path in paths where places.count < 4 {
      guard let pointer = Pointer(steps: path), !places.contains(.body(pointer)) else { continue }
      places.append(.body(pointer))
    }
    return places
  }
}

extension Survey {
  /// The text of a fact at the top.
  func text(named name: String) -> String? {
    facts.first { $0.path == [name] }.flatMap { text($0) }
  }
}
