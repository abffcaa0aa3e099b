package import HTTPSemantics
package import JSON

extension Normaliser {
  /// Makes a page of an answer's body, whatever the list's format: one JSON document, with a JSONP call, a guard against
  /// scripts or a string's quotation marks around it if need be; or a value a line.
  ///
  /// - Parameters:
  ///   - body: after content coding, in UTF-8.
  ///   - status: 200 to 299.
  ///   - target: the path and query it was asked for by.
  package func page(
    ofBody body: Bytes, parser: Parser, status: Int, fields: Fields, target: [UInt8]
  ) throws(PageFault) -> Page {
    if body.count == 0 { return try pageWithoutBody(status: status) }
    switch plan.items.format {
    case .json:
      return try page(of: document(body, parser), status: status, fields: fields, target: target)
    case .lines(let trailers):
      return try page(
        ofLines: body, trailers: trailers, parser, status: status, fields: fields, target: target)
    case .texts:
      return try page(
        ofTexts: document(body, parser), parser, status: status, fields: fields, target: target)
    }
  }

  func document(_ body: Bytes, _ parser: Parser) throws(PageFault) -> Document {
    do throws(Failure) {
      let document = try parser.parse(body)
      return inner(document, parser) ?? document
    } catch {
      if let content = Wrapping.content(of: body), let document = try? parser.parse(body, in: content) {
        return document
      }
      throw .fault("the body is not JSON: \(error)")
    }
  }

  /// The document that another one is, when all that holds is a string with JSON in it: encoded twice.
  private func inner(_ document: Document, _ parser: Parser) -> Document? {
    guard document.kind(of: document.root) == .string, plan.items.shape != .single,
      let text = document.bytes(of: document.root), let inner = try? parser.parse(text)
    else { return nil }
    switch inner.kind(of: inner.root) {
    case .object, .array: return inner
    case .string, .number, .bool, .null: return nil
    }
  }

  /// Every line that is not blank is a value. The last `trailers` of them say something of the page.
  private func page(
    ofLines body: Bytes, trailers: Int, _ parser: Parser, status: Int, fields: Fields, target: [UInt8]
  ) throws(PageFault) -> Page {
    let lines = Self.lines(of: body)
    let itemCount = max(0, lines.count - trailers)
    var draft = Draft()
    draft.isContiguous = false
    draft.items.reserveCapacity(itemCount)
    var trailer: Document?
    for (number, line) in lines.enumerated() {
      let document: Document
      do throws(Failure) { document = try parser.parse(body, in: line) } catch {
        throw .fault("line \(number + 1) is not JSON: \(error.message)")
      }
      if number < itemCount { append(document.root, &draft, document) } else { trailer = document }
    }
    draft.rawCount = draft.items.count
    if draft.items.count > 1, hasEqualIDs(draft.items) { dropDuplicates(&draft, body) }
    let hasTrailer = trailer != nil
    let last: Document = if let trailer { trailer } else { try document(Self.nothing, parser) }
    let answer = Answer(document: last, fields: fields)
    if hasTrailer { try plan.judge?.judge(answer) }
    let said = try said(in: answer, status: status, target: target, &draft.warnings)
    return Page(
      body: body, items: draft.items, rawCount: draft.rawCount, isContiguous: false, said: said,
      keys: draft.keys,
      warnings: draft.warnings)
  }

  /// What a page of lines without a trailer says in its body.
  private static let nothing = Bytes(copying: Array("null".utf8))

  private static func lines(of body: Bytes) -> [Range<Int>] {
    unsafe body.withUnsafeBytes { bytes in
      var lines: [Range<Int>] = []
      var start = 0
      var isBlank = true
      for index in 0...bytes.count {
        if unsafe index == bytes.count || bytes[index] == 0x0A {
          if !isBlank { lines.append(start..<index) }
          start = index + 1
          isBlank = true
        } else if unsafe bytes[index] > 0x20 {
          isBlank = false
        }
      }
      return lines
    }
  }
}

extension Document {
  /// The text of a string as a body of its own.
  func bytes(of string: Node) -> Bytes? { unsafe withText(of: string) { unsafe Bytes(copying: $0) } }
}
