internal import HTTPSemantics

/// Compiles the path of a request.
struct PathCompiler {
  let table: ParameterTable
  let section: Section

  /// Reads the member `path`; the base path alone where there is none.
  ///
  /// - Parameter base: the upstream's path, encoded, without a slash at its end.
  func compile(base: String) -> PathTemplate? {
    guard section.has("path") else { return PathTemplate(literal: base.isEmpty ? "/" : base) }
    guard let text = section.text("path", expected: Schema.TextKind.pathTemplate.rawValue),
      let pieces = table.pieces(of: text, section.path("path"), in: section.decoding)
    else { return nil }
    guard !text.text.isEmpty else { return PathTemplate(literal: base.isEmpty ? "/" : base) }
    guard case .text(let first)? = pieces.first, first.hasPrefix("/") else {
      let meant = text.isOutside || text.text.isEmpty ? nil : "/\(text.text)"
      section.fault("path", "\(text.shown); a path begins with a slash\(suggestion(meant))")
      return nil
    }
    if let problem = Self.problem(with: pieces.text) {
      section.fault("path", "\(text.shown); \(problem)")
      return nil
    }
    var parts: [PathTemplate.Part] = []
    var literal = Array(base.utf8)
    for segment in Self.segments(pieces) {
      literal.append(UInt8(ascii: "/"))
      if segment.contains(where: { if case .parameter = $0 { true } else { false } }) {
        parts.append(.literal(literal))
        literal = []
        parts.append(.segment(template(segment)))
      } else {
        literal += Self.encoded(segment.text).utf8
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    for case .segment(let template) in parts {
      for index in template.parameters where table.mayBeAbsent(index) {
        section.fault(
          "path",
          "{\(table.names[index])} may be absent, and a path cannot do without it; "
            + "make the parameter required, or give it a default")
        return nil
      }
    }
    return PathTemplate(parts)
  }

  /// What keeps `text`, the literal text of a path, from being one.
  static func problem(with text: String) -> String? {
    if text.contains("?") { return "a query goes into request.query" }
    if text.contains("#") { return "a path has no fragment" }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "a path has no control characters" }
    let hasDots = text.split(separator: "/").contains { $0 == "." || $0 == ".." }
    return hasDots ? "a path has no segments . and .." : nil
  }

  /// What follows each slash.
  private static func segments(_ pieces: [Template.Piece]) -> [[Template.Piece]] {
    var segments: [[Template.Piece]] = []
    for piece in pieces {
      switch piece {
      case .parameter: segments[segments.count - 1].append(piece)
      case .text(let text):
        for (position, part) in text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
          if position > 0 { segments.append([]) }
          if !part.isEmpty { segments[segments.count - 1].append(.text(String(part))) }
        }
      }
    }
    return segments
  }

  /// A segment whose author may have written escapes; they stay.
  private func template(_ pieces: [Template.Piece]) -> Template {
    Template(
      parts: pieces.map { piece in
        switch piece {
        case .text(let text): .literal(Array(Self.encoded(text).utf8))
        case .parameter(let index): .parameter(index)
        }
      }, place: .segment)
  }

  /// `text` with everything percent-encoded that cannot stand in a path; escapes stay as they are.
  static func encoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < bytes.count
        && Grammar.hexValue(bytes[index + 1]) != nil && Grammar.hexValue(bytes[index + 2]) != nil
      if isEscape || Self.isPlain(byte) {
        output.append(byte)
      } else {
        PercentEncoding.encode([byte].span, for: .query, into: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// `pchar` and the slash (RFC 3986 §3.3).
  private static func isPlain(_ byte: UInt8) -> Bool {
    Grammar.isLetter(byte) || Grammar.isDigit(byte) || "-._~!$&'()*+,;=:@/".utf8.contains(byte)
  }
}
