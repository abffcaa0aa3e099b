package import HTTPSemantics
package import JSON

extension Recogniser {
  /// Reads a first answer: JSON, with a JSONP call or a guard against scripts around it if need be, or a value a line.
  ///
  /// - Parameters:
  ///   - body: after content coding, in UTF-8.
  ///   - status: 200 to 299.
  ///   - fields: the answer's header fields.
  ///   - request: what was asked.
  ///   - hosts: those that a next URL may name.
  ///   - declared: what is known, and not to be recognised.
  package static func recognise(
    body: Bytes, parser: Parser, status: Int, fields: Fields, request: SentRequest, hosts: TrustedHosts,
    declared: Declared
  ) -> Recognition {
    if body.count == 0 {
      return status == 204
        ? Recognition(
          verdict: .empty, observations: [Observation(.answer, .certain, "status 204, no content")],
          missing: [])
        : unsure("the body is empty; say items.emptyBody: true if that means an empty list")
    }
    let failure: Failure
    do throws(Failure) {
      let document = try document(of: body, parser)
      return recognise(document, fields: fields, request: request, hosts: hosts, declared: declared)
    } catch {
      failure = error
    }
    if let lines = lines(of: body, parser) {
      let recognition = recognise(
        lines.document, fields: fields, request: request, hosts: hosts, declared: .nothing)
      return recognition.unrolled(trailers: lines.trailers)
    }
    let isMarkup = body[0..<min(64, body.count)].first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "<")
    return unsure(
      isMarkup
        ? "the body is XML or HTML; Listway reads JSON"
        : "the body is not JSON: \(failure.message) at byte \(failure.offset)")
  }

  private static func unsure(_ what: String) -> Recognition {
    Recognition(verdict: .unsure, observations: [], missing: [what])
  }

  private static func document(of body: Bytes, _ parser: Parser) throws(Failure) -> Document {
    do throws(Failure) {
      return try parser.parse(body)
    } catch {
      guard let content = Wrapping.content(of: body) else { throw error }
      return try parser.parse(body, in: content)
    }
  }

  // MARK: Lines

  /// Lines as one document: `[line, line]`, or `[trailer, [line, line]]` where the last line is of another kind. Nil where
  /// they are not objects, one a line.
  private static func lines(of body: Bytes, _ parser: Parser) -> (document: Document, trailers: Int)? {
    var lines = body[0..<body.count].split(separator: 0x0A).filter { line in line.contains { $0 > 0x20 } }
    guard lines.count > 1 else { return nil }
    var names: [Set<String>] = []
    for line in lines {
      guard let document = try? parser.parse(Bytes(copying: Array(line))),
        document.kind(of: document.root) == .object
      else { return nil }
      names.append(Set(document.members(of: document.root).map(\.key.text)))
    }
    let common = names.dropLast().dropFirst().reduce(names[0]) { $0.intersection($1) }
    let hasTrailer = !common.isEmpty && names[names.count - 1].intersection(common).count * 2 < common.count
    let trailer = hasTrailer ? lines.removeLast() : nil
    var text: [UInt8] = [UInt8(ascii: "[")]
    if let trailer { text += Array(trailer) + [UInt8(ascii: ","), UInt8(ascii: "[")] }
    text += lines.joined(separator: [UInt8(ascii: ",")])
    text += hasTrailer ? [UInt8(ascii: "]"), UInt8(ascii: "]")] : [UInt8(ascii: "]")]
    guard let document = try? parser.parse(Bytes(copying: text)) else { return nil }
    return (document, hasTrailer ? 1 : 0)
  }
}

extension Recognition {
  /// What was recognised of lines gathered in one document, as it is of the lines themselves.
  fileprivate func unrolled(trailers: Int) -> Recognition {
    guard case .list(let proposal) = verdict, let whole = Pointer(steps: []) else { return self }
    let place = proposal.items
    let items = ItemsPlace(
      at: [whole], each: place.each, id: place.id, shape: place.shape, order: nil, absence: place.absence,
      allowsEmptyBody: true, format: .lines(trailers: trailers))
    let says = proposal.says
    let list = Proposal(
      style: proposal.style, items: items,
      says: Says(
        total: says.total?.inTrailer, pageCount: says.pageCount?.inTrailer, page: says.page?.inTrailer,
        hasMore: says.hasMore?.inTrailer, isLast: says.isLast?.inTrailer, next: says.next?.inTrailer),
      refusal: nil, confidence: proposal.confidence, isWhole: proposal.isWhole,
      startsHere: proposal.startsHere)
    let note = Observation(
      .answer, .certain,
      trailers == 0
        ? "every line is a JSON value" : "every line is a JSON value, and the last one is of another kind")
    return Recognition(verdict: .list(list), observations: [note] + observations, missing: missing)
  }
}

extension Locator {
  /// The same within the head of `[head, items]` alone.
  fileprivate var inTrailer: Locator {
    guard case .body(let pointer) = self, pointer.text.hasPrefix("/0/"),
      let rest = try? Pointer(String(pointer.text.dropFirst(2)))
    else { return self }
    return .body(rest)
  }
}
