package import HTTPSemantics
package import JSON

/// Makes pages of answers: finds the items and their ids, reads what is said of the list, and tells a refusal from a success.
package struct Normaliser: Sendable {
  let plan: WalkPlan

  package init(plan: WalkPlan) { self.plan = plan }

  /// - Parameters:
  ///   - document: the answer's body.
  ///   - status: 200 to 299.
  ///   - fields: the answer's header fields.
  ///   - target: the path and query it was asked for by, which a relative next URL starts from.
  package func page(
    of document: Document, status: Int, fields: Fields, target: [UInt8]
  ) throws(PageFault) -> Page {
    var answer = Answer(document: document, fields: fields)
    try plan.judge?.judge(answer)
    var draft = Draft()
    try collect(&draft, answer)
    answer.lastItem = draft.lastElement
    var said = try said(in: answer, status: status, target: target, &draft.warnings)
    if draft.isAbsent {
      try excuse(said, answer)
      draft.warnings.add(.itemsAbsent)
    }
    if plan.items.id != .none, draft.lacksIDs { draft.warnings.add(.idsAbsent) }
    if plan.keyPointer != nil { said.next = .unsaid }
    return Page(
      body: document.bytes, items: draft.items, rawCount: draft.rawCount, isContiguous: draft.isContiguous,
      said: said,
      keys: draft.keys, warnings: draft.warnings)
  }

  /// The page that an answer without a body is.
  ///
  /// - Throws: ``PageFault/fault(_:)`` where an empty body is not expected. 204 always means that there is nothing.
  package func pageWithoutBody(status: Int) throws(PageFault) -> Page {
    guard status == 204 || plan.items.allowsEmptyBody else { throw .fault("the body is empty") }
    return .pastTheEnd
  }
}

/// A page while it is being made.
struct Draft {
  var items: [Page.Item] = []
  var keys: [Range<Int>] = []
  var rawCount = 0
  var isContiguous = true
  /// Whether there was nothing where the items should be, not even something empty.
  var isAbsent = false
  var lastElement: Node?
  var warnings = Warnings()

  /// Whether there are items, and none has an id.
  var lacksIDs: Bool { items.first?.id == 0 && items.allSatisfy { $0.id == 0 } }
}
