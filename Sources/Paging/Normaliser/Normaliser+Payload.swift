package import HTTPSemantics
package import JSON

/// What an answer has for a client that asked for one thing and not for a list.
package struct Payload {
  package let document: Document
  /// Nil where nothing is there and that is no fault: null.
  package let node: Node?

  package init(document: Document, node: Node?) {
    self.document = document
    self.node = node
  }

  /// Where it is in ``body``; nil for null.
  package var range: Range<Int>? { node.map { document.range(of: $0) } }
  package var body: Bytes { document.bytes }
}

extension Normaliser {
  /// The payload of an answer's body: the value at `pointer`, as it is.
  ///
  /// - Parameters:
  ///   - body: after content coding, in UTF-8.
  ///   - allowsAbsence: whether a pointer that leads nowhere, and a body without a byte, is null rather than a fault.
  ///   - status: 200 to 299; 204 has nothing in any case.
  package func payload(
    ofBody body: Bytes, at pointer: Pointer, allowsAbsence: Bool, parser: Parser, status: Int, fields: Fields
  ) throws(PageFault) -> Payload {
    if body.count == 0 {
      guard status == 204 || allowsAbsence else { throw .fault("the body is empty") }
      return Payload(document: try document(Self.null, parser), node: nil)
    }
    let document = try document(body, parser)
    try plan.judge?.judge(Answer(document: document, fields: fields))
    let node = document.node(at: pointer)
    if node == nil, !allowsAbsence { throw .shape("nothing at \(pointer)") }
    return Payload(document: document, node: node)
  }

  private static let null = Bytes(copying: Array("null".utf8))
}

extension WalkPlan {
  /// A plan for answers that are no lists: all that counts is how the upstream says no.
  package static func single(refusal: Refusal?) -> WalkPlan {
    let place = ItemsPlace(
      at: [], each: nil, id: .none, shape: .single, order: nil, absence: .judged, allowsEmptyBody: false,
      format: .json)
    return WalkPlan(
      style: .whole(Whole()), items: place, says: .nothing, refusal: refusal, shifts: .off, limits: .defaults)
  }
}
