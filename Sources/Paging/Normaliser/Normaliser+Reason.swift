package import HTTPSemantics
package import JSON

extension Normaliser {
  /// Why an answer refuses whose status is of the 4xx class: by the list's own rule; where that finds no words, by those
  /// of problem details (RFC 9457 §3.1), or by a short plain text, which is meant for people.
  package func reason(in body: Bytes, parser: Parser, status: Int, fields: Fields) -> StatedReason {
    let type = fields.first(.contentType).map { MediaType.essence(of: $0.span) } ?? ""
    if let document = try? document(body, parser) {
      let answer = Answer(document: document, fields: fields)
      let reason = plan.judge?.reason(answer, status: status)
      var message = reason?.message
      if message == nil, type == "application/problem+json" {
        message = Self.problem.lazy.compactMap { document.string(of: $0, from: document.root) }.first
      }
      return StatedReason(code: reason?.code, message: message, meaning: reason?.meaning)
    }
    return StatedReason(
      code: nil, message: type == "text/plain" ? Self.words(body) : nil,
      meaning: plan.judge?.meaning(ofStatus: status))
  }

  private static let problem = ["detail", "title"]

  /// Longer texts are pages and logs.
  private static let longestText = 2_000

  private static func words(_ body: Bytes) -> String? {
    guard body.count <= longestText, let text = String(validating: body[0..<body.count], as: UTF8.self)
    else { return nil }
    guard !text.unicodeScalars.contains(where: { $0.value < 0x20 && !"\t\r\n".unicodeScalars.contains($0) })
    else { return nil }
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
      let last = bytes.lastIndex(where: { $0 > 0x20 })
    else { return nil }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}

extension Document {
  /// The text of a member that is a string and not empty.
  fileprivate func string(of name: String, from object: Node) -> String? {
    guard let text = value(named: name, in: object).flatMap({ string(of: $0) }), !text.isEmpty else {
      return nil
    }
    return text
  }
}
