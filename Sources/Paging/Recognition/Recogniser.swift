import HTTPSemantics
import JSON

/// Reads a first answer for what it tells of its list. It guesses nothing: what two readings fit is not sure.
package struct Recogniser {
  let document: Document
  let fields: Fields
  let request: SentRequest
  let hosts: TrustedHosts
  let survey: Survey
  var observations: [Observation] = []
  var missing: [String] = []

  /// - Parameters:
  ///   - hosts: those that a next URL may name.
  private init(_ document: Document, _ fields: Fields, _ request: SentRequest, _ hosts: TrustedHosts) {
    self.document = document
    self.fields = fields
    self.request = request
    self.hosts = hosts
    survey = Survey(document)
  }

  /// - Parameter document: the answer's body.
  static func recognise(
    _ document: Document, fields: Fields, request: SentRequest, hosts: TrustedHosts
  ) -> Recognition {
    var recogniser = Recogniser(document, fields, request, hosts)
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
    let choice = chooseItems()
    let judgement = judge(choice)
    switch judgement {
    case .refused(let code, let message): return .refused(code: code, message: message)
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
    let identity = chooseIdentity(found)
    let said = readSaid(found)
    guard let paging = choosePaging(found, said) else { return .unsure }
    let items = ItemsPlace(
      at: [found.pointer], each: found.each, id: identity.id, shape: found.shape, order: found.order,
      absence: .judged, allowsEmptyBody: false, format: .json)
    let confidence = min(found.confidence, identity.confidence, paging.confidence)
    return .list(
      Proposal(
        style: paging.style, items: items, says: paging.says, refusal: successRule(), confidence: confidence,
        isWhole: paging.isWhole))
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
    guard survey.candidates.allSatisfy({ $0.count == 0 }) else { return false }
    let counts = survey.facts.filter { fact in
      (Vocabulary.totals.contains(fact.name) || fact.name.hasSuffix("count")) && survey.count(fact) == 0
    }
    if let zero = counts.first {
      note(.answer, .certain, "\(zero.shown) is 0, and there are no items")
      return true
    }
    if let kind = survey.fact(named: ["kind"]), let text = survey.text(kind), text.hasSuffix("List") {
      note(.answer, .certain, "the answer calls itself \(text), and has no items")
      return true
    }
    return false
  }
}
