/// The parameters that a list declares, and which of them its request uses.
final class ParameterTable {
  let names: [String]
  /// As many as names; nil where the declaration is faulty, so that its uses are not reported as unknown.
  let parameters: [Parameter?]
  private let marks: [Mark]
  private var used: Set<Int> = []

  init(_ declared: [(name: String, mark: Mark, parameter: Parameter?)]) {
    names = declared.map(\.name)
    marks = declared.map(\.mark)
    parameters = declared.map(\.parameter)
  }

  /// Whether a request can come without it.
  func mayBeAbsent(_ index: Int) -> Bool {
    guard let parameter = parameters[index] else { return false }
    return !parameter.isRequired && parameter.defaultValue == nil
  }

  /// Takes a text apart at its placeholders.
  ///
  /// `{name}` is one where `name` could be a parameter's name; `{{name}}` stands for the text `{name}`; every other brace
  /// is a brace. What came from outside the file is never looked into.
  ///
  /// - Parameter isJSON: whether the text is a value of its own in JSON, which can be an object or an array.
  /// - Returns: nil and a fault where a placeholder is no declared parameter.
  func pieces(
    of text: ResolvedText, _ path: String, in decoding: Decoding, isJSON: Bool = false
  ) -> [Template.Piece]? {
    var pieces: [Template.Piece] = []
    var isFaulty = false
    defer {
      if !isJSON || pieces.count > 1 { reportStructured(among: pieces, text.mark, path, in: decoding) }
    }
    for piece in text.pieces {
      guard !piece.isOutside else {
        pieces.append(.text(piece.text))
        continue
      }
      for part in Placeholders.parts(of: piece.text) {
        switch part {
        case .text(let text): pieces.append(.text(text))
        case .placeholder(let name):
          guard let index = names.firstIndex(of: name) else {
            decoding.fault(text.mark, path, unknown(name))
            isFaulty = true
            continue
          }
          used.insert(index)
          pieces.append(.parameter(index))
        }
      }
    }
    return isFaulty ? nil : pieces
  }

  /// Objects and arrays are no text.
  private func reportStructured(
    among pieces: [Template.Piece], _ mark: Mark, _ path: String, in decoding: Decoding
  ) {
    for case .parameter(let index) in pieces {
      guard let kind = parameters[index]?.kind, kind.isStructured else { continue }
      decoding.fault(
        mark, path,
        "{\(names[index])} is \(kind.withArticle), which can only stand in a request's json, and alone in its place"
      )
    }
  }

  /// The parameter that a text names and nothing else: `{name}`; nil for any other text.
  ///
  /// - Returns: an index, whether or not the declaration is faulty; `.some(nil)` and a fault where none is declared.
  func parameter(named text: ResolvedText, _ path: String, in decoding: Decoding) -> Int?? {
    guard !text.isOutside, case .placeholder? = Placeholders.parts(of: text.text).first,
      Placeholders.parts(of: text.text).count == 1
    else { return nil }
    guard case .parameter(let index)? = pieces(of: text, path, in: decoding)?.first else { return .some(nil) }
    return index
  }

  /// Reports `{name}` without quotation marks, which YAML reads as a mapping.
  ///
  /// - Returns: whether `node` is that.
  func isUnquotedPlaceholder(_ node: ConfigurationNode, _ path: String, in decoding: Decoding) -> Bool {
    guard let name = node.unquotedPlaceholder, let index = names.firstIndex(of: name) else { return false }
    used.insert(index)
    decoding.fault(
      node.mark, path, "{\(name)} without quotation marks is a mapping; did you mean \"{\(name)}\"?")
    return true
  }

  /// Notes that the upstream's session uses a parameter, which every request must then have.
  func use(_ name: String, bySessionOf upstream: String, in section: Section) {
    guard let index = names.firstIndex(of: name) else {
      section.decoding.fault(
        section.mark, section.path,
        "the parameter \(Quoted(name)) is missing, by which the session of the upstream \(upstream) tells clients apart"
      )
      return
    }
    used.insert(index)
    if let parameter = parameters[index], !parameter.isRequired {
      section.decoding.fault(
        marks[index], section.path("parameters.\(name)"),
        "the session of the upstream \(upstream) tells clients apart by it; write required: true")
    }
  }

  /// Reports the parameters that nothing uses: a client would give them in vain.
  func reportUnused(_ path: String, by user: String = "request", in decoding: Decoding) {
    for (index, name) in names.enumerated() where !used.contains(index) {
      decoding.fault(
        marks[index], path,
        "nothing in \(user) uses {\(name)}; put it where its value goes, or remove it here")
    }
  }

  private func unknown(_ name: String) -> String {
    let allowed = names.isEmpty ? "none are declared" : "declared: \(names.joined(separator: ", "))"
    return "{\(name)} is no declared parameter; \(allowed) ({{\(name)}} stands for the text itself)"
      + suggestion(Nearest.word(to: name, of: names).map { "{\($0)}" })
  }
}

/// Finds placeholders in a text.
enum Placeholders {
  enum Part: Equatable {
    case text(String)
    case placeholder(String)
  }

  static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var plain = ""
    var rest = Substring(text)
    while let open = rest.firstIndex(of: "{") {
      plain += rest[..<open]
      rest = rest[open...]
      let isDoubled = rest.dropFirst().first == "{"
      let inner = rest.dropFirst(isDoubled ? 2 : 1)
      let close = inner.firstIndex(of: "}") ?? inner.endIndex
      let name = String(inner[..<close])
      let after = inner[close...].dropFirst()
      if close < inner.endIndex, Grammar.isName(name, .parameter), !isDoubled || after.first == "}" {
        if isDoubled {
          plain += "{\(name)}"
          rest = after.dropFirst()
        } else {
          if !plain.isEmpty { parts.append(.text(plain)) }
          plain = ""
          parts.append(.placeholder(name))
          rest = after
        }
      } else {
        plain += "{"
        rest = rest.dropFirst()
      }
    }
    plain += rest
    if !plain.isEmpty { parts.append(.text(plain)) }
    return parts
  }
}
