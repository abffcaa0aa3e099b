import HTTPSemantics
import JSON

extension Normaliser {
  /// Items that are written as JSON within strings: `{"data":[{"content":"{\"id\":7}"}]}`. What they hold is the page's
  /// body, one after the other.
  func page(
    ofTexts document: Document, _ parser: Parser, status: Int, fields: Fields, target: [UInt8]
  ) throws(PageFault) -> Page {
    let answer = Answer(document: document, fields: fields)
    try plan.judge?.judge(answer)
    var strings = Draft()
    try collect(&strings, answer)
    let body = try joinedTexts(of: strings.items, in: document, parser)
    var draft = Draft()
    draft.items.reserveCapacity(strings.items.count)
    for (number, range) in body.ranges.enumerated() {
      let item: Document
      do throws(Failure) { item = try parser.parse(body.bytes, in: range) } catch {
        throw .fault("item \(number + 1) is a string that holds no JSON: \(error.message)")
      }
      appendWhole(item.root, &draft, item)
    }
    draft.isContiguous = draft.items.count < 2
    draft.rawCount = draft.items.count
    if draft.items.count > 1, hasEqualIDs(draft.items) { dropDuplicates(&draft, body.bytes) }
    var said = try said(in: answer, status: status, target: target, &draft.warnings)
    if strings.isAbsent {
      try excuse(said, answer)
      draft.warnings.add(.itemsAbsent)
    }
    if plan.keyPointer != nil { said.next = .unsaid }
    return Page(
      body: body.bytes, items: draft.items, rawCount: draft.rawCount, isContiguous: draft.isContiguous,
      said: said,
      keys: draft.keys, warnings: draft.warnings)
  }

  private func joinedTexts(
    of strings: [Page.Item], in document: Document, _ parser: Parser
  ) throws(PageFault) -> (bytes: Bytes, ranges: [Range<Int>]) {
    var texts: [UInt8] = []
    var ranges: [Range<Int>] = []
    for (number, string) in strings.enumerated() {
      let start = texts.count
      guard let part = try? parser.parse(document.bytes, in: string.range),
        part.kind(of: part.root) == .string,
        part.appendText(of: part.root, to: &texts)
      else { throw .shape("item \(number + 1) is no string that holds JSON") }
      ranges.append(start..<texts.count)
      texts.append(UInt8(ascii: "\n"))
    }
    return (Bytes(copying: texts), ranges)
  }
}
