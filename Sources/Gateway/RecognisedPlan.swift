import Configuration
import HTTPSemantics
import JSON
import Paging

/// What one walk of a list goes by whose paging is recognised: nothing before its first answer, then the plan that was made
/// of it. A cursor carries it to the slices that follow.
final class RecognisedPlan {
  private let list: Configuration.List
  private let recognition: Configuration.Recognition
  /// Nil before the first answer.
  private(set) var plan: WalkPlan?
  /// Whether the first answer is the list's first page.
  private(set) var startsHere = true
  /// What the cursor carries.
  private var bytes: [UInt8] = []

  /// What an answer taught, for all who read that answer.
  struct Learned: Sendable {
    fileprivate let plan: WalkPlan
    fileprivate let startsHere: Bool
    /// The same for the same plan of one list.
    let bytes: [UInt8]
  }

  /// Nil before the first answer.
  var learned: Learned? { plan.map { Learned(plan: $0, startsHere: startsHere, bytes: bytes) } }

  func learn(_ learned: Learned) {
    plan = learned.plan
    startsHere = learned.startsHere
    bytes = learned.bytes
  }

  init?(_ list: Configuration.List) {
    guard let recognition = list.recognition else { return nil }
    self.list = list
    self.recognition = recognition
  }

  // MARK: From an answer

  /// The page that a successful answer is: by the plan, or, where there is none yet, by what is recognised of it.
  ///
  /// - Parameters:
  ///   - body: in UTF-8.
  ///   - target: the path and query where it was found.
  func page(
    ofBody body: Bytes, status: Int, fields: Fields, to sent: RenderedRequest, target: [UInt8],
    _ parser: Parser
  ) throws(PageFault) -> Page {
    guard let plan else {
      return try recognise(
        body, parser: parser, status: status, fields: fields, request: sent.seen(by: parser), target: target)
    }
    return try Normaliser(plan: plan).page(
      ofBody: body, parser: parser, status: status, fields: fields, target: target)
  }

  /// Recognises the list from its first answer, which is a success by its status.
  ///
  /// - Returns: the page that the answer is.
  private func recognise(
    _ body: Bytes, parser: Parser, status: Int, fields: Fields, request: SentRequest, target: [UInt8]
  ) throws(PageFault) -> Page {
    let found = Recogniser.recognise(
      body: body, parser: parser, status: status, fields: fields, request: request, hosts: recognition.hosts,
      declared: recognition.declared)
    switch found.verdict {
    case .refused(let code, let message, let meaning):
      throw .refused(code: code, message: message, meaning: meaning)
    case .unsure:
      throw .shape("not sure how this list pages: \(found.missing.joined(separator: "; "))")
    case .empty:
      plan = list.plan
      return try Normaliser(plan: list.plan).pageWithoutBody(status: 204)
    case .list(let proposal):
      guard proposal.confidence == .certain else { throw .shape(Self.doubts(of: found)) }
      let plan = try take(proposal)
      return try Normaliser(plan: plan).page(
        ofBody: body, parser: parser, status: status, fields: fields, target: target)
    }
  }

  private static func doubts(of recognition: Recognition) -> String {
    let reasons = recognition.observations.filter { $0.confidence == .likely }.map(\.reason)
    return
      "not sure how this list pages, though it is likely that \(reasons.joined(separator: "; and ")); declare it, as "
      + "listway probe has it"
  }

  private func take(_ proposal: Proposal) throws(PageFault) -> WalkPlan {
    bytes = proposal.encode()
    // What does not come out of a cursor again is no plan for the next slice.
    guard (try? Proposal(decoding: bytes, hosts: recognition.hosts)) != nil else {
      throw .shape("the names in this list's paging are too long to be recognised; declare it")
    }
    startsHere = proposal.startsHere
    let plan = plan(of: proposal)
    self.plan = plan
    return plan
  }

  private func plan(of proposal: Proposal) -> WalkPlan {
    proposal.plan(recognition.declared, shifts: list.plan.shifts, limits: list.plan.limits)
  }

  // MARK: In a cursor

  /// What a cursor seals: the plan's length in two bytes, the plan, the position.
  func payload(_ position: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes + position
  }

  /// Takes the plan out of what a cursor sealed.
  ///
  /// - Returns: the position; nil where it is no such payload.
  func open(_ payload: [UInt8]) -> [UInt8]? {
    guard payload.count >= 2 else { return nil }
    let end = 2 + Int(payload[0]) << 8 + Int(payload[1])
    guard end <= payload.count,
      let proposal = try? Proposal(decoding: Array(payload[2..<end]), hosts: recognition.hosts)
    else { return nil }
    bytes = Array(payload[2..<end])
    plan = plan(of: proposal)
    return Array(payload[end...])
  }
}
