import HTTPSemantics
import JSON

/// Reads a first answer for what it tells of its list. It guesses nothing: what two readings fit is not sure.
package struct Recogniser {
  let document: Document
  let fields: Fields
  let request: SentRequest
  let hosts: TrustedHosts
  let declared: Declared
  let survey: Survey
  var observations: [Observation] = []
  var missing: [String] = []

  /// - Parameters:
  ///   - hosts: those that a next URL may name.
  private init(
    _ document: Document, _ fields: Fields, _ request: SentRequest, _ hosts: TrustedHosts,
    _ declared: Declared
  ) {
    self.document = document
    self.fields = fields
    self.request = request
    self.hosts = hosts
    self.declared = declared
    survey = Survey(document)
  }

  /// - Parameter document: the answer's body.
  static func recognise(
    _ document: Document, fields: Fields, request: SentRequest, hosts: TrustedHosts, declared: Declared
  ) -> Recognition {
    var recogniser = Recogniser(document, fields, request, hosts, declared)
    let verdict = recogniser.verdict()
    var missing = verdict == .unsure ? recogniser.missing : []
    if verdict == .unsure, missing.isEmpty {
      missing = ["nothing in the answer looks like a list; declare items.at and items.id if there is one"]
    }
    return Recognition(verdict: verdict, observations: recogniser.observations, missing: missing)
  }

  mutating func note(_ part: Observation.Part, _ confidence: Confidence, _ reason: String) {
    observations.append(Observation(part, confidence, reason))
  }

  private mutating func verdict() -> Recognition.Verdict {
    if let refused = declaredRefusal() { return refused }
    let choice = declared.items.map { declaredItems($0) } ?? chooseItems()
    // A rule about successful answers is the file's word; one about statuses leaves them to be judged.
    let isRuled = declared.refusal.map { !$0.isByStatus } ?? false
    switch isRuled ? .fine : judge(choice) {
    case .refused(let code, let message): return .refused(code: code, message: message, meaning: .refused)
    case .unclear(let what):
      missing.append(what)
      return .unsure
    case .fine: break
    }
    guard case .found(let found) = choice else {
      if saysNothingIsThere() { return .empty }
      if case .unclear(let what) = choice { missing.append(what) }
      return .unsure
    }
    note(.items, found.confidence, found.reason)
    let identity = declared.items.map { ($0.id, Confidence.certain) } ?? chooseIdentity(found)
    let said = readSaid(found)
    guard let paging = choosePaging(found, said) else { return .unsure }
    let items = ItemsPlace(
      at: [found.pointer], each: found.each, id: identity.0, shape: found.shape, order: found.order,
      absence: .judged, allowsEmptyBody: false, format: .json)
    let confidence = min(found.confidence, identity.1, paging.confidence)
    return .list(
      Proposal(
        style: paging.style, items: items, says: paging.says, refusal: successRule(), confidence: confidence,
        isWhole: paging.isWhole, startsHere: paging.startsHere))
  }

  private mutating func declaredRefusal() -> Recognition.Verdict? {
    guard let judge = Judge(declared.refusal) else { return nil }
    do throws(PageFault) {
      try judge.judge(Answer(document: document, fields: fields, lastItem: nil))
    } catch {
      guard case .refused(let code, let message, let meaning) = error else { return nil }
      note(.answer, .certain, "the configuration's refused says so")
      return .refused(code: code, message: message, meaning: meaning)
    }
    return nil
  }

  /// Whether the answer is a success without items: `{}`, null, a total of 0.
  private mutating func saysNothingIsThere() -> Bool {
    let root = document.root
    if document.isNull(root) || (document.kind(of: root) == .object && document.count(of: root) == 0) {
      note(
        .answer, .certain,
        "the answer is \(document.isNull(root) ? "null" : "an empty object"): nothing is there")
      return true
    }
    guard !survey.isTooWide, survey.candidates.allSatisfy({ $0.count == 0 }) else { return false }
    if let reason = nothingFound() {
      note(.answer, .certain, reason)
      return true
    }
    let lists = survey.candidates.compactMap(\.path.last).map { Vocabulary.folded($0) }
    let words = Vocabulary.totals + lists.flatMap { ["\($0)count", "\(Self.singular($0))count"] }
    let counts = survey.facts(named: words)
    let isEmptyPage = survey.facts.contains { $0.name == "count" && survey.count($0) == 0 } && saysNoNext()
    if let zero = counts.first(where: { survey.count($0) == 0 }),
      isEmptyPage || !counts.contains(where: { (survey.count($0) ?? 0) > 0 })
    {
      note(.answer, .certain, "\(zero.shown) is 0, and there are no items")
      return true
    }
    if let kind = survey.fact(named: ["kind"]), let text = survey.text(kind), text.hasSuffix("List") {
      note(.answer, .certain, "the answer calls itself \(text), and has no items")
      return true
    }
    return false
  }

  /// What holds the results is null, or has nothing in it but counts of 0, and no word of a failure is beside it:
  /// `{"ms":3,"result":null}`, `{"code":200,"result":{"songCount":0}}`.
  private func nothingFound() -> String? {
    if let only = survey.candidates.first {
      let words = Vocabulary.errorMarks + Vocabulary.codes + Vocabulary.messages
      guard case .null = only.shape, survey.candidates.count == 1, survey.objects.count == 1,
        survey.facts(named: words).isEmpty
      else { return nil }
      return "\(shown(only.path)) is null, and nothing else is there that could be items"
    }
    guard survey.objects.count == 2, let inner = survey.objects.last, inner.path.count == 1,
      Vocabulary.items.contains(Vocabulary.folded(inner.path[0])), document.count(of: inner.node) > 0
    else { return nil }
    let zeros = survey.facts.filter { fact in
      fact.parent == inner.path[...] && fact.name.hasSuffix("count") && survey.count(fact) == 0
        && !Vocabulary.failureParts.contains { Vocabulary.rest(of: fact.name, behind: $0) != nil }
    }
    guard zeros.count == document.count(of: inner.node) else { return nil }
    return "\(shown(inner.path)) has no items, and \(zeros[0].shown) is 0"
  }

  /// Whether something is called next, and is empty.
  private func saysNoNext() -> Bool {
    let next = survey.facts.filter { $0.name.hasPrefix("next") }
    return !next.isEmpty && next.allSatisfy { !Finding.node($0.node).saysSomething(document) }
  }
}
